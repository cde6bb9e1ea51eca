"use client";

import { useEffect } from "react";
import { findDueWeek, useWeekly } from "@/app/_client/local-storage/weekly-topup";
import { useReadySession } from "@/app/_client/wallet/session";
import type { Topup } from "../topup/use-topup";

export interface DueWeek {
  amountUsd: number;
  /** The period of the week's top-up. */
  week: string;
}

/**
 * Returns the weekly amount that is due, or null. Stores the week as done once its top-up has landed, from this tab
 * or elsewhere.
 */
export function useDueWeek({ state }: Topup): DueWeek | null {
  const { wallet } = useReadySession();
  const [weekly, changeWeekly] = useWeekly(wallet);
  const week = findDueWeek(weekly, Date.now());
  // A refusal before any build proves that another program's payment has landed. A claimed payment may still fail.
  const hasLanded = state.phase === "done" || (state.phase === "elsewhere" && state.build === null);
  const landedPeriod = hasLanded ? state.record.request.period : undefined;
  useEffect(() => {
    if (weekly && week !== null && landedPeriod === week) changeWeekly({ ...weekly, doneWeek: week });
  });
  return weekly && week ? { amountUsd: weekly.amountUsd, week } : null;
}
