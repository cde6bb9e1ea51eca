"use client";

import { Button } from "@/app/_components/button";
import { formatUsd } from "@/app/_components/money";
import { usePayWith } from "../pay/use-pay-with";
import type { Topup } from "../topup/use-topup";
import type { DueWeek } from "./use-due-week";

interface Props {
  dueWeek: DueWeek;
  topup: Topup;
  /** "secondary" beside a more important button. */
  variant: "primary" | "secondary";
}

/** Offers the week's top-up while it is due. */
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
