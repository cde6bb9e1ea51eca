import type { SystemMovement } from "../solana/system-instructions";
import { findWraps, type TransactionFigures } from "./activity";
import { clampToZero } from "./money";

/** Lamports that a wallet saves into one service wallet, and the service fee that it pays in the same transaction. */
export interface SavedInto {
  serviceWallet: string;
  savedLamports: bigint;
  feeLamports: bigint;
}

/**
 * Adds up what a wallet saves in a transaction, for each service wallet. Lamports that the service wallet sends on in
 * the same transaction are not saved.
 * @param movements the transaction's top-level transfers
 */
export function listSavedInto(
  movements: SystemMovement[],
  wallet: string,
  feeCollectors: readonly string[],
): SavedInto[] {
  const wraps = findWraps(movements, feeCollectors).filter(({ from }) => from === wallet);
  const sumOf = (amounts: bigint[]) => amounts.reduce((sum, amount) => sum + amount, 0n);
  return [...new Set(wraps.map(({ to }) => to))].map((serviceWallet) => {
    const ownWraps = wraps.filter(({ to }) => to === serviceWallet);
    const sentOn = movements.filter(({ from }) => from === serviceWallet);
    const received = sumOf(ownWraps.map(({ savedLamports }) => savedLamports));
    return {
      serviceWallet,
      savedLamports: clampToZero(received - sumOf(sentOn.map(({ lamports }) => lamports))),
      feeLamports: sumOf(ownWraps.map(({ feeLamports }) => feeLamports)),
    };
  });
}

/**
 * Adds up what a wallet saves in a landed transaction. Lamports that another program takes from the service wallet in
 * the same transaction are not saved either. A transaction with several marks of the wallet saves for none of them:
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
    const change = clampToZero((figures.postBalances[index] ?? 0n) - (figures.preBalances[index] ?? 0n));
    return { ...saving, savedLamports: change < saving.savedLamports ? change : saving.savedLamports };
  });
}

/** Returns whether a transaction saves at least what was built, into the service wallet that was built for. */
export const isAsBuilt = (savings: readonly SavedInto[], built: SavedInto): boolean =>
  savings.some(
    ({ serviceWallet, savedLamports, feeLamports }) =>
      serviceWallet === built.serviceWallet && savedLamports >= built.savedLamports && feeLamports >= built.feeLamports,
  );
