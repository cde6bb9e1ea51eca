import type { Spending } from "@/app/_client/queries/overview";
import { NOTHING_SAVED } from "@/lib/domain/marks";
import { roundToMicro } from "@/lib/domain/money";
import { previewRoundUp, type RoundUpPreview, type Terms } from "@/lib/sdk/preview-round-up";

export interface UnsavedPayment {
  txSignature: string;
  time: string | null;
  /** USD */
  paidUsd: number;
  result: RoundUpPreview;
}

export interface NextSave {
  /**
   * The payments that one signature saves, newest first. Null when they cannot all be listed; then the batch is saved
   * as a whole or not at all.
   */
  payments: UnsavedPayment[] | null;
  count: number;
  /** USD to be saved. */
  changeUsd: number;
  /** USD amounts, oldest first, without the excluded payments. */
  purchases: number[];
  through: string;
  /** The last saved payment when these were listed. The save request names it. */
  after: string;
  /** USD of the largest single round-up. */
  largestUsd: number;
  /** Number of payments left for the next signature. */
  afterwards: number;
}

/**
 * Returns what one signature would save: the oldest batch with change. Batches without change are skipped.
 * @param leftOut signatures of permanently excluded payments; the mark moves past them
 * @returns null when there is nothing to save
 */
export function planNextSave(spending: Spending, terms: Terms, leftOut: ReadonlySet<string>): NextSave | null {
  const { batches, savedThrough } = spending;
  const computeChange = (usd: number) => previewRoundUp(usd, terms).roundUpUsd;
  const first = batches.findIndex(({ txValuesUsd }) => txValuesUsd.some((usd) => computeChange(usd) > 0));
  const [batch, ...next] = batches.slice(Math.max(0, first));
  if (!batch) return null;
  const listed = listPayments(spending, terms);
  const taken = listed?.filter(({ txSignature }) => !leftOut.has(txSignature)).reverse();
  const purchases = taken?.map(({ paidUsd }) => paidUsd) ?? batch.txValuesUsd;
  const savings = purchases.map(computeChange);
  return {
    payments: listed,
    count: purchases.length,
    changeUsd: roundToMicro(savings.reduce((sum, usd) => sum + usd, 0)),
    purchases,
    through: batch.through,
    after: savedThrough ?? NOTHING_SAVED,
    largestUsd: Math.max(0, ...savings),
    afterwards: next.reduce((sum, { txValuesUsd }) => sum + txValuesUsd.length, 0),
  };
}

/** Pairs each payment with its value from the batch. `items` may contain newer payments without a value. */
function listPayments({ batches, items, nextBefore }: Spending, terms: Terms): UnsavedPayment[] | null {
  const [batch] = batches;
  const newest = items.findIndex(({ txSignature }) => txSignature === batch!.through);
  const own = newest < 0 ? [] : items.slice(newest);
  const values = [...batch!.txValuesUsd].reverse();
  if (batches.length > 1 || nextBefore !== null || own.length !== values.length) return null;
  return own.map(({ txSignature, time }, i) => ({
    txSignature,
    time,
    paidUsd: values[i]!,
    result: previewRoundUp(values[i]!, terms),
  }));
}
