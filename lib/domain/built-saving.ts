import { computeTokenChange, type TransactionFigures } from "./activity";
import { ASSETS } from "./assets";
import { clampToZero } from "./money";
import { type Movement, readUsdc } from "./movements";
import { findWraps } from "./wraps";

/** What a wallet saves into one service wallet, and the service fee that it pays in the same transaction. */
export interface SavedInto {
  serviceWallet: string;
  savedLamports: bigint;
  feeLamports: bigint;
  /** Base units. */
  savedUsdc: bigint;
  feeUsdc: bigint;
}

/**
 * Adds up what a wallet saves in a transaction, for each service wallet. What the service wallet sends on in the
 * same transaction is not saved.
 * @param movements the transaction's top-level transfers
 */
export function listSavedInto(movements: Movement[], wallet: string, feeCollectors: readonly string[]): SavedInto[] {
  const wraps = findWraps(movements, feeCollectors).filter(({ from }) => from === wallet);
  const sumOf = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);
  return [...new Set(wraps.map(({ to }) => to))].map((serviceWallet) => {
    const ownWraps = wraps.filter(({ to }) => to === serviceWallet);
    const sentOn = movements.filter(({ from }) => from === serviceWallet);
    const sumWraps = (name: keyof Omit<SavedInto, "serviceWallet">) => sumOf(ownWraps.map((wrap) => wrap[name]));
    return {
      serviceWallet,
      savedLamports: clampToZero(sumWraps("savedLamports") - sumOf(sentOn.map(({ lamports }) => lamports))),
      feeLamports: sumWraps("feeLamports"),
      savedUsdc: clampToZero(sumWraps("savedUsdc") - sumOf(sentOn.map((movement) => readUsdc(movement) ?? 0n))),
      feeUsdc: sumWraps("feeUsdc"),
    };
  });
}

/**
 * Adds up what a wallet saves in a landed transaction. What another program takes from the service wallet in the same
 * transaction is not saved either. A transaction with several marks of the wallet saves for none of them:
 * otherwise one saving would pay several orders.
 */
export function listLandedSavings(
  figures: TransactionFigures,
  wallet: string,
  feeCollectors: readonly string[],
): SavedInto[] {
  if (figures.marks.filter((mark) => mark.wallet === wallet).length > 1) return [];
  return listSavedInto(figures.movements, wallet, feeCollectors).map((saving) => {
    const index = figures.accountKeys.indexOf(saving.serviceWallet);
    const change = (figures.postBalances[index] ?? 0n) - (figures.preBalances[index] ?? 0n);
    const usdcChange = computeTokenChange(figures, saving.serviceWallet, ASSETS.USDC.mint);
    return {
      ...saving,
      savedLamports: clampToZero(pickSmaller(change, saving.savedLamports)),
      savedUsdc: clampToZero(pickSmaller(usdcChange, saving.savedUsdc)),
    };
  });
}

/** Returns whether a transaction saves at least what was built, into the service wallet that was built for. */
export const isAsBuilt = (savings: readonly SavedInto[], built: SavedInto): boolean =>
  savings.some(
    (saving) => saving.serviceWallet === built.serviceWallet && AMOUNTS.every((name) => saving[name] >= built[name]),
  );

const AMOUNTS = ["savedLamports", "feeLamports", "savedUsdc", "feeUsdc"] as const;
const pickSmaller = (left: bigint, right: bigint) => (left < right ? left : right);
