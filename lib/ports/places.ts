/** Gives a place back. Further calls do nothing. */
export type ReleasePlace = () => void;

/** Shares this process among its callers. Limits what one caller, an address or a static key, holds at a time. */
export interface Places {
  /**
   * Waits for the caller's turn of the process's CPU, before work of a millisecond or more. Returns undefined if no
   * other caller waits.
   * @throws AppError upstream_unavailable when the turn does not come in time
   */
  takeTurn(): Promise<void> | undefined;
  /**
   * Takes a place for a transaction without an outcome. A transaction has one place, which its first poster holds until
   * everybody who took it has given it back. Beyond the limit, a fee payer without any place gets one of as many more.
   * Other wallets behind the same address or key can then not stop an owner from leaving.
   * @param isKnown takes the place whatever the caller holds
   * @returns null when the caller holds as many places as it may
   */
  takeForTransaction(txSignature: string, payer: string, isKnown?: boolean): ReleasePlace | null;
  /** Takes a place for a call that waits for an event. Returns null when none is free, or as above. */
  takeForWait(): ReleasePlace | null;
}
