import type { ChainHead } from "../domain/expiry";
import type { SignatureState } from "./solana-rpc";

/** The result of one poll of a signature, shared by all callers that waited for it. */
export interface SignatureReading {
  state: SignatureState | null;
  /** The slot at which the node looked the signature up. */
  slot: number;
  /**
   * The chain's head at the same moment. Only set by polls with `searchHistory`, and null when no node answered
   * credibly.
   */
  head: ChainHead | null;
}

/**
 * Polls the signatures of all relays in flight, with one call at a time however many wait. It makes no calls while no
 * relay waits.
 */
export interface SignatureWatch {
  /**
   * Returns the result of the next poll: about `withinMs` from now, or earlier when another caller's poll is due. A
   * poll with `searchHistory` is never early. Null when the poll failed.
   */
  poll(signature: string, options: { searchHistory: boolean; withinMs: number }): Promise<SignatureReading | null>;
  /** Returns the newest slot in any answer; 0 before the first. */
  getHighestSlot(): number;
}
