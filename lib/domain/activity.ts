import { NATIVE_MINT } from "../solana/programs";
import { isExactRent } from "../solana/rent";
import type { CreatedAccount, SystemMovement } from "../solana/system-instructions";
import type { TokenMovement } from "../solana/token-instructions";
import { ASSETS, isDollarMint, isKnownToken } from "./assets";
import type { SignedMark } from "./marks";
import { clampToZero } from "./money";
import type { Movement } from "./movements";
import { findWraps, type Wrap } from "./wraps";

/**
 * Decodes what a transaction did to one wallet. The decoder reads balances and ignores what programs log about
 * themselves. It reads instructions only to find the saving inside a larger transaction.
 */

export interface TokenBalance {
  /** Index of the token account in accountKeys. */
  accountIndex: number;
  mint: string;
  /** Wallet that owns the account. Null when the node does not report it. */
  owner: string | null;
  /** Base units. */
  amount: bigint;
  decimals: number;
}

/** A transaction in a format newer than this service knows. This service relays none, so it holds no mark of ours. */
export type UnsupportedTransaction = "unsupported";

/** A confirmed transaction's balances before and after it ran, and what it did. SOL amounts are lamports. */
export interface TransactionFigures {
  /** Absent if the node did not report it. */
  slot?: number;
  /** All accounts, those in lookup tables included. The first pays the network fee. The balances use the same order. */
  accountKeys: string[];
  /** 0 only for a transaction that was included and has not run (SIMD-0290). It then has no effects and no signers. */
  feeLamports: bigint;
  preBalances: bigint[];
  postBalances: bigint[];
  preTokenBalances: TokenBalance[];
  postTokenBalances: TokenBalance[];
  /** What top-level System and token instructions moved, each in order. A failed transaction did not move it. */
  movements: Movement[];
  /** Lamports that System instructions moved when programs called them (inner instructions). */
  innerMovements: SystemMovement[];
  /** Token transfers by instructions of both kinds. A failed transaction did not make them. */
  tokenMovements: TokenMovement[];
  /** Accounts that the System program created. */
  createdAccounts: CreatedAccount[];
  /** Accounts named by instructions of the stake program, including stake and vote accounts. */
  stakedAccounts: string[];
  signers: string[];
  /** Programs that ran, including those called by other programs. */
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
  /** Lamports the wallet gained or lost, without the network fee it paid. */
  solChangeLamports: bigint;
  /** Change of the rent in the wallet's own token accounts, lamports, whoever paid it. Negative when it was returned. */
  depositChangeLamports: bigint;
  /** Rent of the wallet's new token accounts that others paid, lamports. depositChangeLamports includes it. */
  rentFromOthersLamports: bigint;
  tokenChanges: TokenChange[];
  /** Network fee in lamports that the wallet paid. Null when another wallet paid, or none. */
  networkFeeLamports: bigint | null;
  /** What was saved. Null unless the type is round_up. */
  saving: Saving | null;
  /** True for a saving whose memo marks it as a top-up. */
  isTopup: boolean;
  /** The hash of the reference that a saving's memo carries, hex. Null when there is none. */
  referenceHash: string | null;
  /** The result of findPuller. */
  pulledBy: string | null;
}

/**
 * Decodes a transaction from one wallet's point of view.
 * - round_up: the wallet paid or received what POST /api/wrap builds: the fee, followed directly by a transfer. Other
 *   instructions may surround the pair. Without such a pair, a fee collector gained, and the wallet either gained SOL or
 *   lost more than the collector gained.
 * - swap: the wallet gained in one currency and lost in another.
 * - withdrawal: the wallet only lost.
 * - deposit: the wallet only gained.
 * - other: the wallet neither gained nor lost. Examples are a failed transaction and SOL that was only wrapped.
 *
 * Rent of the wallet's own token accounts is neither gain nor loss, because closing the account returns it. Nor is a coin
 * that is no known token, such as a shop's points, a gain if a delegate pulled the payment.
 */
export function decodeActivity(
  figures: TransactionFigures,
  wallet: string,
  feeCollectors: readonly string[],
): Activity {
  const { accountKeys, feeLamports } = figures;
  const isFeePayer = accountKeys[0] === wallet;
  const solChangeLamports =
    computeLamportChange(figures, accountKeys.indexOf(wallet)) + (isFeePayer ? feeLamports : 0n);
  const depositChangeLamports = computeDepositChange(figures, wallet);
  const tokenChanges = listTokenChanges(figures, wallet);
  const rentFromOthersLamports = computeRentFromOthers(figures, wallet);
  const netLamports = solChangeLamports + depositChangeLamports - rentFromOthersLamports;
  const pulledBy = findPuller(figures, wallet);
  const saving = findSaving(figures, wallet, feeCollectors, netLamports);
  return {
    type: saving ? "round_up" : classifyChanges(listChanges(netLamports, tokenChanges, pulledBy !== null)),
    solChangeLamports,
    depositChangeLamports,
    rentFromOthersLamports,
    tokenChanges,
    networkFeeLamports: isFeePayer && feeLamports > 0n ? feeLamports : null,
    saving,
    isTopup: saving !== null && figures.marks.some(({ mark }) => mark.kind === "topup"),
    referenceHash: (saving && figures.marks.find(({ mark }) => mark.kind === "ref")?.mark.value) ?? null,
    pulledBy,
  };
}

