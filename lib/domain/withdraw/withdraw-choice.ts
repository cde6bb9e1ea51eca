import { assetOfMint } from "../assets";
import type { Found } from "./withdraw-moves";
import { type Source, type Stuck, type Target, targetKey } from "./withdrawal";

/**
 * Which token accounts a withdrawal empties. Anybody can open token accounts in a wallet's name and keep the right to
 * close them, so a token that is no supported asset never costs the wallet more than it returns.
 */
export interface Choice {
  sources: Source[];
  /** Tokens that could be sent and stay, each with the reason. */
  leftBehind: Stuck[];
  /** Whether emptied token accounts are closed. */
  closes: boolean;
}

const COSTS_MORE =
  "The destination has no account for it, and opening one costs more SOL than closing this one returns.";
const NO_SOL = "The wallet's SOL cannot pay for sending it.";
const ONLY_ASSETS = "This build sends supported assets only, because an earlier one was refused.";

/**
 * The ways to empty these accounts, the most complete first. Each later one needs less SOL on the way.
 * @param amount base units in all, of one supported asset; null: everything
 * @param keepRentMinimum prefers ways that cannot fail when SOL or tokens arrive before they land
 */
export function choicesOf(found: Found, amount: bigint | null, keepRentMinimum: boolean): Choice[] {
  const { sources, targets } = found;
  const costs = costsOf(sources, targets);
  const everything = { sources, leftBehind: [], closes: true };
  const isCovered = (one: Source) => one.amount === 0n || one.native || !costs.has(targetKey(one));
  const isFree = (one: Source) =>
    one.amount === 0n || (one.closable && (targets.get(targetKey(one))?.openingLamports ?? null) === null);
  if (keepRentMinimum) {
    const assets = { ...without(everything, isAsset, ONLY_ASSETS), closes: false };
    const kept = amount === null ? [assets, without(assets, isCovered, NO_SOL)] : [assets];
    return [...kept, ...kept.map((choice) => ({ ...choice, closes: true }))];
  }
  if (amount !== null) return [everything];
  const worthwhile = without(everything, (one) => isAsset(one) || isCovered(one), COSTS_MORE);
  const cheap = without(worthwhile, (one) => isAsset(one) || isFree(one), NO_SOL);
  return [worthwhile, cheap, without(cheap, isCovered, NO_SOL)];
}

export const isAsset = ({ mint }: { mint: string }) => assetOfMint(mint) !== null;

/** The tokens whose account at the destination costs more than closing their accounts here returns, by targetKey. */
function costsOf(sources: Source[], targets: Map<string, Target>): Set<string> {
  const balances = new Map<string, bigint>();
  for (const one of sources) {
    if (one.amount === 0n || one.native) continue;
    const key = targetKey(one);
    const before = balances.get(key) ?? -(targets.get(key)?.openingLamports ?? 0n);
    balances.set(key, before + (one.closable ? one.lamports : 0n));
  }
  return new Set([...balances].flatMap(([key, balance]) => (balance < 0n ? [key] : [])));
}

/** Keeps the sources that pass, and leaves the others behind. */
function without(choice: Choice, passes: (source: Source) => boolean, reason: string): Choice {
  const left = choice.sources.filter((one) => !passes(one) && one.amount > 0n);
  const stuck = left.map(({ mint, amount, decimals }) => ({ mint, amount, decimals, reason }));
  return { ...choice, sources: choice.sources.filter(passes), leftBehind: [...choice.leftBehind, ...stuck] };
}
