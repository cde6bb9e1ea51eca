"use client";

import dynamic from "next/dynamic";
import { type ReactNode, type RefObject, useRef } from "react";
import { useOverviewParts } from "@/app/_client/queries/overview";
import { usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Notice } from "@/app/_components/card";
import { Skeleton } from "@/app/_components/skeleton";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { useTopup } from "@/app/dashboard/_saving/topup/use-topup";
import { TopUpSheet } from "@/app/dashboard/_saving/wrap/sheets";
import { BalancesSkeleton, InvestedCard, PendingCard } from "../_components/balances";
import { OverviewGrowth, useValueFacts } from "./growth/overview-growth";
import { OverviewTotal } from "./growth/overview-total";
import { NextStep, NextStepSkeleton } from "./next-step/overview-next-step";
import { OverviewActivity } from "./overview-activity";
import { OverviewSpending } from "./overview-spending";

/** Loads the part below the first screen after the page. */
const AutoInvest = dynamic(() => import("./next-step/auto-invest").then((module) => module.AutoInvest), {
  ssr: false,
  loading: () => <Skeleton className="mt-4 h-24 w-full rounded-2xl" />,
});
const OverviewBelow = dynamic(() => import("./overview-below").then((module) => module.OverviewBelow), {
  ssr: false,
  loading: () => <Skeleton className="mt-4 h-80 w-full rounded-2xl" />,
});

/** Shows the savings and the recommended next action. Remounts when the account changes. */
export function Overview() {
  const { wallet } = useReadySession();
  return <OverviewOf key={wallet} />;
}

function OverviewOf() {
  const session = useReadySession();
  const { data, error, isSettled, mutate } = useOverviewParts(session);
  const heading = useRef<HTMLHeadingElement>(null);
  const retry = () => void mutate();
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
        Overview
      </h1>
      {error && !data ? (
        <div className="mt-6">
          <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
        </div>
      ) : data && isSettled ? (
        <>
          <Savings heading={heading}>
            <OverviewSpending overview={data} retry={retry} heading={heading} />
          </Savings>
          <StaleNote error={error} retry={retry} />
          <OverviewActivity address={session.serviceWallet} />
        </>
      ) : (
        <>
          <NextStepSkeleton />
          <BalancesSkeleton />
        </>
      )}
    </>
  );
}

/**
 * Shows the savings.
 * @param children rendered right after the total
 */
function Savings({ heading, children }: { heading: RefObject<HTMLHeadingElement | null>; children: ReactNode }) {
  const { wallet, serviceWallet } = useReadySession();
  const service = usePortfolio(serviceWallet);
  const main = usePortfolio(wallet);
  const { data, error } = service;
  const topup = useTopup();
  const values = useValueFacts(data, serviceWallet);
  const retry = () => void service.mutate();
  if (error && !data) {
    return (
      <>
        {children}
        <div className="mt-4">
          <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
        </div>
      </>
    );
  }
  return (
    <>
      <OverviewTotal portfolio={data} address={serviceWallet} values={values} />
      {children}
      <NextStep service={data} main={main.data} topup={topup} />
      <TopUpSheet
        topup={topup}
        finalFocus={heading}
        next={<ButtonLink href="/dashboard/invest">Go on to invest</ButtonLink>}
      />
      {main.error && !main.data && (
        <div className="mt-4">
          <Notice tone="warn" title="Your main wallet cannot be read right now">
            <p>{main.error.message} What is shown below is your savings wallet alone.</p>
          </Notice>
        </div>
      )}
      <OverviewGrowth values={values} />
      {data ? (
        <div className="mt-4 grid gap-4 md:grid-cols-2">
          <PendingCard portfolio={data} wallet={wallet} />
          <InvestedCard portfolio={data} />
        </div>
      ) : (
        <BalancesSkeleton />
      )}
      {data && <AutoInvest portfolio={data} />}
      <OverviewBelow portfolio={data} wallet={wallet} address={serviceWallet} />
    </>
  );
}
