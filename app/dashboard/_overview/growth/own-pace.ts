import type { History } from "@/app/_client/queries/history";
import { toMicroUsd } from "@/lib/domain/money";
import { MONTH_MS, monthlyPace } from "@/lib/domain/projection";
import { sumHistory } from "../../_components/activity-sums";
import { startOf } from "./value-series";

export interface OwnPace {
  perMonthMicroUsd: bigint;
  /** Less than a month has passed: what came in so far counts as all of it, so that a good first day promises nothing. */
  young: boolean;
  /** A week has passed: until then one good day says nothing of the others. */
  shown: boolean;
}

const WEEK_MS = 7 * 86_400_000;

/** What was put in a month since the first thing that is known happened; what was taken out does not slow it. @param now ms since the epoch */
export function ownPace({ items }: Pick<History, "items">, now: number): OwnPace {
  const length = now - startOf({ items, now });
  const contributed = toMicroUsd(sumHistory(items).contributedUsd);
  const perMonthMicroUsd = monthlyPace(contributed, Math.max(length, MONTH_MS));
  return { perMonthMicroUsd, young: length < MONTH_MS, shown: length >= WEEK_MS };
}
