"use client";

import { type ComponentProps, type ReactNode, type RefObject, useRef, useState } from "react";
import { useOverview, useOverviewParts } from "@/app/_client/queries/overview";
import { forgetReads, type Portfolio, usePortfolio } from "@/app/_client/queries/queries";
import { useSavings } from "@/app/_client/queries/savings";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { CrashBoundary } from "@/app/_components/crash-boundary";
import { Fold } from "@/app/_components/fold";
import { KeepFocus } from "@/app/_components/keep-focus";
import { loadOnRender } from "@/app/_components/load-on-render";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { useDueWeek, WeeklyDue } from "@/app/dashboard/_saving/weekly/weekly-due";
import { TopupSheet } from "@/app/dashboard/_saving/wrap/sheets";
import { useTopup } from "@/app/dashboard/_saving/wrap/use-saving";
import { BalancesSkeleton, PendingCard } from "../_components/pending-card";
import { useAppliedChoice, useReadiness } from "../_components/use-readiness";
import { OverviewTotal } from "./growth/overview-total";
import { useValueFacts } from "./growth/use-value-facts";
import { ActionRow, NextStep, NextStepSkeleton } from "./next-step/overview-next-step";
import { OverviewActivity, OverviewSpending } from "./overview-cards";

// These load after the page: the chart waits for the history, and the others stand below the first screen.
const OverviewGrowth = loadOnRender(
  () => import("./growth/overview-growth").then((module) => module.OverviewGrowth),
  () => <Skeleton className="mt-4 h-62 w-full rounded-xl sm:h-88" />,
);
const Holdings = loadOnRender(
  () => import("./growth/overview-holdings").then((module) => module.Holdings),
  () => <Skeleton className="h-44 w-full rounded-2xl" />,
);
const AutoInvest = loadOnRender(
  () => import("./next-step/auto-invest").then((module) => module.AutoInvest),
  () => <Skeleton className="h-24 w-full rounded-2xl" />,
);
const WeeklySettings = loadOnRender(() =>
  import("@/app/dashboard/_saving/weekly/weekly-settings").then((module) => module.WeeklySettings),
);
const OverviewMore = loadOnRender(
  () => import("./overview-more").then((module) => module.OverviewMore),
  () => <Skeleton className="h-80 w-full rounded-2xl" />,
);

export function Overview() {
  const { data, error, isCached, mutate } = useOverviewParts(useReadySession());
  const headingRef = useRef<HTMLHeadingElement>(null);
  const retry = () => mutate();
  return (
    <>
      <h1 ref={headingRef} tabIndex={-1} className="text-lg font-medium text-soft outline-none">
        Your savings
      </h1>
      {error && !data ? (
        <UnreadableSavings className="mt-6" error={error} retry={retry} />
      ) : data && isCached ? (
        <>
          <StaleNote error={error} retry={retry} />
          <Savings headingRef={headingRef}>
            {isolate(<OverviewSpending overview={data} headingRef={headingRef} />)}
          </Savings>
        </>
      ) : (
        <OverviewSkeleton />
      )}
    </>
  );
}

