import { type FoundAccounts, isAsset } from "./withdraw-moves";
import { type Source, type StuckTokens, type Target, toTargetKey } from "./withdrawal";

/**
 * Chooses the token accounts that a withdrawal empties. Anyone can open token accounts in a wallet's name and keep the
 * right to close them. An unsupported token must therefore never cost the wallet more than it returns.
 */

/** The token accounts that a withdrawal empties, and the tokens that it leaves. */
export interface Choice {
  sources: Source[];
  /** Tokens that could be sent but stay behind, with the reason. */
  leftBehind: StuckTokens[];
  /** Whether the withdrawal closes the token accounts it empties. */
  closes: boolean;
}

const COSTS_MORE =
  "The destination has no account for it, and opening one costs more SOL than closing this one returns.";
const NO_SOL = "The wallet's SOL cannot pay for sending it.";
const ONLY_ASSETS = "This build sends supported assets only, because an earlier one was refused.";

/**
 * Lists the ways to empty these accounts, the most complete first. Each later choice needs less SOL to execute.
 * @param amount total base units of one supported asset; null for everything
 * @param keepRentMinimum prefers choices that still land when SOL or tokens arrive in the wallet first
 */
export function listChoices(found: FoundAccounts, amount: bigint | null, keepRentMinimum: boolean): Choice[] {
  const { sources, targets } = found;
  const costs = findCostlyTargets(sources, targets);
  const everything = { sources, leftBehind: [], closes: true };
  // Sending it costs no more than closing its accounts returns.
  const isCovered = (source: Source) => source.amount === 0n || source.native || !costs.has(toTargetKey(source));
  // Sending it opens no account, and closing its account returns the deposit.
  const isFree = (source: Source) =>
    source.amount === 0n || (source.closable && (targets.get(toTargetKey(source))?.openingLamports ?? null) === null);
  if (keepRentMinimum) {
    const assets = { ...leaveBehind(everything, isAsset, ONLY_ASSETS), closes: false };
    const kept = amount === null ? [assets, leaveBehind(assets, isCovered, NO_SOL)] : [assets];
    return [...kept, ...kept.map((choice) => ({ ...choice, closes: true }))];
  }
  if (amount !== null) return [everything];
  const worthwhile = leaveBehind(everything, (source) => isAsset(source) || isCovered(source), COSTS_MORE);
  const cheap = leaveBehind(worthwhile, (source) => isAsset(source) || isFree(source), NO_SOL);
  return [worthwhile, cheap, leaveBehind(cheap, isCovered, NO_SOL)];
}

/** Returns the targetKeys of tokens whose new account at the destination costs more than closing sources returns. */
function findCostlyTargets(sources: Source[], targets: Map<string, Target>): Set<string> {
  const balances = new Map<string, bigint>();
  for (const source of sources) {
    if (source.amount === 0n || source.native) continue;
    const key = toTargetKey(source);
    const before = balances.get(key) ?? -(targets.get(key)?.openingLamports ?? 0n);
    balances.set(key, before + (source.closable ? source.lamports : 0n));
  }
  return new Set([...balances].flatMap(([key, balance]) => (balance < 0n ? [key] : [])));
}

/** Returns a choice of the sources that pass. The others are left behind with a reason. */
function leaveBehind(choice: Choice, passes: (source: Source) => boolean, reason: string): Choice {
  const left = choice.sources.filter((source) => !passes(source) && source.amount > 0n);
  const stuck = left.map(({ mint, amount, decimals }) => ({ mint, amount, decimals, reason }));
  return { ...choice, sources: choice.sources.filter(passes), leftBehind: [...choice.leftBehind, ...stuck] };
}
