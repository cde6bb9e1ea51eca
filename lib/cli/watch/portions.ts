import { sumUsd } from "../../domain/money";
import { combinePayments, countPayments, type SmallPayments } from "../../domain/spending/batches";
import { sumRoundUpsUsd } from "../../sdk/amounts";
import { describeShare, describeSpending } from "../../sdk/describe-payments";
import type { Spending } from "../../sdk/reads";
import type { SavingTerms } from "../../sdk/requests";

/** Payments that are saved together. Saving them marks all payments up to and including `through` as saved. */
export interface Portion {
  /** The values to round up. One of them includes the small payments. */
  purchasesUsd: number[];
  payments: number;
  small: SmallPayments;
  through: string;
  changeUsd: number;
}

/** Describes a portion's payments, and their change as a share: "2 payments of $31.65 (saves 2.7 % of what you spent)". */
export function describePortion({ purchasesUsd, changeUsd, ...payments }: Omit<Portion, "through">): string {
  const totalUsd = sumUsd(purchasesUsd);
  const share = describeShare(changeUsd, totalUsd);
  return `${describeSpending({ ...payments, totalUsd })}${share ? ` (${share})` : ""}`;
}

/** Returns the oldest batch with change in it; null if there is none. */
export function findNextPortion(batches: Spending["batches"], terms: SavingTerms): Portion | null {
  for (const batch of batches) {
    const { txValuesUsd: purchasesUsd, small, through } = batch;
    const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
    if (changeUsd > 0) return { purchasesUsd, payments: countPayments(batch), small, through, changeUsd };
  }
  return null;
}

/** The largest accepted difference, as a fraction, between a payment's value in its batch and its value in a page. */
const MAX_VALUE_CHANGE = 0.2;

/**
 * Returns the oldest payments that fit into what the limits still allow, but never the whole portion; null when none with
 * change fits, or when `payments` (oldest first) does not match. Payments of one second stay together, because a saving
 * covers whole slots.
 */
export function selectWithinLimit(
  portion: Portion,
  payments: readonly { txSignature: string; time: string | null; usdValue: number | null }[],
  remainingUsd: number,
  terms: SavingTerms,
): Portion | null {
  const endIndex = payments.findIndex(({ txSignature }) => txSignature === portion.through) + 1;
  const portionPayments = payments.slice(Math.max(0, endIndex - portion.payments), endIndex);
  const paidUsd = portionPayments.flatMap(({ usdValue }) => usdValue ?? []);
  const { txValuesUsd } = combinePayments(paidUsd);
  const isSameValue = (usd: number, i: number) => Math.abs((txValuesUsd[i] ?? 0) - usd) <= usd * MAX_VALUE_CHANGE;
  if (paidUsd.length < portion.payments || !portion.purchasesUsd.every(isSameValue)) return null;
  for (let count = portionPayments.length - 1; count > 0; count--) {
    const [last, next] = [portionPayments[count - 1]!, portionPayments[count]!];
    if (last.time === null || last.time === next.time) continue;
    const { txValuesUsd: purchasesUsd, small } = combinePayments(paidUsd.slice(0, count));
    const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
    if (changeUsd > 0 && changeUsd <= remainingUsd)
      return { purchasesUsd, payments: count, small, through: last.txSignature, changeUsd };
  }
  return null;
}
