import { NATIVE_MINT, STAKE_PROGRAM } from "../../solana/programs";
import { TIP_ACCOUNTS } from "../../solana/tip-accounts";
import {
  type ActivityAmounts,
  computeLamportChange,
  decodeActivity,
  listOwnBalances,
  type TokenBalance,
  type TransactionFigures,
} from "../activity";
import { DOLLAR_MINTS } from "../assets";
import type { Mark, SignedMark } from "../marks";
import { clampToZero } from "../money";
import { type Movement, readAuthority, readMoney, readUsdc } from "../movements";
import { findWraps } from "../wraps";
import {
  computeRentGivenAway,
  computeRentPaid,
  computeRentReceived,
  listOwnTokenAccounts,
  sumPaidTo,
  sumReceivedBy,
} from "./spending-rent";

/**
 * Finds the payments to others among a wallet's transactions.
 *
 * The problem: balances show that money left a wallet, but not why. A swap, a deposit or a stake that counts as a
 * payment would be saved from. A payment that is left out would never be saved.
 * The invariant: a transaction is a payment only if others received something and the wallet got nothing back but dust.
 * How it is kept: only balances and transfers decide, never what a program logs. Rent, savings, service fees and tips
 * are subtracted first. Every other transaction gets a reason.
 * Example: a wallet sends 12 USDC to a shop and pays 0.002 SOL of rent for the shop's token account. The payment is
 * 12 USDC. If 0.1 SOL had come back, it would be a swap.
 * A pulled payment, which a delegate of the wallet's token account made, needs no signature of the wallet.
 */

