"use client";

import { type ReactNode, useEffect, useId, useMemo, useState } from "react";
import { useGuards, useSavedTotals } from "@/app/_client/local-storage/guards";
import { useOverview } from "@/app/_client/queries/overview";
import { type Portfolio, refreshPrices, usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink, SecondaryButton } from "@/app/_components/button";
import { CheckMark } from "@/app/_components/check-mark";
import { CopyButton } from "@/app/_components/copy-button";
import { FailureInView } from "@/app/_components/in-view";
import { KeepFocus } from "@/app/_components/keep-focus";
import { Skeleton } from "@/app/_components/skeleton";
import { PLAY_MONEY_LABEL, useAirdrop } from "@/app/_onboarding/play-money";
import { listSellableAssets } from "@/app/dashboard/_components/part";
import { useReadiness } from "@/app/dashboard/_components/use-readiness";
import { usePayWith } from "@/app/dashboard/_saving/pay/pay-with";
import { PretendPurchasesButton } from "@/app/dashboard/_saving/payments/from-wallet";
import { usePretendPurchases } from "@/app/dashboard/_saving/payments/use-pretend-purchases";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import { chooseNextAction, type Reason } from "./next-action";

/** The maximum price age, ms, at which the service builds transactions. */
const MAX_PRICE_AGE_MS = 60_000;

/** Returns whether SOL's price is fresh enough to build. Problems with other prices affect only their assets. */
const isSolPriceFresh = ({ ageMs, problems }: NonNullable<ReturnType<typeof usePrices>["data"]>) =>
  ageMs <= MAX_PRICE_AGE_MS && problems.every(({ asset }) => asset !== "SOL");

interface Props {
  savingsPortfolio: Portfolio | undefined;
  mainPortfolio: Portfolio | undefined;
  /** Whether the week's top-up is offered beside this. */
  isWeekDue: boolean;
}

export function NextStep({ savingsPortfolio, mainPortfolio, isWeekDue }: Props) {
  const session = useReadySession();
  const { wallet, network } = session;
  const spending = useOverview(session).data?.spending;
  // Payments that are not all listed yet, or cannot be read, are unknown and not zero.
  const mayHaveUnsaved = !spending || spending.payments > 0 || !spending.isComplete;
  const { payWith } = usePayWith();
  const prices = usePrices();
  const [guards, changeGuards] = useGuards(wallet);
  const { dayUsd, monthUsd } = useSavedTotals(wallet);
  const airdrop = useAirdrop(wallet, session.serviceWallet);
  const isWaiting = !savingsPortfolio || (!prices.data && !prices.error);
  const recommendation = useMemo(() => {
    if (!savingsPortfolio) return null;
    return chooseNextAction({
      isSandbox: network === "sandbox",
      guards,
      savedTotals: { dayUsd, monthUsd },
      pendingBalance: savingsPortfolio,
      mainBalance: mainPortfolio
        ? {
            lamports: mainPortfolio.pendingLamports,
            usd: payWith === "USDC" ? computeUsdcUsd(mainPortfolio) : mainPortfolio.pendingUsd,
            payWith,
          }
        : null,
      isPriceFresh: prices.error ? false : prices.data ? isSolPriceFresh(prices.data) : null,
    });
  }, [savingsPortfolio, network, guards, dayUsd, monthUsd, mainPortfolio, payWith, prices.error, prices.data]);
  if (isWaiting || !recommendation) return <NextStepSkeleton />;
  // The unsaved change or the week's top-up is the next step.
  if (recommendation.action === "round-up" && (mayHaveUnsaved || isWeekDue)) return null;

  const buttons: Record<typeof recommendation.action, ReactNode> = {
    fund: (
      <Button isBusy={airdrop.state === "busy"} onClick={airdrop.request}>
        {PLAY_MONEY_LABEL}
      </Button>
    ),
    "top-up": <CopyButton text={wallet} label="Copy my address to send SOL to" variant="primary" />,
    invest: <ButtonLink href="/dashboard/invest?now">Invest now</ButtonLink>,
    resume: <Button onClick={() => changeGuards({ paused: false })}>Resume saving</Button>,
    "wait-price": (
      <SecondaryButton isBusy={prices.isValidating} onClick={refreshPrices}>
        Check again
      </SecondaryButton>
    ),
    "wait-limit": (
      <ButtonLink href="/dashboard/settings" variant="secondary">
        See my limits
      </ButtonLink>
    ),
    "round-up": <RoundUp />,
  };
  return (
    <section aria-label="What comes next" data-next-action={recommendation.action} className="flex flex-col gap-3">
      <div role="status">
        <ul className="space-y-2">
          {recommendation.reasons.map((reason, i) => (
            <ReasonLine key={reason.text} reason={reason} isFirst={i === 0} />
          ))}
        </ul>
      </div>
      <KeepFocus className="shrink-0 [&>*]:w-full">{buttons[recommendation.action]}</KeepFocus>
      <FailureInView error={airdrop.error} retry={airdrop.request} title="The play money did not arrive" />
    </section>
  );
}