interface Saving {
  /** What the wallet paid, the fee included, or what it received: lamports, and base units of USDC. */
  lamports: bigint;
  usdc: bigint;
  /** What the fee collectors received. */
  feeLamports: bigint;
  feeUsdc: bigint;
}

/** Finds what the wallet saved or received in the transaction's wraps. Returns null if it took part in none. */
function findSaving(
  figures: TransactionFigures,
  wallet: string,
  feeCollectors: readonly string[],
  netLamports: bigint,
): Saving | null {
  const wraps = findWraps(figures.movements, feeCollectors);
  if (wraps.length === 0) {
    const feeLamports = sumCollectedFees(figures, feeCollectors, wallet);
    const hasSaved = feeLamports > 0n && (netLamports > 0n || -netLamports > feeLamports);
    return hasSaved ? { lamports: toAbsolute(netLamports), feeLamports, usdc: 0n, feeUsdc: 0n } : null;
  }
  const ownWraps = wraps.filter(({ from, to }) => from === wallet || to === wallet);
  const sumOwn = (toAmount: (wrap: Wrap) => bigint) => ownWraps.reduce((sum, wrap) => sum + toAmount(wrap), 0n);
  const usdc = sumOwn(({ from, savedUsdc, feeUsdc }) => savedUsdc + (from === wallet ? feeUsdc : 0n));
  // Lamports that came back leave nothing saved.
  if (ownWraps.length === 0 || (netLamports === 0n && usdc === 0n)) return null;
  return {
    lamports: sumOwn(({ from, savedLamports, feeLamports }) => savedLamports + (from === wallet ? feeLamports : 0n)),
    usdc,
    feeLamports: sumOwn(({ feeLamports }) => feeLamports),
    feeUsdc: sumOwn(({ feeUsdc }) => feeUsdc),
  };
}

/**
 * Lists the change of each currency. Wrapped and native SOL count as one currency.
 * @param isPulled true leaves out gains of coins that are no known tokens
 */
function listChanges(netLamports: bigint, tokenChanges: TokenChange[], isPulled: boolean): bigint[] {
  const changes = tokenChanges.filter((change) => !isPulled || change.amount < 0n || isKnownToken(change));
  const filterByNative = (isNative: boolean) => changes.filter(({ mint }) => (mint === NATIVE_MINT) === isNative);
  const wrappedLamports = filterByNative(true).reduce((sum, { amount }) => sum + amount, 0n);
  return [netLamports + wrappedLamports, ...filterByNative(false).map(({ amount }) => amount)];
}

function classifyChanges(changes: bigint[]): ActivityType {
  const hasGain = changes.some((change) => change > 0n);
  const hasLoss = changes.some((change) => change < 0n);
  if (hasGain && hasLoss) return "swap";
  if (hasLoss) return "withdrawal";
  return hasGain ? "deposit" : "other";
}

/** Returns the lamports that an account gained or lost. Returns 0 for an index outside the transaction. */
export function computeLamportChange({ preBalances, postBalances }: TransactionFigures, accountIndex: number): bigint {
  return (postBalances[accountIndex] ?? 0n) - (preBalances[accountIndex] ?? 0n);
}

/** Adds up the lamports that fee collectors other than the wallet gained. */
function sumCollectedFees(figures: TransactionFigures, feeCollectors: readonly string[], wallet: string): bigint {
  return figures.accountKeys.reduce((sum, key, index) => {
    if (key === wallet || !feeCollectors.includes(key)) return sum;
    return sum + clampToZero(computeLamportChange(figures, index));
  }, 0n);
}

/** Returns the change of rent in the wallet's own token accounts, lamports. Wrapped SOL does not count as rent. */
function computeDepositChange(figures: TransactionFigures, wallet: string): bigint {
  const accounts = new Set(listOwnBalances(figures, wallet).map(({ accountIndex }) => accountIndex));
  const lamports = [...accounts].reduce((sum, index) => sum + computeLamportChange(figures, index), 0n);
  return lamports - computeWrappedChange(figures, wallet);
}

/**
 * Returns the rent of the wallet's new token accounts that others paid, lamports. A payer that did not lose it may have
 * passed on the wallet's lamports. Only an exact rent counts, because lamports above it are a gain.
 */
