import { NATIVE_MINT, STAKE_PROGRAM } from "../../solana/programs";
import { TIP_ACCOUNTS } from "../../solana/tip-accounts";
import { decodeActivity, type TransactionFigures, wrapsIn } from "../activity";
import { ASSETS } from "../assets";
import type { Mark, SignedMark } from "../marks";
import { atLeast0, ownTokenAccounts, paidTo, rentBack, rentGivenAway, rentPaid } from "./spending-rent";

/** What of a wallet's transactions is a payment to somebody else, read from balances. What it was for is never guessed. */

export const LEFT_OUT_REASONS = [
  /** It only put money into a service wallet. */
  "own_service_wallet",
  "fee_collector",
  /** A round-up went with the payment. */
  "carried_round_up",
  /** Something came back: more than dust, or dust beside a payment that is worth less than DUST_TIMES a cent. */
  "swap",
  "own_accounts",
  /** What left lies as rent on accounts that were opened, or came back, or went to others, from closed ones. */
  "rent",
  "staking",
  /** A block builder's, for taking the transaction. */
  "tip",
  "burned",
  /** All that was sent are tokens without a price here. */
  "unpriced",
  "failed",
  "under_a_cent",
  /** More than POST /api/wrap takes for a purchase. */
  "too_large",
  /** Another one paid, or the wallet only got something. */
  "nothing_sent",
  /** The node does not have it any more. */
  "unreadable",
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

interface SentTokens {
  mint: string;
  /** Base units, positive. */
  amount: bigint;
  decimals: number;
}

/** What others got of a wallet, or what their tokens' issuer kept of it. */
export interface Payment {
  lamports: bigint;
  tokens: SentTokens[];
  /** Dust came back: it is a payment only if it is worth DUST_TIMES a cent at least. */
  hasDust?: true;
}

/** A payment is worth this many times what came back at least: that is less than 1 % of it. */
export const DUST_TIMES = 100n;

/**
 * Base units under which a gain is dust: a cent in stables; in SOL it is less than one while SOL costs under 1,000 USD.
 * Of everything else any gain makes a swap: what it was worth at that moment is not known for certain.
 */
const DUST_BELOW = new Map([NATIVE_MINT, ASSETS.USDC.mint, ASSETS.USDT.mint].map((mint) => [mint, 10_000n]));

export interface SpendingContext {
  wallet: string;
  isServiceWallet(address: string): boolean;
  feeCollectors: readonly string[];
}

/** A confirmed transaction that did not fail, from one wallet's point of view. */
export function decodeSpending(figures: TransactionFigures, context: SpendingContext): Payment | LeftOutReason {
  const { wallet, feeCollectors } = context;
  if (!figures.signers.includes(wallet)) return "nothing_sent";
  const { solChange, depositChange, tokenChanges } = decodeActivity(figures, wallet, feeCollectors);
  const wrapped = tokenChanges.find(({ mint }) => mint === NATIVE_MINT)?.amount ?? 0n;
  const moved = solChange + depositChange + wrapped;
  const sol = moved - rentBack(figures, wallet, moved);
  const tokens = tokenChanges.filter(({ mint }) => mint !== NATIVE_MINT);
  const gained = [{ mint: NATIVE_MINT, amount: sol }, ...tokens].filter(({ amount }) => amount > 0n);
  if (sol >= 0n && tokens.every(({ amount }) => amount > 0n)) {
    return withoutLoss(figures, wallet, depositChange, gained.length > 0);
  }
  if (gained.some(({ mint, amount }) => amount >= (DUST_BELOW.get(mint) ?? 0n))) return "swap";
  const isStaking = figures.programs.includes(STAKE_PROGRAM);
  // Of tokens that left beside one it is not known what was paid, and what was given for the stake.
  if (isStaking && tokens.length > 0) return "staking";
  const rent = rentPaid(figures, wallet);
  const rentGiven = rentGivenAway(figures, wallet, { sol, wrapped, depositChange });
  const own = [...ownTokenAccounts(figures, wallet), ...figures.staked];
  const found = paymentIn(figures, context, {
    // What came out of a stake hides in the balance what was paid beside it.
    lamports: (isStaking ? paidTo(figures, wallet, (address) => !own.includes(address)) : -sol - rentGiven) - rent,
    tokens: tokens.flatMap((one) => (one.amount < 0n ? { ...one, amount: -one.amount } : [])),
  });
  if (typeof found === "object") return gained.length > 0 ? { ...found, hasDust: true } : found;
  if (found !== "burned" && found !== "tip") return found;
  if (isStaking) return "staking";
  if (gained.length > 0) return "swap";
  return rent + rentGiven > 0n ? "rent" : found;
}

/** Of what left a wallet, without rent, what others than its service wallet and the service itself got. */
function paymentIn(figures: TransactionFigures, context: SpendingContext, left: Payment): Payment | LeftOutReason {
  const { wallet, feeCollectors } = context;
  const wraps = wrapsIn(figures.movements, feeCollectors).filter(({ from }) => from === wallet);
  const isSaving = (address: string) => context.isServiceWallet(address) || wraps.some(({ to }) => to === address);
  const saved = paidTo(figures, wallet, isSaving);
  const fees = paidTo(figures, wallet, (address) => feeCollectors.includes(address));
  const tips = paidTo(figures, wallet, (address) => TIP_ACCOUNTS.includes(address));
  const payment = {
    lamports: atLeast0(left.lamports - saved - fees - tips),
    tokens: left.tokens.flatMap((one) => sentToOthers(figures, wallet, isSaving, one)),
  };
  if (payment.lamports > 0n || payment.tokens.length > 0) return wraps.length > 0 ? "carried_round_up" : payment;
  if (
    saved > 0n ||
    left.tokens.some(({ mint }) => gains(figures, mint).some(([owner]) => owner !== null && isSaving(owner)))
  ) {
    return "own_service_wallet";
  }
  if (fees > 0n) return "fee_collector";
  return tips > 0n ? "tip" : "burned";
}

export interface MarkedWrap extends SignedMark {
  /** Lamports of the two transfers. */
  saved: bigint;
  fee: bigint;
}

/**
 * The mark that a transaction sets: it carries one alone, which its wallet signs, beside a round-up of that wallet's own into
 * a service wallet. Null: none that counts.
 */
export function markedWrapIn(
  { marks, movements }: Pick<TransactionFigures, "marks" | "movements">,
  { isServiceWallet, feeCollectors }: Omit<SpendingContext, "wallet">,
): MarkedWrap | null {
  const [signed, ...more] = marks;
  if (!signed || more.length > 0) return null;
  const isOwn = ({ from, to }: { from: string; to: string }) => from === signed.wallet && isServiceWallet(to);
  const wrap = wrapsIn(movements, feeCollectors).find(isOwn);
  return wrap ? { ...signed, saved: wrap.saved, fee: wrap.fee } : null;
}

/**
 * Returns the marks that a landed transaction sets for a wallet, whatever its service wallet: the wallet signs their memos
 * and pays a fee collector in the same transaction.
 */
export function marksSetBy(
  wallet: string,
  { marks, movements }: Pick<TransactionFigures, "marks" | "movements">,
  feeCollectors: readonly string[],
): Mark[] {
  if (!movements.some(({ from, to }) => from === wallet && feeCollectors.includes(to))) return [];
  return marks.filter((signed) => signed.wallet === wallet).map(({ mark }) => mark);
}

/** Addresses to which a transaction moves a wallet's lamports, or at which others got its tokens. */
export function payeesOf({ movements, postTokenBalances }: TransactionFigures, wallet: string): string[] {
  const payees = movements.flatMap(({ from, to }) => (from === wallet ? to : []));
  return [...new Set([...payees, ...postTokenBalances.flatMap(({ owner }) => owner ?? [])])];
}

function withoutLoss(
  figures: TransactionFigures,
  wallet: string,
  depositChange: bigint,
  hasGained: boolean,
): LeftOutReason {
  if (figures.programs.includes(STAKE_PROGRAM)) return "staking";
  if (hasGained) return "nothing_sent";
  const own = [...figures.preTokenBalances, ...figures.postTokenBalances].filter(({ owner }) => owner === wallet);
  const before = new Map(figures.preTokenBalances.map((one) => [one.accountIndex, one.amount]));
  const after = new Map(figures.postTokenBalances.map((one) => [one.accountIndex, one.amount]));
  const hasMoved = own.some(({ accountIndex: at }) => (before.get(at) ?? 0n) !== (after.get(at) ?? 0n));
  if (hasMoved) return "own_accounts";
  return depositChange === 0n ? "nothing_sent" : "rent";
}

/** Who holds more of a token than before, by owner; null: the node does not say who. */
function gains({ preTokenBalances, postTokenBalances }: TransactionFigures, mint: string): [string | null, bigint][] {
  const changes = new Map<string | null, bigint>();
  const add = (sign: bigint, balances: TransactionFigures["preTokenBalances"]) => {
    for (const one of balances) {
      if (one.mint === mint) changes.set(one.owner, (changes.get(one.owner) ?? 0n) + sign * one.amount);
    }
  };
  add(-1n, preTokenBalances);
  add(1n, postTokenBalances);
  return [...changes].filter(([, amount]) => amount > 0n);
}

/** What the wallet lost of a token, a fee that its mint withholds included; nothing where nobody got any: it was burned. */
function sentToOthers(
  figures: TransactionFigures,
  wallet: string,
  isSaving: (address: string) => boolean,
  lost: SentTokens,
): SentTokens[] {
  const got = gains(figures, lost.mint).filter(([owner]) => owner !== wallet);
  const saved = got.reduce((sum, [owner, amount]) => (owner !== null && isSaving(owner) ? sum + amount : sum), 0n);
  const isPaid = got.some(([owner]) => owner === null || !isSaving(owner));
  return isPaid && lost.amount > saved ? [{ ...lost, amount: lost.amount - saved }] : [];
}
