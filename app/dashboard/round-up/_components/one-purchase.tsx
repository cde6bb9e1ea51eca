"use client";

import { type FormEvent, type ReactNode, useEffect } from "react";
import type { TypedTerms } from "@/app/_client/local-storage/terms";
import { parseAmountInRange } from "@/app/_components/amount";
import { Button } from "@/app/_components/button";
import { AmountRow } from "@/app/_components/card";
import { DollarField } from "@/app/_components/field";
import { formatPercent, Usd } from "@/app/_components/money";
import { PURCHASE_USD } from "@/lib/domain/limits";
import { previewRoundUp, type RoundUpPreview, toRequestTerms } from "@/lib/sdk/preview-round-up";
import { GuardNotice, useGuardCheck } from "../../_saving/guards/guard-notice";
import { parseTypedTerms } from "../../_saving/wrap/terms-fields";
import type { Save } from "../../_saving/wrap/use-save";
import { DistanceToThreshold } from "./distance-to-threshold";

interface Props {
  typedTerms: TypedTerms;
  save: Save;
  fields: ReactNode;
  /** The typed price. The page holds it, so that it survives a change of the source. */
  text: string;
  setText: (text: string) => void;
}

/** Shows the round-up of one amount while typing, and opens the review. */
export function OnePurchase({ typedTerms, save, fields, text, setText }: Props) {
  const isSaved = save.state.phase === "done";
  useEffect(() => {
    // A second click would save the same purchase twice.
    if (isSaved) setText("");
  }, [isSaved, setText]);
  const typedAmount = parseAmountInRange(text, PURCHASE_USD);
  const terms = parseTypedTerms(typedTerms);
  const result = terms && typedAmount.value !== null ? previewRoundUp(typedAmount.value, terms) : null;
  const blockReason = useGuardCheck(result?.roundUpUsd ?? 0, 0);

  const review = (event: FormEvent) => {
    event.preventDefault();
    if (typedAmount.value === null || !terms || blockReason || save.unfinishedRecord) return;
    save.start({ purchases: [typedAmount.value], ...toRequestTerms(terms) });
  };

  return (
    <form onSubmit={review} className="space-y-5">
      <DollarField
        label="You paid"
        hint="The price of anything you bought"
        placeholder="27.63"
        value={text}
        error={text === "" ? null : typedAmount.error}
        onChange={setText}
      />
      {fields}
      <div
        data-testid="round-up-preview"
        aria-live="polite"
        aria-atomic="true"
        className="rounded-xl bg-raised px-4 py-3"
      >
        {result === null ? (
          <p className="text-soft">Enter what you paid to see the round-up.</p>
        ) : result.skipped ? (
          <p>
            <Usd value={typedAmount.value} /> is already a round amount, so there is no change to save.
          </p>
        ) : (
          <>
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <RoundedTo result={result} multiplier={typedTerms.multiplier} />
              <Usd value={result.roundUpUsd} exact className="text-2xl font-semibold text-accent" />
            </p>
            <dl className="-mb-1 text-[0.95rem]">
              <AmountRow label="Into your savings wallet">
                <Usd value={result.investedUsd} exact />
              </AmountRow>
              <AmountRow label={`Service fee, ${formatPercent(result.feePercent / 100)}`}>
                <Usd value={result.feeUsd} exact />
              </AmountRow>
            </dl>
          </>
        )}
      </div>
      {result && !result.skipped && <GuardNotice reason={blockReason} />}
      <DistanceToThreshold addUsd={result?.investedUsd ?? 0} />
      <Button
        type="submit"
        className="max-sm:w-full"
        busy={save.state.phase === "building"}
        disabled={!result || result.skipped || blockReason !== null || save.unfinishedRecord !== null}
      >
        Review and save
      </Button>
    </form>
  );
}

/** Explains the change: the round amount, or the multiplier, after which the sum is not round. */
function RoundedTo({ result, multiplier }: { result: RoundUpPreview; multiplier: number }) {
  return (
    <span>
      {multiplier > 1 ? (
        `Change, times ${multiplier}`
      ) : (
        <>
          Rounded to <Usd value={result.roundedToUsd} exact />
        </>
      )}
      {result.capped && ", limited to your maximum"}
    </span>
  );
}