function computeRentFromOthers(figures: TransactionFigures, wallet: string): bigint {
  const { accountKeys, preBalances, postTokenBalances, movements, innerMovements } = figures;
  return postTokenBalances.reduce((sum, { owner, accountIndex, mint, amount }) => {
    if (owner !== wallet || preBalances[accountIndex] !== 0n) return sum;
    const rentLamports = computeLamportChange(figures, accountIndex) - (mint === NATIVE_MINT ? amount : 0n);
    const paidLamports = [...movements, ...innerMovements]
      .filter(({ from, to }) => from !== wallet && to === accountKeys[accountIndex])
      .filter(({ from, lamports }) => computeLamportChange(figures, accountKeys.indexOf(from)) <= -lamports)
      .reduce((total, { lamports }) => total + lamports, 0n);
    return paidLamports >= rentLamports && isExactRent(rentLamports) ? sum + rentLamports : sum;
  }, 0n);
}

/**
 * Returns who moved dollar tokens out of the wallet's token accounts although the wallet did not sign: the delegate of
 * such an account, or null if none did. A mint's permanent delegate counts too.
 */
export function findPuller(figures: TransactionFigures, wallet: string): string | null {
  const { accountKeys, signers, preTokenBalances, postTokenBalances, tokenMovements } = figures;
  if (signers.includes(wallet)) return null;
  const sources = preTokenBalances.flatMap(({ accountIndex, mint, owner, amount }) => {
    const amountAfter = postTokenBalances.find((balance) => balance.accountIndex === accountIndex)?.amount ?? 0n;
    return owner === wallet && isDollarMint(mint) && amountAfter < amount ? accountKeys[accountIndex]! : [];
  });
  const pull = tokenMovements.find(({ source, authority }) => authority !== wallet && sources.includes(source));
  return pull?.authority ?? null;
}

/** Returns the change of a token in all of a wallet's accounts, base units. */
export const computeTokenChange = (figures: TransactionFigures, wallet: string, token: string): bigint =>
  listTokenChanges(figures, wallet).find(({ mint }) => mint === token)?.amount ?? 0n;

/** Returns the change of the wrapped SOL in a wallet's token accounts, lamports. */
export const computeWrappedChange = (figures: TransactionFigures, wallet: string): bigint =>
  computeTokenChange(figures, wallet, NATIVE_MINT);

/** Lists the token balances that the wallet owned before the transaction, and those it owned after it. */
export const listOwnBalances = ({ preTokenBalances, postTokenBalances }: TransactionFigures, wallet: string) =>
  [...preTokenBalances, ...postTokenBalances].filter(({ owner }) => owner === wallet);

/** Sums changes by mint, in transaction order. An account counts as empty at a time when the wallet did not own it. */
function listTokenChanges({ preTokenBalances, postTokenBalances }: TransactionFigures, wallet: string): TokenChange[] {
  const changes = new Map<string, TokenChange>();
  const addBalance = (sign: bigint, { mint, owner, amount, decimals }: TokenBalance) => {
    if (owner !== wallet) return;
    const previousAmount = changes.get(mint)?.amount ?? 0n;
    changes.set(mint, { mint, amount: previousAmount + sign * amount, decimals });
  };
  for (const balance of preTokenBalances) addBalance(-1n, balance);
  for (const balance of postTokenBalances) addBalance(1n, balance);
  return [...changes.values()].filter(({ amount }) => amount !== 0n);
}

/** Returns whether the transaction only mentions the wallet: no balance changed, and another wallet paid the fee. */
export function isWalletUntouched(activity: Activity): boolean {
  const { solChangeLamports, depositChangeLamports, tokenChanges, networkFeeLamports } = activity;
  const isUnchanged = solChangeLamports === 0n && depositChangeLamports === 0n && tokenChanges.length === 0;
  return isUnchanged && networkFeeLamports === null;
}

const toAbsolute = (amount: bigint) => (amount < 0n ? -amount : amount);

/** Amounts of SOL and tokens. None is negative. */
export interface ActivityAmounts {
  lamports: bigint;
  tokens: TokenChange[];
}

/** Returns a swap's input, a saving's savings, or all that left or arrived. Returns null when there is no amount. */
export function findValuedAmounts(activity: Activity): ActivityAmounts | null {
  const { type, solChangeLamports, depositChangeLamports, rentFromOthersLamports, tokenChanges, saving } = activity;
  const giftLamports = type === "deposit" ? 0n : rentFromOthersLamports;
  const netLamports = solChangeLamports + depositChangeLamports - giftLamports;
  if (saving) {
    const { mint, decimals } = ASSETS.USDC;
    const tokens = saving.usdc > 0n ? [{ mint, amount: saving.usdc, decimals }] : [];
    return saving.lamports + saving.usdc > 0n ? { lamports: saving.lamports, tokens } : null;
  }
  if (type === "other") return null;
  const isValued = (amount: bigint) => type !== "swap" || amount < 0n;
  return {
    lamports: isValued(netLamports) ? toAbsolute(netLamports) : 0n,
    tokens: tokenChanges.flatMap((change) =>
      isValued(change.amount) ? { ...change, amount: toAbsolute(change.amount) } : [],
    ),
  };
}
