import type { SystemMovement } from "../solana/system-instructions";
import { findWraps } from "./activity";
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

/** Returns whether a transaction saves at least what was built, into the service wallet that was built for. */
export const isAsBuilt = (savings: readonly SavedInto[], built: SavedInto): boolean =>
  savings.some(
    ({ serviceWallet, savedLamports, feeLamports }) =>
      serviceWallet === built.serviceWallet && savedLamports >= built.savedLamports && feeLamports >= built.feeLamports,
  );