/** Links to the round-up page. With the demo wallet, offers pretend purchases: their change is saved in one step. */
function RoundUp() {
  const pretendPurchases = usePretendPurchases();
  const { isOffered, error, spend } = pretendPurchases;
  if (!isOffered) return <ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>;
  return (
    <div className="flex flex-col gap-2">
      <PretendPurchasesButton pretendPurchases={pretendPurchases} variant="primary" />
      <FailureInView error={error} title="Not every shop was paid" retry={spend} />
    </div>
  );
}

const REASON_MARKS = {
  good: { sign: <CheckMark />, classes: "bg-accent-wash text-accent", spokenPrefix: "All is well: " },
  warn: { sign: "!", classes: "bg-warn-wash text-warn", spokenPrefix: "Take note: " },
  plain: { sign: "i", classes: "bg-raised text-soft", spokenPrefix: "" },
};

function ReasonLine({ reason: { tone, text }, isFirst }: { reason: Reason; isFirst: boolean }) {
  const { sign, classes, spokenPrefix } = REASON_MARKS[tone];
  return (
    <li className="flex items-start gap-3">
      <span
        aria-hidden="true"
        className={`grid size-6 shrink-0 place-items-center rounded-full text-sm font-semibold ${classes}`}
      >
        {sign}
      </span>
      <span className={isFirst ? "font-medium" : "text-soft"}>
        <span className="sr-only">{spokenPrefix}</span>
        {text}
      </span>
    </li>
  );
}

export function NextStepSkeleton() {
  return (
    <div role="status" className="space-y-3">
      <span className="sr-only">Looking at what comes next</span>
      <Skeleton className="h-6 w-64 max-w-full" />
      <Skeleton className="h-11 w-full rounded-xl" />
    </div>
  );
}

/** Offers to add money, and to sell and withdraw if the wallet holds something. */
export function ActionRow({ portfolio, topup }: { portfolio: Portfolio | undefined; topup: Topup }) {
  const [isAdding, setIsAdding] = useState(false);
  const id = useId();
  useEffect(() => {
    if (topup.state.phase === "done") setIsAdding(false);
  }, [topup.state.phase]);
  const isChoiceOpen = isAdding || topup.unfinishedRecord !== null;
  const { missingUsd = 0, missingUsdcUsd = 0, lacksOnlyCosts = false } = useReadiness() ?? {};
  const canSell = portfolio && listSellableAssets(portfolio).length > 0;
  const canWithdraw = !portfolio || portfolio.balances.length > 0;
  return (
    <div className="mt-3">
      <div className="grid auto-cols-fr grid-flow-col gap-2">
        <SecondaryButton
          aria-expanded={isChoiceOpen}
          aria-controls={id}
          onClick={() => setIsAdding(!isAdding)}
          className="whitespace-nowrap max-sm:px-2"
        >
          Add money
        </SecondaryButton>
        {canSell && (
          <ButtonLink href="/dashboard/invest?sell" variant="secondary">
            Sell
          </ButtonLink>
        )}
        {canWithdraw && (
          <ButtonLink href="/dashboard/withdraw" variant="secondary">
            Withdraw
          </ButtonLink>
        )}
      </div>
      <div id={id} className="not-empty:mt-3">
        {isChoiceOpen && (
          <TopupChoice
            topup={topup}
            missingUsd={missingUsdcUsd || missingUsd}
            needsSol={lacksOnlyCosts}
            variant="secondary"
          />
        )}
      </div>
    </div>
  );
}
