import type { ChainHead } from "../domain/expiry";
import type { SignatureState } from "./solana-rpc";

/** One look at a signature, shared with everybody who waited for one. */
export interface SignatureReading {
  state: SignatureState | null;
  /** Of the view it was looked up in. */
  slot: number;
  /** Of the same moment, with a look into the history only; null when no node could be believed. */
  head: ChainHead | null;
}

/** Looks at the signatures of all relays in flight: one call at a moment, however many wait. It rests when nobody does. */
export interface SignatureWatch {
  /**
   * The next look at a signature: about `withinMs` from now, earlier when others wait for theirs. Null when it failed.
   * A look into the history is never earlier.
   */
  poll(signature: string, options: { searchHistory: boolean; withinMs: number }): Promise<SignatureReading | null>;
  /** Newest slot seen in any answer; 0 before the first. */
  highestSlot(): number;
}
