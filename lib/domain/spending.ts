import { NATIVE_MINT, STAKE_PROGRAM } from "../solana/programs";
import { decodeActivity, type TransactionFigures, wrapsIn } from "./activity";

/** What of a wallet's transactions is a payment to somebody else, read from balances. What it was for is never guessed. */

export const LEFT_OUT_REASONS = [
  /** It only put money into a service wallet. */
  "own_service_wallet",
  "fee_collector",
  /** A round-up went with the payment. */
  "carried_round_up",
  /** Something of value came back. */
  "swap",
  "own_accounts",
  /** What left lies as rent on accounts that were opened, or came back, or went to others, from closed ones. */
  "rent",
  "staking",
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
}

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
  const sol = solChange + depositChange + wrapped;
  const tokens = tokenChanges.filter(({ mint }) => mint !== NATIVE_MINT);
  const changes = [sol, ...tokens.map(({ amount }) => amount)];
  const hasGained = changes.some((change) => change > 0n);
  if (!changes.some((change) => change < 0n)) return withoutLoss(figures, wallet, depositChange, hasGained);
  if (hasGained) return "swap";
  if (figures.programs.includes(STAKE_PROGRAM)) return "staking";

  const wraps = wrapsIn(figures.movements, feeCollectors).filter(({ from }) => from === wallet);
  const isSaving = (address: string) => context.isServiceWallet(address) || wraps.some(({ to }) => to === address);
  const saved = paidTo(figures, wallet, isSaving);
  const fees = paidTo(figures, wallet, (address) => feeCollectors.includes(address));
  const rent = rentPaid(figures, wallet) + rentGivenAway(figures, wallet, { sol, wrapped, depositChange });
  const lost = tokens.map((one) => ({ ...one, amount: -one.amount }));
  const payment = {
    lamports: atLeast0(-sol - saved - fees - rent),
    tokens: lost.flatMap((one) => sentToOthers(figures, wallet, isSaving, one)),
  };
  if (payment.lamports > 0n || payment.tokens.length > 0) return wraps.length > 0 ? "carried_round_up" : payment;
  if (
    saved > 0n ||
    lost.some(({ mint }) => gains(figures, mint).some(([owner]) => owner !== null && isSaving(owner)))
  ) {
    return "own_service_wallet";
  }
  if (fees > 0n) return "fee_collector";
  return rent > 0n ? "rent" : "burned";
}

/**
 * The transaction through which this one says that the wallet's payments are saved, null when it does not: the wallet signed
 * the memo, beside a round-up of its own into a service wallet.
 */
export function savedThroughIn(figures: TransactionFigures, context: SpendingContext): string | null {
  const { wallet, isServiceWallet, feeCollectors } = context;
  const mark = figures.marks.find((one) => one.wallet === wallet && one.mark.kind === "through")?.mark;
  const wraps = wrapsIn(figures.movements, feeCollectors);
  return mark && wraps.some(({ from, to }) => from === wallet && isServiceWallet(to)) ? mark.value : null;
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

const atLeast0 = (amount: bigint) => (amount > 0n ? amount : 0n);

/** All of it, programs' payments on the wallet's behalf included. */
const movementsOf = ({ movements, innerMovements }: TransactionFigures, wallet: string) =>
  [...movements, ...innerMovements].filter(({ from, to }) => from === wallet && to !== wallet);

function paidTo(figures: TransactionFigures, wallet: string, isPayee: (address: string) => boolean): bigint {
  const paid = movementsOf(figures, wallet).filter(({ to }) => isPayee(to));
  return paid.reduce((sum, { lamports }) => sum + lamports, 0n);
}

/** What the wallet put on accounts of others that were opened, or on token accounts: nobody can spend it from there. */
function rentPaid(figures: TransactionFigures, wallet: string): bigint {
  const { accountKeys, preBalances, postBalances, preTokenBalances, postTokenBalances, created } = figures;
  const paid = new Map<string, bigint>();
  for (const { to, lamports } of movementsOf(figures, wallet)) paid.set(to, (paid.get(to) ?? 0n) + lamports);
  let rent = 0n;
  for (const [account, lamports] of paid) {
    const at = accountKeys.indexOf(account);
    const before = preTokenBalances.find(({ accountIndex }) => accountIndex === at);
    const after = postTokenBalances.find(({ accountIndex }) => accountIndex === at);
    // Its own ones are deposits, which are no loss.
    if ((before ?? after)?.owner === wallet || !(created.includes(account) || before || after)) continue;
    const wrapped = after?.mint === NATIVE_MINT ? after.amount - (before?.amount ?? 0n) : 0n;
    const stays = atLeast0((postBalances[at] ?? 0n) - (preBalances[at] ?? 0n) - wrapped);
    rent += stays < lamports ? stays : lamports;
  }
  return rent;
}

/**
 * Of what lay as rent on the wallet's own token accounts, what went to somebody else as they were closed: the rest of what
 * it lost is what the System program moved for it, and wrapped SOL. `sol` is all it gained or lost, deposits included.
 */
function rentGivenAway(
  figures: TransactionFigures,
  wallet: string,
  { sol, wrapped, depositChange }: { sol: bigint; wrapped: bigint; depositChange: bigint },
): bigint {
  if (depositChange >= 0n) return 0n;
  const { accountKeys, preTokenBalances, postTokenBalances } = figures;
  const own = [...preTokenBalances, ...postTokenBalances].filter(({ owner }) => owner === wallet);
  const addresses = own.map(({ accountIndex }) => accountKeys[accountIndex]);
  const moved = paidTo(figures, wallet, (address) => !addresses.includes(address));
  const unexplained = atLeast0(-sol - moved - atLeast0(-wrapped));
  return unexplained < -depositChange ? unexplained : -depositChange;
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
