import type { TransactionFigures } from "../../domain/activity";
import type { KvStore } from "../../ports/kv-store";
import { createSharedValues } from "../store/shared-values";
import { decodeTransaction, TransactionAnswer } from "./transaction-history";

/** How long the store keeps a transaction, ms. The nodes' quota limits how many are read in this time. */
const KEPT_MS = 2 * 60_000;

/**
 * A transaction is final about 32 slots after its own. The margin covers skipped slots, and one node that reports a
 * newest slot too far ahead.
 */
export const FINAL_SLOTS = 300;

/**
 * Returns a function that shares a node's answers about transactions between instances, once they are final and cannot
 * change. Each instance decodes them itself, so an older version of this program cannot drop a field that a newer
 * version needs.
 * @param newestSlot returns the newest known slot
 */
export function createSharedTransactions(kv: Pick<KvStore, "get" | "set">, newestSlot: () => number) {
  const values = createSharedValues({ kv, name: "transaction", shape: TransactionAnswer, keptMs: KEPT_MS });
  return async (signature: string, read: () => Promise<TransactionAnswer>): Promise<TransactionFigures | null> => {
    const stored = await values.read(signature);
    if (stored) return decodeTransaction(stored);
    const answer = await read();
    // Decoded before it is written: an answer that no instance can use must not be shared.
    const figures = decodeTransaction(answer);
    const isFinal = answer?.slot != null && answer.slot + FINAL_SLOTS <= newestSlot();
    if (figures && isFinal) await values.write(signature, answer);
    return figures;
  };
}
