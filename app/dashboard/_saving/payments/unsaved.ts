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

export interface Unsaved {
  /** Newest first, of what one signature saves; null when there are more than can be listed: then it is all or nothing. */
  payments: UnsavedPayment[] | null;
  count: number;
  /** USD that is saved. */
  changeUsd: number;
  /** USD, oldest first, without those left out. */
  purchases: number[];
  through: string;
  /** What was saved when these were listed, as a saving names it. */
  after: string;
  /** USD of the largest single saving. */
  largestUsd: number;
  /** Payments that a next signature saves. */
  afterwards: number;
}

/**
 * What one signature would save of a wallet's payments: of the oldest batch with change, those without are passed over.
 * @param leftOut signatures of payments that are not to be saved, ever: the mark goes on past them
 * @returns null when there is nothing to save from
 */
export function unsavedOf(spending: Spending, terms: Terms, leftOut: ReadonlySet<string>): Unsaved | null {
  const { batches, savedThrough } = spending;
  const changeOf = (usd: number) => previewRoundUp(usd, terms).roundUpUsd;
  const first = batches.findIndex(({ txValuesUsd }) => txValuesUsd.some((usd) => changeOf(usd) > 0));
  const [batch, ...next] = batches.slice(Math.max(0, first));
  if (!batch) return null;
  const listed = paymentsOf(spending, terms);
  const taken = listed?.filter(({ txSignature }) => !leftOut.has(txSignature)).reverse();
  const purchases = taken?.map(({ paidUsd }) => paidUsd) ?? batch.txValuesUsd;
  const savings = purchases.map(changeOf);
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

/** The batch's own values beside the payments they are of; items may be newer than what could be valued. */
function paymentsOf({ batches, items, nextBefore }: Spending, terms: Terms): UnsavedPayment[] | null {
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
