"use client";

import { useState } from "react";
import { type TypedTerms, useTerms } from "@/app/_client/local-storage/terms";
import { type Overview, type Spending, useOverview } from "@/app/_client/queries/overview";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Fold } from "@/app/_components/fold";
import { FailureInView } from "@/app/_components/in-view";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { EmptyState, Failure } from "@/app/_components/state-view";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { formatExactUsd, roundToCents, roundToMicro } from "@/lib/domain/money";
import { DAY_MS } from "@/lib/domain/time";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { describePayments, describeShare, WAITING_PAYMENTS_TEXT } from "@/lib/sdk/describe-payments";
import { PLAN_LIST, type PreviewTerms, previewRoundUp, toSavingTerms } from "@/lib/sdk/preview-round-up";
import { GuardNotice, useGuardCheck } from "../guards/guard-notice";
import { PayWithField, usePayWith } from "../pay/pay-with";
import { MultiplierField, parseTypedTerms } from "../wrap/terms-fields";
import type { Save } from "../wrap/use-saving";
import { type NextSave, planNextSave } from "./next-save";
import { PaymentList } from "./payment-list";
import { type PretendPurchases, usePretendPurchases } from "./use-pretend-purchases";

interface Props {
  overview: Overview;
  save: Save;
  variant?: "primary" | "secondary";
}

export function FromWallet({ overview: { spending }, save, variant = "primary" }: Props) {
  const { wallet } = useReadySession();
  const [storedTerms] = useTerms(wallet);
  // A multiplier for these payments must not change the savings that other pages offer.
  const [changes, setChanges] = useState<Partial<TypedTerms>>({});
  const [leftOutSignatures, setLeftOutSignatures] = useState<ReadonlySet<string>>(new Set());
  const pretendPurchases = usePretendPurchases();
  const typedTerms = { ...storedTerms, ...changes };
  const terms = parseTypedTerms(typedTerms);
  const nextSave = spending && terms && planNextSave(spending, terms, leftOutSignatures);
  const blockReason = useGuardCheck(nextSave?.changeUsd ?? 0, 0, nextSave?.largestUsd ?? 0);
  const { isUnsigned } = usePayWith();
  if (!spending) return <SpendingFailure />;
  if (!terms) {
    return (
      <EmptyState
        title="Your terms cannot be read"
        action={<ButtonLink href="/dashboard/settings">Settings</ButtonLink>}
      />
    );
  }
  if (!nextSave && !spending.isComplete)
    return <EmptyState title="Reading your payments">{STILL_LOADING_TEXT}</EmptyState>;
  if (!nextSave) return <NothingSpent isWaiting={spending.items.length > 0} pretendPurchases={pretendPurchases} />;
  const togglePayment = (txSignature: string) => {
    const newSignatures = new Set(leftOutSignatures);
    if (!newSignatures.delete(txSignature)) newSignatures.add(txSignature);
    setLeftOutSignatures(newSignatures);
  };
  const { purchasesUsd, through, after, changeUsd, spentUsd } = nextSave;
  const share = describeShare(changeUsd, spentUsd);
  return (
    <div data-testid="from-wallet" className="space-y-4">
      <Headline spending={spending} nextSave={nextSave} terms={terms} />
      <div className="flex flex-wrap gap-3 sm:flex-row-reverse sm:justify-end">
        <Button
          variant={variant}
          className="grow sm:grow-0"
          isBusy={save.state.phase === "building"}
          disabled={changeUsd === 0 || blockReason !== null || save.unfinishedRecord !== null}
          onClick={() => save.start({ purchasesUsd, through, after, ...toSavingTerms(terms) })}
        >
          Save {formatUsd(changeUsd)}
          {isUnsigned(changeUsd) && " without signing"}
        </Button>
        {pretendPurchases.isOffered && changeUsd === 0 && (
          <PretendPurchasesButton pretendPurchases={pretendPurchases} className="grow sm:grow-0" />
        )}
      </div>
      <PayWithField />
      <GuardNotice reason={blockReason} />
      <FailureInView error={pretendPurchases.error} title="Not every shop was paid" retry={pretendPurchases.spend} />
      <Fold title={nextSave.payments ? "Choose payments or multiply" : "Multiply"}>
        <div className="space-y-5">
          {share && <p className="text-sm text-soft">This {share}.</p>}
          <div>
            <MultiplierField terms={typedTerms} onChange={setChanges} />
            <p className="mt-1.5 text-sm text-soft">
              For these payments only. Settings keep the multiplier of all others.
            </p>
          </div>
          {nextSave.payments && <PaymentList {...{ leftOutSignatures, togglePayment }} payments={nextSave.payments} />}
        </div>
      </Fold>
    </div>
  );
}

