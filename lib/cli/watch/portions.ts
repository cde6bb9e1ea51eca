import { sumRoundUpsUsd } from "../../sdk/amounts";
import type { Spending } from "../../sdk/reads";
import type { SavingTerms } from "../../sdk/requests";

/* This file chooses the payments to save, in pure functions without a clock or a network. */

/** Payments that are saved together. Saving them marks all payments up to and including `through` as saved. */
interface Portion {
  purchasesUsd: number[];
  /** The signature of the newest payment. */
  through: string;
  changeUsd: number;
}

/** Returns the oldest batch with change in it; null if there is none. */
export function findNextPortion(batches: Spending["batches"], terms: SavingTerms): Portion | null {
  for (const { txValuesUsd: purchasesUsd, through } of batches) {
    const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
    if (changeUsd > 0) return { purchasesUsd, through, changeUsd };
  }
  return null;
}

/** The largest accepted difference, as a fraction, between a payment's value in its batch and its value in a page. */
const MAX_VALUE_CHANGE = 0.2;

/**
 * Returns the oldest payments of a portion that fit into the remaining daily limit, but never the whole portion. Returns
 * null when no payment with change fits, or when `payments` does not match the portion. Payments of one second stay
 * together, because a saving covers whole slots.
 * @param payments all unsaved payments, oldest first
 */
export function selectWithinLimit(
  portion: Portion,
  payments: readonly { txSignature: string; time: string | null; usdValue: number | null }[],
  remainingUsd: number,
  terms: SavingTerms,
): Portion | null {
  const endIndex = payments.findIndex(({ txSignature }) => txSignature === portion.through) + 1;
  const portionPayments = payments.slice(Math.max(0, endIndex - portion.purchasesUsd.length), endIndex);
  const isSameValue = (usd: number, i: number) =>
    Math.abs((portionPayments[i]?.usdValue ?? 0) - usd) <= usd * MAX_VALUE_CHANGE;
  if (!portion.purchasesUsd.every(isSameValue)) return null;
  for (let count = portion.purchasesUsd.length - 1; count > 0; count--) {
    const purchasesUsd = portion.purchasesUsd.slice(0, count);
    const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
    if (changeUsd === 0) return null;
    const [last, next] = [portionPayments[count - 1]!, portionPayments[count]!];
    const canEnd = last.time !== null && last.time !== next.time;
    if (canEnd && changeUsd <= remainingUsd) return { purchasesUsd, through: last.txSignature, changeUsd };
  }
  return null;
}
