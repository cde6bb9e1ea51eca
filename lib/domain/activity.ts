import { NATIVE_MINT } from "../solana/programs";
import type { CreatedAccount, SystemMovement } from "../solana/system-instructions";
import type { SignedMark } from "./marks";

/**
 * What a transaction did to one wallet, read from balances: nothing a program says about itself is believed. Only which
 * part of a larger transaction is a round-up is read from its instructions.
 */

export interface TokenBalance {
  /** Of the token account, into accountKeys. */
  accountIndex: number;
  mint: string;
  /** Wallet the account belongs to; null where the node does not say. */
  owner: string | null;
  /** Base units. */
  amount: bigint;
  decimals: number;
}

/** A confirmed transaction's balances before and after; lamports. */
export interface TransactionFigures {
  /** Lookup tables resolved; the first pays the network fee. The balances are in this order. */
  accountKeys: string[];
  feeLamports: bigint;
  preBalances: bigint[];
  postBalances: bigint[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  /** Lamports that its top-level System instructions move, in their order; in a failed transaction they did not. */
  movements: SystemMovement[];
  /** The same of what programs ran on their behalf. */
  innerMovements: SystemMovement[];
  /** Accounts that the System program created in it. */
  created: CreatedAccount[];
  /** Accounts that instructions of the stake program name: stake and vote accounts among them. */
  staked: string[];
  signers: string[];
  /** Programs that took part, those that others called included. */
  programs: string[];
  marks: SignedMark[];
}

export const ACTIVITY_TYPES = ["round_up", "swap", "withdrawal", "deposit", "other"] as const;
type ActivityType = (typeof ACTIVITY_TYPES)[number];

interface TokenChange {
  mint: string;
  /** Base units, signed, never 0. */
  amount: bigint;
  decimals: number;
}

export interface Activity {
  type: ActivityType;
  /** Lamports the wallet gained or lost, the network fee it paid left out. */
  solChange: bigint;
  /** Of solChange, the rent that went into (positive) or came back from (negative) the wallet's own token accounts. */
  depositChange: bigint;
  tokenChanges: TokenChange[];
  /** What the wallet paid the network; null when another wallet paid. */
  networkFee: bigint | null;
  /** What fee collectors got of it; null unless it is a round-up. */
  serviceFee: bigint | null;
  /** What was saved, for the wallet it came from with its fee; null unless it is a round-up. */
  roundUp: bigint | null;
  /** Whether it is a round-up that says of itself that it is a top-up. */
  topup: boolean;
}

/**
 * Decodes a transaction from one wallet's point of view.
 * - round_up: the wallet paid or got what POST /api/wrap builds, a transfer and right after it the fee, perhaps within an
 *   app's own transaction; or, where no such pair is seen, a fee collector gained, and the wallet lost more SOL than that
 *   or gained some;
 * - swap: the wallet gained in one currency and lost in another;
 * - withdrawal, deposit: it only lost, only gained;
 * - other: neither, as in a failed transaction, or where SOL was wrapped or unwrapped.
 * The rent of the wallet's own token accounts is neither gain nor loss: it is a deposit that comes back.
 */
export function decodeActivity(
  figures: TransactionFigures,
  wallet: string,
  feeCollectors: readonly string[],
): Activity {
  const { accountKeys, feeLamports } = figures;
  const pays = accountKeys[0] === wallet;
  const solChange = lamportChange(figures, accountKeys.indexOf(wallet)) + (pays ? feeLamports : 0n);
  const depositChange = depositsOf(figures, wallet);
  const tokenChanges = tokenChangesOf(figures, wallet);
  const moved = solChange + depositChange;
  const saving = moved === 0n ? null : savingOf(figures, wallet, feeCollectors, moved);
  return {
    type: saving ? "round_up" : typeOf(changesOf(moved, tokenChanges)),
    solChange,
    depositChange,
    tokenChanges,
    networkFee: pays ? feeLamports : null,
    serviceFee: saving?.fee ?? null,
    roundUp: saving?.lamports ?? null,
    topup: saving !== null && figures.marks.some(({ mark }) => mark.kind === "topup"),
  };
}

interface Saving {
  lamports: bigint;
  fee: bigint;
}

/** The wallet's part in the round-ups of a transaction, null when it has none. */
function savingOf(
  figures: TransactionFigures,
  wallet: string,
  feeCollectors: readonly string[],
  moved: bigint,
): Saving | null {
  const wraps = wrapsIn(figures.movements, feeCollectors);
  if (wraps.length === 0) {
    const fee = collectedBy(figures, feeCollectors, wallet);
    return fee > 0n && (moved > 0n || -moved > fee) ? { lamports: moved < 0n ? -moved : moved, fee } : null;
  }
  const own = wraps.filter(({ from, to }) => from === wallet || to === wallet);
  if (own.length === 0) return null;
  const fee = own.reduce((sum, wrap) => sum + wrap.fee, 0n);
  const lamports = own.reduce((sum, { from, saved, fee }) => sum + saved + (from === wallet ? fee : 0n), 0n);
  return { lamports, fee };
}

/** The pairs of transfers that POST /api/wrap builds: something into the service wallet, then from the same payer to a collector. */
export function wrapsIn(movements: SystemMovement[], feeCollectors: readonly string[]) {
  return movements.flatMap(({ from, to, lamports: saved }, i) => {
    const next = movements[i + 1];
    const isSaving = saved > 0n && to !== from && !feeCollectors.includes(to);
    const isPair = isSaving && next?.from === from && feeCollectors.includes(next.to);
    return isPair ? [{ from, to, saved, fee: next.lamports }] : [];
  });
}

/** Wrapped or not, SOL is one currency. */
function changesOf(moved: bigint, tokenChanges: TokenChange[]): bigint[] {
  const of = (isNative: boolean) => tokenChanges.filter(({ mint }) => (mint === NATIVE_MINT) === isNative);
  const wrapped = of(true).reduce((sum, { amount }) => sum + amount, 0n);
  return [moved + wrapped, ...of(false).map(({ amount }) => amount)];
}

function typeOf(changes: bigint[]): ActivityType {
  const gained = changes.some((change) => change > 0n);
  const lost = changes.some((change) => change < 0n);
  if (gained && lost) return "swap";
  if (lost) return "withdrawal";
  return gained ? "deposit" : "other";
}

/** 0 for an address that takes no part. */
function lamportChange({ preBalances, postBalances }: TransactionFigures, index: number): bigint {
  return (postBalances[index] ?? 0n) - (preBalances[index] ?? 0n);
}

function collectedBy(figures: TransactionFigures, feeCollectors: readonly string[], wallet: string): bigint {
  return figures.accountKeys.reduce((sum, key, index) => {
    if (key === wallet || !feeCollectors.includes(key)) return sum;
    const change = lamportChange(figures, index);
    return change > 0n ? sum + change : sum;
  }, 0n);
}

/** Wrapped SOL lies in its token account as lamports and is no deposit, so it is taken off. */
function depositsOf(figures: TransactionFigures, wallet: string): bigint {
  const { preTokenBalances, postTokenBalances } = figures;
  const own = [...preTokenBalances, ...postTokenBalances].filter(({ owner }) => owner === wallet);
  const lamports = [...new Set(own.map(({ accountIndex }) => accountIndex))].reduce(
    (sum, index) => sum + lamportChange(figures, index),
    0n,
  );
  const wrapped = tokenChangesOf(figures, wallet).find(({ mint }) => mint === NATIVE_MINT);
  return lamports - (wrapped?.amount ?? 0n);
}

/** By mint, in the order the transaction names them; an account the wallet did not own before or after counts as empty then. */
function tokenChangesOf({ preTokenBalances, postTokenBalances }: TransactionFigures, wallet: string): TokenChange[] {
  const changes = new Map<string, TokenChange>();
  const add = (sign: bigint, { mint, owner, amount, decimals }: TokenBalance) => {
    if (owner !== wallet) return;
    const before = changes.get(mint)?.amount ?? 0n;
    changes.set(mint, { mint, amount: before + sign * amount, decimals });
  };
  for (const balance of preTokenBalances) add(-1n, balance);
  for (const balance of postTokenBalances) add(1n, balance);
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}

/** The transaction only names the wallet: nothing it holds changed, and another wallet paid. */
export function isUntouched({ solChange, depositChange, tokenChanges, networkFee }: Activity): boolean {
  return networkFee === null && solChange === 0n && depositChange === 0n && tokenChanges.length === 0;
}

/** What an item's value in dollars is the sum of; amounts without a sign. */
export interface ActivityAmounts {
  lamports: bigint;
  tokens: TokenChange[];
}

/** What went into a swap, what a round-up saved, or all that left or came; null when nothing did. */
export function valuedParts(activity: Activity): ActivityAmounts | null {
  const { type, solChange, depositChange, tokenChanges, roundUp } = activity;
  const moved = solChange + depositChange;
  if (roundUp !== null) return roundUp > 0n ? { lamports: roundUp, tokens: [] } : null;
  const size = (amount: bigint) => (amount < 0n ? -amount : amount);
  if (type === "swap") {
    const lost = tokenChanges.filter(({ amount }) => amount < 0n);
    return { lamports: moved < 0n ? -moved : 0n, tokens: lost.map((one) => ({ ...one, amount: size(one.amount) })) };
  }
  if (type === "other") return null;
  return { lamports: size(moved), tokens: tokenChanges.map((one) => ({ ...one, amount: size(one.amount) })) };
}
