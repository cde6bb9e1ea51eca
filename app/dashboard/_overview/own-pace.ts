import type { History } from "@/app/_client/reads/history";
import { toMicroUsd } from "@/lib/domain/money";
import { MONTH_MS, monthlyPace } from "@/lib/domain/projection";
import { sumHistory } from "../_components/activity-sums";
import { startOf } from "./value-series";

export interface OwnPace {
  perMonthMicroUsd: bigint;
  /** Less than a month has passed: what came in so far counts as all of it, so that a good first day promises nothing. */
  young: boolean;
}

/** What was put in a month since the first thing that is known happened; what was taken out does not slow it. @param now ms since the epoch */
export function ownPace({ items }: Pick<History, "items">, now: number): OwnPace {
  const length = now - startOf({ items, now });
  const contributed = toMicroUsd(sumHistory(items).contributedUsd);
  return { perMonthMicroUsd: monthlyPace(contributed, Math.max(length, MONTH_MS)), young: length < MONTH_MS };
}
