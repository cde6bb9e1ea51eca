import type { ChainHead } from "../domain/expiry";
import type { SignatureState } from "./solana-rpc";

/** The result of one poll of a signature, shared by all callers that waited for it. */
export interface SignatureReading {
  /** Null when the node does not know the signature. */
  state: SignatureState | null;
  /** The slot at which the node looked the signature up. */
  slot: number;
  /** The chain's head at the same moment. Null without `searchHistory`, and when no node returned a credible head. */
  head: ChainHead | null;
}

/** Polls the signatures of all relays in flight. Waiting relays share calls. */
export interface SignatureWatch {
  /**
   * Returns the result of a poll about `withinMs` from now, or null when the poll fails. Returns earlier if another
   * caller's poll shows that the transaction has landed. A poll with `searchHistory` is never early.
   */
  poll(signature: string, options: { searchHistory: boolean; withinMs: number }): Promise<SignatureReading | null>;
  /** Returns the newest slot in any answer; 0 before the first. */
  getHighestSlot(): number;
}