export const LEFT_OUT_REASONS = [
  /** The transaction only put money into a service wallet. */
  "own_service_wallet",
  "fee_collector",
  /** The transaction contained both the payment and its saving. */
  "carried_round_up",
  /** The wallet received more than dust back, or dust for a payment worth less than MIN_CENTS_WITH_DUST cents. */
  "swap",
  "own_accounts",
  /** Everything that left was rent: for new accounts, returned from closed accounts, or given away with them. */
  "rent",
  "staking",
  /** Tip to a block builder for including the transaction. */
  "tip",
  "burned",
  /** Only tokens without a known price were sent. */
  "unpriced",
  "failed",
  /** Worth less than a micro-dollar. */
  "worthless",
  /** More than POST /api/wrap accepts for one payment. */
  "too_large",
  /** Another wallet paid, or this wallet only received. */
  "nothing_sent",
  /** The node no longer has the transaction. */
  "unreadable",
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

/** The amounts that others received from a wallet, including transfer fees that a token's issuer withheld. */
export interface Payment extends ActivityAmounts {
  /** Dust came back. The transaction is a payment only when it is worth at least MIN_CENTS_WITH_DUST cents. */
  hasDust?: true;
  /** The delegate that pulled the payment. Absent if the wallet signed. */
  pulledBy?: string;
  /** Other tokens that came back with a pulled payment. It is a swap if any has a price; points of a shop have none. */
  gainedMints?: string[];
}

/** Minimum worth of a payment in cents when dust comes back. The dust is then less than 1 % of the payment. */
export const MIN_CENTS_WITH_DUST = 100n;

/**
 * Gains below this many base units are dust: one cent in dollar tokens, and less than one cent in SOL while SOL costs
 * under 1,000 USD. Any gain in another token makes a swap, because its value at the time is not known for certain.
 */
const DUST_LIMIT_BY_MINT = new Map([NATIVE_MINT, ...DOLLAR_MINTS].map((mint) => [mint, 10_000n]));

export interface SpendingContext {
  wallet: string;
  isServiceWallet(address: string): boolean;
  feeCollectors: readonly string[];
}

/** Decodes a confirmed transaction that did not fail. Returns the wallet's payment, or why it is left out. */
export function decodeSpending(figures: TransactionFigures, context: SpendingContext): Payment | LeftOutReason {
  const { wallet, feeCollectors } = context;
  const activity = decodeActivity(figures, wallet, feeCollectors);
  const { solChangeLamports, rentFromOthersLamports, tokenChanges, pulledBy } = activity;
  if (!figures.signers.includes(wallet) && pulledBy === null) return "nothing_sent";
  const depositChangeLamports = activity.depositChangeLamports - rentFromOthersLamports;
  const wrappedLamports = tokenChanges.find(({ mint }) => mint === NATIVE_MINT)?.amount ?? 0n;
  const netLamports = solChangeLamports + depositChangeLamports + wrappedLamports;
  const rentFreeLamports = netLamports - computeRentReceived(figures, wallet, netLamports);
  const tokens = tokenChanges.filter(({ mint }) => mint !== NATIVE_MINT);
  const gainedAmounts = [{ mint: NATIVE_MINT, amount: rentFreeLamports }, ...tokens].filter(
    ({ amount }) => amount > 0n,
  );
  if (rentFreeLamports >= 0n && tokens.every(({ amount }) => amount > 0n)) {
    return classifyWithoutLoss(figures, wallet, depositChangeLamports, gainedAmounts.length > 0);
  }
  const gainedMints = gainedAmounts.flatMap(({ mint }) =>
    pulledBy !== null && !DUST_LIMIT_BY_MINT.has(mint) ? mint : [],
  );
  const counted = gainedAmounts.filter(({ mint }) => !gainedMints.includes(mint));
  if (counted.some(({ mint, amount }) => amount >= (DUST_LIMIT_BY_MINT.get(mint) ?? 0n))) return "swap";
  const isStaking = figures.programs.includes(STAKE_PROGRAM);
  // When tokens left as well, the balances do not show whether they were paid or exchanged for the stake.
  if (isStaking && tokens.length > 0) return "staking";
  const rentPaidLamports = computeRentPaid(figures, wallet);
  const amounts = { solLamports: rentFreeLamports, wrappedLamports, depositChangeLamports };
  const rentGivenAwayLamports = computeRentGivenAway(figures, wallet, amounts);
  const ownAccounts = [...listOwnTokenAccounts(figures, wallet), ...figures.stakedAccounts];
  // Lamports withdrawn from a stake would hide a payment in the balance, so count the transfers instead.
  const sumReceived: SumReceived = (isPayee) =>
    isStaking ? sumPaidTo(figures, wallet, isPayee) : sumReceivedBy(figures, wallet, rentGivenAwayLamports, isPayee);
  const leftAmounts = {
    lamports:
      (isStaking
        ? sumReceived((address) => !ownAccounts.includes(address))
        : -rentFreeLamports - rentGivenAwayLamports) - rentPaidLamports,
    tokens: tokens.flatMap((token) => (token.amount < 0n ? { ...token, amount: -token.amount } : [])),
  };
  const result = findPayment(figures, context, leftAmounts, sumReceived);
  if (typeof result === "object") {
    return {
      ...result,
      ...(counted.length > 0 && { hasDust: true as const }),
      ...(pulledBy !== null && { pulledBy }),
      ...(gainedMints.length > 0 && { gainedMints }),
    };
  }
  if (result !== "burned" && result !== "tip") return result;
  if (isStaking) return "staking";
  if (gainedAmounts.length > 0) return "swap";
  return rentPaidLamports + rentGivenAwayLamports > 0n ? "rent" : result;
}

/** Returns the lamports that the payees for which `isPayee` is true received from the wallet. */
type SumReceived = (isPayee: (address: string) => boolean) => bigint;

/**
 * Returns the part of `leftAmounts` that others received, or why there is none. Subtracts savings, service fees and
 * tips.
 * @param leftAmounts what left the wallet, without rent
 */
function findPayment(
  figures: TransactionFigures,
  context: SpendingContext,
  leftAmounts: Payment,
  sumReceived: SumReceived,
): Payment | LeftOutReason {
  const { wallet, feeCollectors } = context;
  const wraps = findWraps(figures.movements, feeCollectors).filter(({ from }) => from === wallet);
  const isSavingAddress = (address: string) =>
    context.isServiceWallet(address) || wraps.some(({ to }) => to === address);
  const savedLamports = sumReceived(isSavingAddress);
  const feeLamports = sumReceived((address) => feeCollectors.includes(address));
  const tipLamports = sumReceived((address) => TIP_ACCOUNTS.includes(address));
  const isNoPayee = (address: string) => isSavingAddress(address) || feeCollectors.includes(address);
  const payment = {
    lamports: clampToZero(leftAmounts.lamports - savedLamports - feeLamports - tipLamports),
    tokens: leftAmounts.tokens.flatMap((token) => findSentTokens(figures, wallet, isNoPayee, token)),
  };
  if (payment.lamports > 0n || payment.tokens.length > 0) return wraps.length > 0 ? "carried_round_up" : payment;
  const gains = leftAmounts.tokens.flatMap(({ mint }) => listGains(figures, mint));
  const hasSavedTokens = gains.some(({ owner }) => owner !== null && isSavingAddress(owner));
  if (savedLamports > 0n || hasSavedTokens) return "own_service_wallet";
  if (feeLamports > 0n || gains.some(({ owner }) => owner !== null && feeCollectors.includes(owner)))
    return "fee_collector";
  return tipLamports > 0n ? "tip" : "burned";
}

/**
 * Lists the marks that a landed transaction sets for a wallet, for any service wallet. A mark counts when the wallet
 * signs the memo and pays a fee collector in the same transaction. By an allowance, the delegate signs: it counts when
 * that delegate pays a fee collector out of the wallet's USDC and moves some of it into its own account.
 */
export function listMarksSetBy(
  wallet: string,
  { marks, movements }: Pick<TransactionFigures, "marks" | "movements">,
  feeCollectors: readonly string[],
): Mark[] {
  const isSetBy = ({ delegate }: SignedMark) => {
    const moved = movements.filter(
      (movement: Movement) => movement.from === wallet && readAuthority(movement) === (delegate ?? wallet),
    );
    const isFeePaid = moved.some((movement) => readMoney(movement) !== null && feeCollectors.includes(movement.to));
    const isSaved = () => moved.some((movement) => movement.to === delegate && (readUsdc(movement) ?? 0n) > 0n);
    return isFeePaid && (delegate === undefined || isSaved());
  };
  return marks.filter((signed) => signed.wallet === wallet && isSetBy(signed)).map(({ mark }) => mark);
}

/** Lists the addresses that received lamports, and the owners of all token accounts involved. */
export function listPayees(figures: TransactionFigures, wallet: string): string[] {
  const { accountKeys, movements, postTokenBalances } = figures;
  const gainers = accountKeys.filter((_, i) => computeLamportChange(figures, i) > 0n);
  const payees = movements.flatMap(({ from, to }) => (from === wallet ? to : []));
  return [...new Set([...gainers, ...payees, ...postTokenBalances.flatMap(({ owner }) => owner ?? [])])];
}

/** Returns why a transaction in which the wallet lost nothing is not a payment. */
function classifyWithoutLoss(
  figures: TransactionFigures,
  wallet: string,
  depositChangeLamports: bigint,
  hasGained: boolean,
): LeftOutReason {
  if (figures.programs.includes(STAKE_PROGRAM)) return "staking";
  if (hasGained) return "nothing_sent";
  const findAmount = (balances: TokenBalance[], index: number) =>
    balances.find(({ accountIndex }) => accountIndex === index)?.amount ?? 0n;
  const hasMoved = ({ accountIndex }: TokenBalance) =>
    findAmount(figures.preTokenBalances, accountIndex) !== findAmount(figures.postTokenBalances, accountIndex);
  if (listOwnBalances(figures, wallet).some(hasMoved)) return "own_accounts";
  return depositChangeLamports === 0n ? "nothing_sent" : "rent";
}

/** Lists the owners whose balance of a token grew. The owner is null when the node does not report it. */
function listGains(
  { preTokenBalances, postTokenBalances }: TransactionFigures,
  mint: string,
): { owner: string | null; amount: bigint }[] {
  const changes = new Map<string | null, bigint>();
  const addBalance = (sign: bigint, balance: TokenBalance) => {
    if (balance.mint === mint) changes.set(balance.owner, (changes.get(balance.owner) ?? 0n) + sign * balance.amount);
  };
  for (const balance of preTokenBalances) addBalance(-1n, balance);
  for (const balance of postTokenBalances) addBalance(1n, balance);
  return [...changes].flatMap(([owner, amount]) => (amount > 0n ? [{ owner, amount }] : []));
}

/**
 * Finds the part of a lost token that others received, including a transfer fee. Returns an empty list if no account
 * gained, because the tokens were burned.
 */
function findSentTokens(
  figures: TransactionFigures,
  wallet: string,
  isNoPayee: (address: string) => boolean,
  lostToken: ActivityAmounts["tokens"][number],
): ActivityAmounts["tokens"] {
  const gains = listGains(figures, lostToken.mint).filter(({ owner }) => owner !== wallet);
  const otherGains = gains.filter(({ owner }) => owner !== null && isNoPayee(owner));
  const paidAmount = otherGains.reduce((left, { amount }) => left - amount, lostToken.amount);
  return gains.length > otherGains.length && paidAmount > 0n ? [{ ...lostToken, amount: paidAmount }] : [];
}
