/**
 * Decides when a transaction can no longer land. A client then builds and pays again, so a wrong answer pays twice.
 * Each decision must therefore follow from a single node's answer, never from two answers combined.
 *
 * Assumptions about the network: a slot holds at most one block. A fork is at most MARGIN_BLOCKS long. A transaction
 * that landed is in the history of any node whose slot is MARGIN_BLOCKS past it. While a cluster migrates to Alpenglow,
 * it drops longer forks, and heights step back. Those forks hold votes only, and nodes report no block of them as
 * confirmed (source: agave, votor-messages/src/migration.rs). Two readings on different chains never prove an expiry
 * together (`mayShareChain`). Assumption about a node: the slot in
 * an answer belongs to the view that produced the answer. Assumption about a load balancer: when a transaction is first
 * posted, one of the answers came from a node at the newest slots. This matters only for a blockhash that this service
 * did not hand out and that no asked node still accepts. Any lag of that answer reduces the margin. A lag of all 32
 * blocks could hide a transaction that has just landed, if the node also drops blocks that are not rooted yet.
 */

/** Number of blocks after its own for which a blockhash is valid. Source: MAX_PROCESSING_AGE, solana-clock. */
export const BLOCKHASH_BLOCKS = 150;
/** Blocks until a block is rooted and stays in the history. Source: MAX_LOCKOUT_HISTORY + 1, solana-vote-interface. */
export const MARGIN_BLOCKS = 32;

/** A slot and its block height, from one answer of one node. */
export type ChainHead = {
  slot: number;
  height: number;
};

export type ExpiryBound = {
  /** Height of the last block that can contain the transaction, or a later height. */
  lastValidBlockHeight: number;
  /** The head that was read together with lastValidBlockHeight. Only heights of this head's chain are comparable. */
  frame: ChainHead;
};

/** Blocks that a sent transaction may take to land: the slots of one leader. Source: NUM_CONSECUTIVE_LEADER_SLOTS. */
const LANDING_BLOCKS = 4;
/** Returns how many blocks pass until a transaction lands that waits for its send. @param waitMs how long it waits, ms */
export const computeBlocksUntilLanding = (waitMs: number, slotMs: number): number =>
  LANDING_BLOCKS + Math.ceil(waitMs / slotMs);

/** The newest known slot, and the measured time of a slot, ms. */
export type SlotTime = { newestSlot: number; slotMs: number };

/**
 * Returns how long transactions on a blockhash remain valid, ms. Assumes that no slot since its own was skipped, so the
 * real time is not shorter unless slots become faster.
 * @param slot the blockhash's own slot
 */
export function computeValidForMs(
  { lastValidBlockHeight, slot }: { lastValidBlockHeight: number; slot: number },
  { newestSlot, slotMs }: SlotTime,
): number {
  const frame = { slot, height: lastValidBlockHeight - BLOCKHASH_BLOCKS };
  const blocksLeft = lastValidBlockHeight - computeHighestHeight(frame, newestSlot);
  return Math.floor(Math.max(0, blocksLeft) * slotMs);
}

/** Returns the height at a slot if no slot since `frame` was skipped. The real height is not above it. */
export const computeHighestHeight = (frame: ChainHead, slot: number): number =>
  frame.height + Math.max(0, slot - frame.slot);

/** Returns whether two heads can belong to one chain: the height never grows faster than the slot and never shrinks. */
export function mayShareChain(headA: ChainHead, headB: ChainHead): boolean {
  const [earlierHead, laterHead] = headA.slot <= headB.slot ? [headA, headB] : [headB, headA];
  const heightDifference = laterHead.height - earlierHead.height;
  return heightDifference >= 0 && heightDifference <= laterHead.slot - earlierHead.slot;
}

/** Returns whether a node at `slot` may be past the bound plus margin. Assumes that no slot since `frame` was skipped. */
export function mayBePastBound({ lastValidBlockHeight, frame }: ExpiryBound, slot: number): boolean {
  return computeHighestHeight(frame, slot) > lastValidBlockHeight + MARGIN_BLOCKS;
}

/** Returns whether a node at `slot` is certainly past the bound plus margin. @param head any head of the same chain */
export function isCertainlyPastBound(
  { lastValidBlockHeight, frame }: ExpiryBound,
  slot: number,
  head: ChainHead,
): boolean {
  const minimumHeight = head.height - Math.max(0, head.slot - slot);
  return mayShareChain(frame, head) && minimumHeight > lastValidBlockHeight + MARGIN_BLOCKS;
}

/**
 * Bounds the expiry of a transaction whose blockhash is unknown. When the transaction is posted, its blockhash is at
 * most as new as the newest block known at `highestSlot`.
 */
export function computeFirstPostingBound(head: ChainHead, highestSlot: number): ExpiryBound {
  return { lastValidBlockHeight: computeHighestHeight(head, highestSlot) + BLOCKHASH_BLOCKS, frame: head };
}
