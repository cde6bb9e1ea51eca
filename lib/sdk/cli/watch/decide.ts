import { sumRoundUpsUsd } from "../../amounts";
import type { Spending } from "../../reads";
import type { WatchSettings } from "./world";

/** Decisions of the watch as pure functions, without a clock or a network. */

/** Payments that are saved together: all unsaved payments up to and including `through`. */
interface Portion {
  purchasesUsd: number[];
  through: string;
  /** US dollars. */
  changeUsd: number;
}

type Terms = WatchSettings["terms"];

export const sumChangeUsd = (batches: Spending["batches"], terms: Terms): number =>
  sumRoundUpsUsd(
    batches.flatMap(({ txValuesUsd }) => txValuesUsd),
    terms,
  );

/** Returns the oldest batch with change in it. Saving it also marks the earlier batches, which have no change. */
export function findNextPortion(batches: Spending["batches"], terms: Terms): Portion | null {
  for (const { txValuesUsd: purchasesUsd, through } of batches) {
    const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
    if (changeUsd > 0) return { purchasesUsd, through, changeUsd };
  }
  return null;
}

/** A batch keeps its original values, but a page shows current values. They may differ by this fraction. */
const MAX_VALUE_CHANGE = 0.2;

/**
 * Returns the oldest payments of a portion that fit into today's remaining limit; null when not even one fits.
 * @param payments oldest first; they must include the payments of the portion
 */
export function selectWithinLimit(
  portion: Portion,
  payments: readonly { txSignature: string; usdValue: number | null }[],
  roomUsd: number,
  terms: Terms,
): Portion | null {
  const end = payments.findIndex(({ txSignature }) => txSignature === portion.through) + 1;
  const own = payments.slice(Math.max(0, end - portion.purchasesUsd.length), end);
  const isOwn = (usd: number, i: number) => Math.abs((own[i]?.usdValue ?? 0) - usd) <= usd * MAX_VALUE_CHANGE;
  if (!portion.purchasesUsd.every(isOwn)) return null;
  for (let count = portion.purchasesUsd.length - 1; count > 0; count--) {
    const purchasesUsd = portion.purchasesUsd.slice(0, count);
    const changeUsd = sumRoundUpsUsd(purchasesUsd, terms);
    if (changeUsd === 0) return null;
    if (changeUsd <= roomUsd) return { purchasesUsd, through: own[count - 1]!.txSignature, changeUsd };
  }
  return null;
}
