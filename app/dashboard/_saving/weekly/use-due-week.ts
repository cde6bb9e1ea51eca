"use client";

import { useEffect } from "react";
import { findDueWeek, useWeekly } from "@/app/_client/local-storage/weekly";
import { useReadySession } from "@/app/_client/wallet/session";
import type { Topup } from "../topup/use-topup";

export interface DueWeek {
  amountUsd: number;
  /** The period of the week's top-up. */
  week: string;
}

/** Returns the weekly amount that is due, or null. Stores a week as done when it lands or turns out to be made. */
export function useDueWeek({ state }: Topup): DueWeek | null {
  const { wallet } = useReadySession();
  const [weekly, change] = useWeekly(wallet);
  const week = findDueWeek(weekly, Date.now());
  // A refusal before any build proves that another program's payment has landed. A claimed payment may still fail.
  const isMade = state.phase === "done" || (state.phase === "elsewhere" && state.build === null);
  const made = isMade ? state.record.request.period : undefined;
  useEffect(() => {
    if (weekly && week !== null && made === week) change({ ...weekly, doneWeek: week });
  });
  return weekly && week ? { amountUsd: weekly.amountUsd, week } : null;
}