function Headline({ spending, nextSave, terms }: { spending: Spending; nextSave: NextSave; terms: PreviewTerms }) {
  const { count, small, changeUsd, laterCount, payments } = nextSave;
  const oldestTime = payments?.at(-1)?.time ?? null;
  return (
    <div>
      <p className="font-medium text-soft">
        {describePayments(count, small, formatUsd)}
        {oldestTime && ` ${formatSince(oldestTime, new Date())}`}
      </p>
      <p className="mt-1 text-3xl font-semibold text-balance sm:text-4xl">
        <UsdAmount usd={changeUsd} /> <span className="text-xl font-medium sm:text-2xl">of change</span>
      </p>
      <p className="mt-1 text-sm text-soft">
        {describePlan(terms)}
        {formatMultiplication(changeUsd, terms.multiplier ?? 1)}
        {laterCount > 0 && ` ${formatPaymentCount(laterCount)} come after these.`}
        {!spending.isComplete && laterCount === 0 && ` ${STILL_LOADING_TEXT}`}
      </p>
    </div>
  );
}

const STILL_LOADING_TEXT = "More payments are still loading.";

const formatPaymentCount = (count: number) => (count === 1 ? "1 payment" : `${count} payments`);

function describePlan(terms: PreviewTerms): string {
  const name = PLAN_LIST.find(({ plan }) => plan === terms.choice)?.name ?? "Custom";
  return `${name}: each rounded up to the next ${formatUsd(previewRoundUp(1, terms).incrementUsd)}.`;
}

/** Describes the multiplication in cents if it holds in cents, else to the micro-dollar. */
function formatMultiplication(sumUsd: number, multiplier: number): string {
  const changeUsd = roundToMicro(sumUsd / multiplier);
  // The largest maximum that the service accepts can cut the multiplied sum.
  if (multiplier === 1 || roundToMicro(changeUsd * multiplier) !== sumUsd) return "";
  const format =
    roundToCents(roundToCents(changeUsd) * multiplier) === roundToCents(sumUsd) ? formatUsd : formatExactUsd;
  return ` ${format(changeUsd)} × ${multiplier} = ${format(sumUsd)}.`;
}

/** For six days, the name of a weekday can only mean one day. */
const UNIQUE_WEEKDAY_MS = 6 * DAY_MS;
const weekdayFormat = new Intl.DateTimeFormat("en-GB", { weekday: "long" });
const dateFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "long" });

function formatSince(iso: string, now: Date): string {
  const day = new Date(iso);
  if (day.toDateString() === now.toDateString()) return "today";
  return `since ${(now.getTime() - day.getTime() < UNIQUE_WEEKDAY_MS ? weekdayFormat : dateFormat).format(day)}`;
}

interface PretendPurchasesProps {
  pretendPurchases: PretendPurchases;
  variant?: "primary" | "secondary";
  className?: string;
}

export function PretendPurchasesButton({ pretendPurchases, variant = "secondary", className }: PretendPurchasesProps) {
  return (
    <Button variant={variant} isBusy={pretendPurchases.isBusy} onClick={pretendPurchases.spend} className={className}>
      Make pretend purchases
    </Button>
  );
}

interface NothingSpentProps {
  /** True if small payments wait until they are enough. */
  isWaiting: boolean;
  pretendPurchases: PretendPurchases;
}

function NothingSpent({ isWaiting, pretendPurchases }: NothingSpentProps) {
  // Once enough is saved to invest, investing becomes the primary action.
  const variant = useReadiness()?.isReady ? "secondary" : "primary";
  return (
    <div data-testid="nothing-spent">
      <EmptyState
        title={isWaiting ? WAITING_PAYMENTS_TEXT : "No new payments"}
        action={
          pretendPurchases.isOffered && <PretendPurchasesButton pretendPurchases={pretendPurchases} variant={variant} />
        }
      >
        {pretendPurchases.isOffered
          ? "Make a few pretend purchases, and their change shows up here."
          : "Your wallet’s next payments show up here."}
      </EmptyState>
      <FailureInView
        className="mt-4"
        error={pretendPurchases.error}
        title="The shops were not paid"
        retry={pretendPurchases.spend}
      />
    </div>
  );
}

function SpendingFailure() {
  const { data, mutate } = useOverview(useReadySession());
  const unavailablePart = data?.unavailable.find(({ part }) => part === "spending");
  const reason = unavailablePart?.reason ?? "The service did not return them.";
  return (
    <Failure
      title="Your payments cannot be read right now"
      error={new ApiError("upstream_unavailable", reason)}
      retry={() => mutate()}
    />
  );
}
