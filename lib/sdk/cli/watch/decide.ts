import { changeUsdOf } from "../../amounts";
import type { Spending } from "../../reads";
import type { WatchSettings } from "./settings";

/** What the watch decides, from what it was told: no clock, no network. */

export const DAY_MS = 86_400_000;

/** Payments that are saved together: all that are not saved yet, up to and with `through`. */
export interface Portion {
  purchases: number[];
  through: string;
  /** US dollars. */
  changeUsd: number;
}

type Terms = WatchSettings["terms"];

export const totalChangeUsd = (batches: Spending["batches"], terms: Terms): number =>
  changeUsdOf(
    batches.flatMap(({ txValuesUsd }) => txValuesUsd),
    terms,
  );

/** The oldest batch with change in it: those before it are full steps, and saved with it. */
export function nextPortion(batches: Spending["batches"], terms: Terms): Portion | null {
  for (const { txValuesUsd: purchases, through } of batches) {
    const changeUsd = changeUsdOf(purchases, terms);
    if (changeUsd > 0) return { purchases, through, changeUsd };
  }
  return null;
}

/**
 * As many of the oldest payments as fit into what may still be saved today; null where not even one fits.
 * @param payments oldest first, of which the first are the portion's
 */
export function fittingPart(
  portion: Portion,
  payments: readonly { txSignature: string; usdValue: number | null }[],
  roomUsd: number,
  terms: Terms,
): Portion | null {
  if (portion.purchases.some((usd, i) => payments[i]?.usdValue !== usd)) return null;
  for (let count = portion.purchases.length - 1; count > 0; count--) {
    const purchases = portion.purchases.slice(0, count);
    const changeUsd = changeUsdOf(purchases, terms);
    if (changeUsd === 0) return null;
    if (changeUsd <= roomUsd) return { purchases, through: payments[count - 1]!.txSignature, changeUsd };
  }
  return null;
}

/** The week of a moment (UTC), as ISO 8601 counts them: 2026-W47. */
export function weekOf(ms: number): string {
  const day = new Date(ms);
  // The year of a week is that of its Thursday.
  const thursday = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate()));
  thursday.setUTCDate(thursday.getUTCDate() + 4 - (thursday.getUTCDay() || 7));
  const week = Math.ceil(((thursday.getTime() - Date.UTC(thursday.getUTCFullYear(), 0, 1)) / DAY_MS + 1) / 7);
  return `${thursday.getUTCFullYear()}-W${String(week).padStart(2, "0")}`;
}
