/** Gives a place back. Further calls do nothing. */
export type ReleasePlace = () => void;

/** Limits what one caller, an address or a static key, holds at a time. */
export interface Places {
  /**
   * Takes a place for a transaction without an outcome. A transaction has one place, which its first poster holds until
   * everybody who took it has given it back.
   * @param isKnown takes the place beyond the limit, too
   * @returns null when the caller holds as many places as it may
   */
  takeForTransaction(txSignature: string, isKnown?: boolean): ReleasePlace | null;
  /** Takes a place for a call that waits for an event. Returns null when none is free, or as above. */
  takeForWait(): ReleasePlace | null;
}
