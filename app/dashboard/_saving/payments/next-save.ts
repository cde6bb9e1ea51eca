import type { Spending } from "@/app/_client/queries/overview";
import { NOTHING_SAVED } from "@/lib/domain/marks";
import { roundToMicro } from "@/lib/domain/money";
import { roundEachToAddUp } from "@/lib/domain/shown-sum";
import { type PreviewTerms, previewRoundUp, type RoundUpPreview } from "@/lib/sdk/preview-round-up";

type ListedFields = Pick<Spending["items"][number], "txSignature" | "time" | "pulled">;

interface ListedPayment extends ListedFields {
  paidUsd: number;
  preview: RoundUpPreview;
}

export interface UnsavedPayment extends ListedPayment {
  /** USD to display as the change. The included payments add up to the displayed `changeUsd`. */
  shownChangeUsd: number;
}

export interface NextSave {
  /**
   * The payments that one signature saves, newest first. Null when not all of them can be listed. The batch is then
   * saved as a whole or not at all.
   */
  payments: UnsavedPayment[] | null;
  /** USD to be saved in all. */
  changeUsd: number;
  /** USD amounts of the payments whose change is saved, oldest first. */
  purchasesUsd: number[];
  /** Signature of the batch's last payment. The saving's mark names it. */
  through: string;
  /** Signature of the last payment that was saved when these were listed. The save request names it. */
  after: string;
  /** USD of the largest single round-up. */
  largestUsd: number;
  /** Number of payments left for later signatures. */
  laterCount: number;
}

/**
 * Returns what one signature would save: the oldest batch with change. Batches without change are skipped. If no batch
 * has change, returns the oldest one with a `changeUsd` of 0.
 * @param leftOutSignatures signatures of permanently excluded payments; the mark moves past them
 * @returns null when there is nothing to save
 */
export function planNextSave(
  spending: Spending,
  terms: PreviewTerms,
  leftOutSignatures: ReadonlySet<string>,
): NextSave | null {
  const { batches, savedThrough } = spending;
  const computeChange = (usd: number) => previewRoundUp(usd, terms).roundUpUsd;
  const firstIndexWithChange = batches.findIndex(({ txValuesUsd }) =>
    txValuesUsd.some((usd) => computeChange(usd) > 0),
  );
  const [batch, ...laterBatches] = batches.slice(Math.max(0, firstIndexWithChange));
  if (!batch) return null;
  const listedPayments = listPayments(spending, terms);
  const includedPayments = listedPayments?.filter(({ txSignature }) => !leftOutSignatures.has(txSignature)).reverse();
  const purchasesUsd = includedPayments?.map(({ paidUsd }) => paidUsd) ?? batch.txValuesUsd;
  const changesUsd = purchasesUsd.map(computeChange);
  const shownChangesUsd = roundEachToAddUp(changesUsd);
  const addShownChange = (payment: ListedPayment): UnsavedPayment => {
    const i = includedPayments?.indexOf(payment) ?? -1;
    return { ...payment, shownChangeUsd: shownChangesUsd[i] ?? payment.preview.roundUpUsd };
  };
  return {
    payments: listedPayments?.map(addShownChange) ?? null,
    changeUsd: roundToMicro(changesUsd.reduce((sum, usd) => sum + usd, 0)),
    purchasesUsd,
    through: batch.through,
    after: savedThrough ?? NOTHING_SAVED,
    largestUsd: Math.max(0, ...changesUsd),
    laterCount: laterBatches.reduce((sum, { txValuesUsd }) => sum + txValuesUsd.length, 0),
  };
}

/**
 * Pairs each payment with its value from the batch. `items` may contain newer payments without a value. Returns null
 * when the listed items are not exactly one batch.
 */
function listPayments({ batches, items, nextBefore }: Spending, terms: PreviewTerms): ListedPayment[] | null {
  const [batch] = batches;
  const newestIndex = items.findIndex(({ txSignature }) => txSignature === batch!.through);
  const batchItems = newestIndex < 0 ? [] : items.slice(newestIndex);
  const valuesUsd = [...batch!.txValuesUsd].reverse();
  if (batches.length > 1 || nextBefore !== null || batchItems.length !== valuesUsd.length) return null;
  return batchItems.map(({ txSignature, time, pulled }, i) => ({
    txSignature,
    time,
    pulled,
    paidUsd: valuesUsd[i]!,
    preview: previewRoundUp(valuesUsd[i]!, terms),
  }));
}
