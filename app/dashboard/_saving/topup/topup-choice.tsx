"use client";

import { type FormEvent, useState } from "react";
import { Button } from "@/app/_components/button";
import { DollarField } from "@/app/_components/field";
import { formatUsd } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { UnfinishedNote } from "@/app/dashboard/_flow/unfinished-note";
import { TOPUP_USD_RANGE } from "@/lib/domain/limits";
import { PLANS, TOPUP_PLAN } from "@/lib/domain/plans";
import { PayWithField, usePayWith } from "../pay/pay-with";
import type { Topup } from "../wrap/use-saving";

const OPTIONS = [
  ["5", "$5"],
  ["10", "$10"],
  ["other", "Other"],
] as const;

interface Props {
  topup: Topup;
  /** USD that must arrive; 0 when no amount is required. A sufficient amount is preselected. */
  missingUsd: number;
  /** Whether to offer only the preselected amount, as one button. */
  isOneStep?: boolean;
  /** Whether the page shows elsewhere what pays. */
  hidesPayChoice?: boolean;
  /** Whether SOL is what is missing. SOL then pays. */
  needsSol?: boolean;
  variant?: "primary" | "secondary";
}

/** Returns a unique period name for a one-time top-up. A retry with the same name cannot pay twice. */
const createOneTimePeriod = (): string => `once-${new Date().toISOString().slice(0, -1).replaceAll(":", "-")}`;

/** Lets the person add an amount once. The key preselects another amount when the missing amount needs one. */
export function TopupChoice({ missingUsd, ...props }: Props) {
  const suggestedUsd = suggestTopupUsd(missingUsd);
  return <TopupForm key={suggestedUsd} suggestedUsd={suggestedUsd} {...props} />;
}

function TopupForm({
  topup,
  suggestedUsd,
  isOneStep = false,
  needsSol = isOneStep,
  hidesPayChoice = needsSol,
  variant = "primary",
}: Omit<Props, "missingUsd"> & { suggestedUsd: number }) {
  const presetOption = OPTIONS.find(([value]) => value === String(suggestedUsd));
  const [choice, setChoice] = useState<(typeof OPTIONS)[number][0]>(presetOption?.[0] ?? "other");
  const [text, setText] = useState(presetOption ? "" : String(suggestedUsd));
  const [isSubmitted, setIsSubmitted] = useState(false);
  const typedAmount = parseAmountInRange(text, TOPUP_USD_RANGE);
  const amountUsd = choice === "other" ? typedAmount.value : Number(choice);
  const { state, unfinishedRecord, start } = topup;
  const { isUnsigned } = usePayWith();
  if (unfinishedRecord) {
    return (
      <UnfinishedNote
        handle={topup}
        title="A top-up is not finished"
        text="You can add more once it finishes, so that you never pay twice."
      />
    );
  }
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (amountUsd !== null)
      start({ amountUsd, period: createOneTimePeriod(), ...(needsSol && { payWith: "SOL" as const }) });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-wrap items-start gap-3" data-testid="top-up">
      {!isOneStep && <SegmentedControl label="How much to add" options={OPTIONS} value={choice} onChange={setChoice} />}
      {!isOneStep && choice === "other" && (
        <DollarField
          label={<span className="sr-only">Amount to add</span>}
          className="-mt-1.5 w-36"
          placeholder="20"
          value={text}
          error={isSubmitted || text !== "" ? typedAmount.error : null}
          onChange={setText}
        />
      )}
      <Button type="submit" variant={variant} isBusy={state.phase === "building"}>
        {amountUsd === null ? "Add" : `Add ${formatUsd(amountUsd)}`}
        {!needsSol && isUnsigned(amountUsd ?? 0) && " without signing"}
      </Button>
      {!hidesPayChoice && (
        <div className="w-full empty:hidden">
          <PayWithField />
        </div>
      )}
    </form>
  );
}

/** Allows for a price change until the person signs: the price decides what the missing costs are worth. */
const PRICE_MARGIN = 1.02;

/**
 * Returns a round amount of which `missingUsd` arrives after the fee: $1, $5, $10, or whole dollars above, up to the
 * largest top-up. Returns $5 when nothing is missing.
 */
export function suggestTopupUsd(missingUsd: number): number {
  if (missingUsd === 0) return 5;
  const amountUsd = (missingUsd * PRICE_MARGIN) / (1 - PLANS[TOPUP_PLAN].serviceFeePercent / 100);
  return [1, 5, 10].find((usd) => amountUsd <= usd) ?? Math.min(Math.ceil(amountUsd), TOPUP_USD_RANGE.max);
}
