import type { Spending } from "@/app/_client/queries/overview";
import { NOTHING_SAVED } from "@/lib/domain/marks";
import { roundToMicro, sumUsd } from "@/lib/domain/money";
import { roundEachToAddUp } from "@/lib/domain/shown-sum";
import { combinePayments, countPayments, isSmallPayment, type SmallPayments } from "@/lib/domain/spending/batches";
import { type PreviewTerms, previewRoundUp } from "@/lib/sdk/preview-round-up";

type ListedFields = Pick<Spending["items"][number], "txSignature" | "time" | "pulled">;

interface ListedPayment extends ListedFields {
  paidUsd: number;
}

export interface UnsavedPayment extends ListedPayment {
  /** USD that is rounded up. It differs from `paidUsd` if it includes small payments. */
  valueUsd: number;
  /** Displayed USD. The included payments add up to `changeUsd`. Null for a small payment in another one's value. */
  shownChangeUsd: number | null;
}

export interface NextSave {
  /** Newest first. Null when not all can be listed: the batch is then saved as a whole or not at all. */
  payments: UnsavedPayment[] | null;
  count: number;
  small: SmallPayments;
  spentUsd: number;
  changeUsd: number;
  /** USD values that are rounded up, oldest first. */
  purchasesUsd: number[];
  /** Signature of the batch's last payment. The saving's mark names it. */
  through: string;
  /** Signature of the last payment that was saved when these were listed. The save request names it. */
  after: string;
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
  const listedPayments = listPayments(spending);
  const includedPayments = listedPayments?.filter(({ txSignature }) => !leftOutSignatures.has(txSignature));
  const combined = includedPayments ? combinePayments(includedPayments.map(({ paidUsd }) => paidUsd)) : batch;
  const { txValuesUsd: purchasesUsd, small } = combined;
  const changesUsd = purchasesUsd.map(computeChange);
  return {
    payments: listedPayments && addShownChanges(listedPayments, includedPayments!, purchasesUsd, computeChange),
    count: includedPayments?.length ?? countPayments(batch),
    small,
    spentUsd: sumUsd(purchasesUsd),
    changeUsd: roundToMicro(changesUsd.reduce((sum, usd) => sum + usd, 0)),
    purchasesUsd,
    through: batch.through,
    after: savedThrough ?? NOTHING_SAVED,
    largestUsd: Math.max(0, ...changesUsd),
    laterCount: laterBatches.reduce((sum, laterBatch) => sum + countPayments(laterBatch), 0),
  };
}

/** Lists the payments of the batch, oldest first. Returns null when the listed items are not exactly one batch. */
function listPayments({ batches: [batch, ...laterBatches], items, nextBefore }: Spending): ListedPayment[] | null {
  const newestIndex = items.findIndex(({ txSignature }) => txSignature === batch!.through);
  const payments = items.slice(Math.max(0, newestIndex)).flatMap(({ txSignature, time, pulled, usdValue }) => {
    return usdValue === null ? [] : [{ txSignature, time, pulled, paidUsd: usdValue }];
  });
  const isWholeBatch = laterBatches.length === 0 && nextBefore === null && payments.length === countPayments(batch!);
  return newestIndex >= 0 && isWholeBatch ? payments.reverse() : null;
}

/** Adds the rounded value and its shown change, newest first. The newest of only small payments has their sum. */
function addShownChanges(
  payments: ListedPayment[],
  includedPayments: ListedPayment[],
  valuesUsd: number[],
  computeChange: (usd: number) => number,
): UnsavedPayment[] {
  const isSmall = ({ paidUsd }: ListedPayment) => isSmallPayment(paidUsd);
  const otherPayments = includedPayments.filter((payment) => !isSmall(payment));
  const roundedPayments =
    valuesUsd.length > otherPayments.length ? [...otherPayments, includedPayments.findLast(isSmall)!] : otherPayments;
  const shownChangesUsd = roundEachToAddUp(valuesUsd.map(computeChange));
  return payments
    .map((payment) => {
      const i = roundedPayments.indexOf(payment);
      if (i >= 0) return { ...payment, valueUsd: valuesUsd[i]!, shownChangeUsd: shownChangesUsd[i]! };
      const shownChangeUsd = isSmall(payment) ? null : computeChange(payment.paidUsd);
      return { ...payment, valueUsd: payment.paidUsd, shownChangeUsd };
    })
    .reverse();
}
