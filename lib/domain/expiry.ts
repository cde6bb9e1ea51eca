/**
 * When a transaction can land no more. The one word that makes a client build and pay anew, so it rests on what any
 * node's answer proves, never on what two answers together suggest.
 *
 * Assumed of the network: at most one block a slot; a fork is no longer than MARGIN_BLOCKS; what landed is in the history
 * of a node whose own slot is MARGIN_BLOCKS past it. Of a node: the slot in an answer is that of the view it answered
 * from. Of a load balancer, and only for a blockhash that was not handed out here and that no node asked still takes: at its
 * first posting one of the answers seen was of the newest slots. What it was behind is taken off the margin; off all 32,
 * a node that also forgets what is not rooted yet could deny what has just landed.
 */

/** Blocks a blockhash can be used for after its own. Source: MAX_PROCESSING_AGE, solana-clock. */
export const BLOCKHASH_BLOCKS = 150;
/** Blocks after which one is rooted and in the history for good. Source: MAX_LOCKOUT_HISTORY + 1, solana-vote-interface. */
export const MARGIN_BLOCKS = 32;

/** A slot and the block height at it, of one moment and one node. */
export type ChainHead = {
  slot: number;
  height: number;
};

export type ExpiryBound = {
  /** Height of the last block that can hold the transaction, or a later one. */
  lastValidBlockHeight: number;
  /** Seen where lastValidBlockHeight comes from: a height is only compared with it when it fits this one. */
  frame: ChainHead;
};

/** Whether both can be of one chain: heights never go faster than slots, and never back. */
export function fits(a: ChainHead, b: ChainHead): boolean {
  const [first, second] = a.slot <= b.slot ? [a, b] : [b, a];
  const blocks = second.height - first.height;
  return blocks >= 0 && blocks <= second.slot - first.slot;
}

/** Whether a node at `slot` can be past the bound, however few slots were skipped since the frame. */
export function mayBePast({ lastValidBlockHeight, frame }: ExpiryBound, slot: number): boolean {
  return frame.height + Math.max(0, slot - frame.slot) > lastValidBlockHeight + MARGIN_BLOCKS;
}

/** Whether a node at `slot` is past the bound by the margin for certain; `head` is any moment of the same chain. */
export function isPast({ lastValidBlockHeight, frame }: ExpiryBound, slot: number, head: ChainHead): boolean {
  const atLeast = head.height - Math.max(0, head.slot - slot);
  return fits(frame, head) && atLeast > lastValidBlockHeight + MARGIN_BLOCKS;
}

/** For a blockhash nobody here handed out: it cannot be younger than the newest block seen at `highestSlot`. */
export function boundAtFirstPosting(head: ChainHead, highestSlot: number): ExpiryBound {
  const highest = head.height + Math.max(0, highestSlot - head.slot);
  return { lastValidBlockHeight: highest + BLOCKHASH_BLOCKS, frame: head };
}
