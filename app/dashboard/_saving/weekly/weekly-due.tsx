"use client";

import { useEffect } from "react";
import { findDueWeek, useWeekly } from "@/app/_client/local-storage/weekly-topup";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button } from "@/app/_components/button";
import { formatUsd } from "@/app/_components/money";
import { usePayWith } from "../pay/pay-with";
import type { Topup } from "../wrap/use-saving";

interface Props {
  dueWeek: DueWeek;
  topup: Topup;
  variant: "primary" | "secondary";
}

export function WeeklyDue({ dueWeek: { amountUsd, week }, topup, variant }: Props) {
  const { start, state, unfinishedRecord } = topup;
  const { isUnsigned } = usePayWith();
  return (
    <section aria-label="Weekly top-up" className="mb-3 space-y-3">
      <p className="font-medium">Your weekly top-up of {formatUsd(amountUsd)} is due</p>
      <Button
        variant={variant}
        className="w-full"
        isBusy={state.phase === "building"}
        disabled={unfinishedRecord !== null}
        onClick={() => start({ amountUsd, period: week })}
      >
        Add this week’s {formatUsd(amountUsd)}
        {isUnsigned(amountUsd) && " without signing"}
      </Button>
    </section>
  );
}

export interface DueWeek {
  amountUsd: number;
  week: string;
}

/** Returns the weekly amount that is due, or null. Stores the week as done once its top-up has landed. */
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
