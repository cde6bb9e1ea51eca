"use client";

import { type FormEvent, type ReactNode, useEffect } from "react";
import type { TypedTerms } from "@/app/_client/local-storage/terms";
import { Button } from "@/app/_components/button";
import { AmountRow } from "@/app/_components/card";
import { DollarField } from "@/app/_components/field";
import { formatPercent, UsdAmount } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { formatMissing } from "@/app/dashboard/_components/readiness";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { GuardNotice, useGuardCheck } from "@/app/dashboard/_saving/guards/guard-notice";
import { PayWithField, usePayWith } from "@/app/dashboard/_saving/pay/pay-with";
import { parseTypedTerms } from "@/app/dashboard/_saving/wrap/terms-fields";
import type { Save } from "@/app/dashboard/_saving/wrap/use-saving";
import { PAYMENT_USD_RANGE } from "@/lib/domain/limits";
import { roundToMicro } from "@/lib/domain/money";
import { previewRoundUp, type RoundUpPreview, toSavingTerms } from "@/lib/sdk/preview-round-up";

interface Props {
  typedTerms: TypedTerms;
  save: Save;
  fields: ReactNode;
  /** The typed price. The page stores it, so that it survives a change of the source. */
  priceText: string;
  setPriceText: (text: string) => void;
}

export function OnePurchase({ typedTerms, save, fields, priceText, setPriceText }: Props) {
  const isSaved = save.state.phase === "done";
  useEffect(() => {
    // If the price stayed, a second click would save the same purchase twice.
    if (isSaved) setPriceText("");
  }, [isSaved, setPriceText]);
  const typedAmount = parseAmountInRange(priceText, PAYMENT_USD_RANGE);
  const terms = parseTypedTerms(typedTerms);
  const preview = terms && typedAmount.value !== null ? previewRoundUp(typedAmount.value, terms) : null;
  const { isUnsigned } = usePayWith();
  const blockReason = useGuardCheck(preview?.roundUpUsd ?? 0, 0);

  const openReview = (event: FormEvent) => {
    event.preventDefault();
    if (typedAmount.value === null || !terms || blockReason || save.unfinishedRecord) return;
    save.start({ purchasesUsd: [typedAmount.value], ...toSavingTerms(terms) });
  };

  return (
    <form onSubmit={openReview} className="space-y-5">
      <DollarField
        label="You paid"
        hint="The price of anything you bought"
        placeholder="27.63"
        value={priceText}
        error={priceText === "" ? null : typedAmount.error}
        onChange={setPriceText}
      />
      {/* Above the settings: on a phone, the tab bar would cover it below them. */}
      <div
        data-testid="round-up-preview"
        aria-live="polite"
        aria-atomic="true"
        className="rounded-xl bg-raised px-4 py-3"
      >
        {preview === null ? (
          <p className="text-soft">Enter what you paid to see the change.</p>
        ) : preview.skipped ? (
          <p>
            <UsdAmount usd={typedAmount.value} /> is already a round amount, so there is no change to save.
          </p>
        ) : (
          <>
            <p className="flex flex-wrap items-baseline justify-between gap-x-4">
              <RoundUpText preview={preview} multiplier={typedTerms.multiplier} />
              <UsdAmount usd={preview.roundUpUsd} isExact className="text-2xl font-semibold text-accent" />
            </p>
            <dl className="-mb-1 text-[0.95rem]">
              <AmountRow label="Into your savings wallet">
                <UsdAmount usd={preview.investedUsd} isExact />
              </AmountRow>
              <AmountRow label={`Service fee, ${formatPercent(preview.feePercent / 100)}`}>
                <UsdAmount usd={preview.feeUsd} isExact />
              </AmountRow>
            </dl>
          </>
        )}
      </div>
      <PayWithField />
      {fields}
      {preview && !preview.skipped && <GuardNotice reason={blockReason} />}
      <DistanceToThreshold addedUsd={preview?.investedUsd ?? 0} />
      <Button
        type="submit"
        className="max-sm:w-full"
        isBusy={save.state.phase === "building"}
        disabled={!preview || preview.skipped || blockReason !== null || save.unfinishedRecord !== null}
      >
        {preview && isUnsigned(preview.roundUpUsd) ? "Save without signing" : "Review and save"}
      </Button>
    </form>
  );
}

/** Explains the change: with the round amount or, if it is multiplied, with the factor. */
function RoundUpText({ preview, multiplier }: { preview: RoundUpPreview; multiplier: number }) {
  return (
    <span>
      {multiplier > 1 ? (
        `Change, times ${multiplier}`
      ) : (
        <>
          Rounded to <UsdAmount usd={preview.roundedToUsd} isExact />
        </>
      )}
      {preview.capped && ", limited to your maximum"}
    </span>
  );
}

/** Says how much is missing to invest after a save of `addedUsd`. Renders nothing if nothing is missing or saved. */
export function DistanceToThreshold({ addedUsd }: { addedUsd: number }) {
  const readiness = useReadiness();
  if (readiness === null || readiness.missingUsd <= 0 || addedUsd <= 0) return null;
  const missingUsd = Math.max(0, roundToMicro(readiness.missingUsd - addedUsd));
  return (
    <p className="text-sm text-soft">
      {missingUsd > 0 ? `With this, ${formatMissing(missingUsd)}.` : "With this you have enough to invest."}
    </p>
  );
}