function Savings({ headingRef, children }: { headingRef: RefObject<HTMLHeadingElement | null>; children: ReactNode }) {
  const session = useReadySession();
  const { wallet, serviceWallet } = session;
  const savingsRead = useSavings(serviceWallet).portfolio;
  const mainRead = usePortfolio(wallet);
  const { error } = savingsRead;
  const portfolio = useAppliedChoice(savingsRead.data);
  const unsavedCount = useOverview(session).data?.spending?.payments ?? 0;
  const topup = useTopup();
  const dueWeek = useDueWeek(topup);
  const weeklyVariant = useReadiness()?.isReady || unsavedCount > 0 ? "secondary" : "primary";
  const valueRead = useValueFacts(portfolio, serviceWallet);
  const retry = () => savingsRead.mutate();
  if (error && !portfolio) {
    return (
      <>
        {children}
        <UnreadableSavings className="mt-4" error={error} retry={retry} />
        <OverviewActivity />
      </>
    );
  }
  return (
    <>
      <FirstScreen
        figures={
          <>
            {isolate(<OverviewTotal portfolio={portfolio} facts={valueRead.facts} />)}
            {isolate(<OverviewGrowth read={valueRead} />)}
          </>
        }
      >
        <CrashBoundary onRetry={forgetReads}>
          {dueWeek && <WeeklyDue dueWeek={dueWeek} topup={topup} variant={weeklyVariant} />}
          <NextStep savingsPortfolio={portfolio} mainPortfolio={mainRead.data} isWeekDue={dueWeek !== null} />
        </CrashBoundary>
        {isolate(<ActionRow portfolio={portfolio} topup={topup} />)}
        {children}
        {mainRead.error && !mainRead.data && (
          <Notice className="mt-3" tone="warn" title="Your main wallet cannot be read right now">
            <p>{mainRead.error.message} These figures are of your savings wallet alone.</p>
          </Notice>
        )}
      </FirstScreen>
      <TopupSheet topup={topup} finalFocus={headingRef} isForInvesting />
      <LowerCards portfolio={portfolio} />
    </>
  );
}

function LowerCards({ portfolio }: { portfolio: Portfolio | undefined }) {
  return (
    <>
      {portfolio ? (
        <div className="mt-3 grid items-start gap-3 sm:mt-4 sm:gap-4 lg:grid-cols-[1fr_22rem]">
          {isolate(<Holdings portfolio={portfolio} />)}
          {isolate(<PendingCard portfolio={portfolio} />)}
        </div>
      ) : (
        <BalancesSkeleton />
      )}
      {isolate(<OverviewActivity />)}
      {portfolio && (
        <CrashBoundary onRetry={forgetReads}>
          <AutoInvest>
            <WeeklySettings />
          </AutoInvest>
        </CrashBoundary>
      )}
      <MoreFold hint={`${portfolio?.totalUsd ? "Projection, goal" : "Goal"}, money added and value`}>
        {isolate(<OverviewMore portfolio={portfolio} />)}
      </MoreFold>
    </>
  );
}

/** Keeps an error of one part away from the others. */
const isolate = (part: ReactNode) => <CrashBoundary onRetry={forgetReads}>{part}</CrashBoundary>;

/** Says that the savings cannot be shown. On a phone, links to the withdrawal, which has no tab there. */
function UnreadableSavings(failure: Omit<ComponentProps<typeof Failure>, "title">) {
  return (
    <>
      <Failure {...failure} title="Your savings cannot be read right now" />
      <ButtonLink href="/dashboard/withdraw" variant="secondary" className="mt-4 w-full sm:hidden">
        Withdraw
      </ButtonLink>
    </>
  );
}

function FirstScreen({ figures, children }: { figures: ReactNode; children: ReactNode }) {
  return (
    <div className="grid items-start gap-x-8 gap-y-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="min-w-0">{figures}</div>
      <KeepFocus className="min-w-0">{children}</KeepFocus>
    </div>
  );
}

function MoreFold({ hint, children }: { hint: string; children: ReactNode }) {
  const [wasOpened, setWasOpened] = useState(false);
  return (
    <Fold title="More" hint={hint} className="border-b pt-1 pb-3" onToggle={(isOpen) => isOpen && setWasOpened(true)}>
      <div className="mt-4">{wasOpened && children}</div>
    </Fold>
  );
}

function OverviewSkeleton() {
  return (
    <>
      <FirstScreen
        figures={
          <>
            <Skeleton className="mt-2 h-12 w-44" />
            <Skeleton className="mt-2 h-5 w-52" />
            <Skeleton className="mt-6 h-52 w-full rounded-xl sm:h-76" />
          </>
        }
      >
        <NextStepSkeleton />
      </FirstScreen>
      <BalancesSkeleton />
    </>
  );
}
