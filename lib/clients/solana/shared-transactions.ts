import type { UnsupportedTransaction } from "../../domain/activity";
import { STORE_KEYS } from "../../domain/store-keys";
import { createSharedValues, type SharedKv } from "../store/shared-values";
import { TransactionAnswer, toTransactionFigures } from "./transaction-history";

/** Finality takes about 32 slots. The margin covers skipped slots, and a node that reports a slot too far ahead. */
export const SLOTS_UNTIL_FINAL = 300;

/** Instances share a node's answer once it is final. Each decodes it itself, because their versions may differ. */
export function createSharedTransactionReader(kv: SharedKv, getNewestSlot: () => number) {
  const sharedAnswers = createSharedValues({ kv, family: STORE_KEYS.transaction, schema: TransactionAnswer });
  return async (signature: string, readAnswer: () => Promise<TransactionAnswer | UnsupportedTransaction>) => {
    const storedAnswer = await sharedAnswers.read(signature);
    if (storedAnswer) return toTransactionFigures(storedAnswer);
    const answer = await readAnswer();
    if (answer === "unsupported") return answer;
    // Decoded before it is written: an answer that no instance can use must not be shared.
    const figures = toTransactionFigures(answer);
    const isFinal = answer?.slot != null && answer.slot + SLOTS_UNTIL_FINAL <= getNewestSlot();
    if (figures && isFinal) await sharedAnswers.write(signature, answer);
    return figures;
  };
}
