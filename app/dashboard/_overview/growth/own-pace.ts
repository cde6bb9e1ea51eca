import type { WalletHistory } from "@/app/_client/queries/wallet-history";
import { toMicroUsd } from "@/lib/domain/money";
import { computeMonthlyPace } from "@/lib/domain/projection";
import { MONTH_MS, WEEK_MS } from "@/lib/domain/time";
import { sumHistory } from "../../_components/activity-sums";
import { findStartTime } from "./value-series";

export interface OwnPace {
  /** Never negative. */
  perMonthMicroUsd: bigint;
  /**
   * True during the first month. Contributions so far then count as the whole month's, so a good first day is not
   * extrapolated.
   */
  isFirstMonth: boolean;
  /** True after the first week. */
  isRepresentative: boolean;
}

/**
 * Returns the monthly contributions less withdrawals since the first known transaction; 0 when more was withdrawn.
 * @param now ms since the epoch
 */
export function computeOwnPace({ items }: Pick<WalletHistory, "items">, now: number): OwnPace {
  const ageMs = now - findStartTime({ items, now });
  const { contributedUsd, withdrawnUsd } = sumHistory(items);
  const keptMicroUsd = toMicroUsd(Math.max(0, contributedUsd - withdrawnUsd));
  const perMonthMicroUsd = computeMonthlyPace(keptMicroUsd, Math.max(ageMs, MONTH_MS));
  return { perMonthMicroUsd, isFirstMonth: ageMs < MONTH_MS, isRepresentative: ageMs >= WEEK_MS };
}
