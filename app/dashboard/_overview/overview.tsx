"use client";

import { useRef } from "react";
import { useOverviewParts } from "@/app/_client/reads/overview";
import { usePortfolio } from "@/app/_client/reads/reads";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { BalancesSkeleton, InvestedCard, PendingCard } from "../_components/balances";
import { OverviewActivity } from "./overview-activity";
import { Holdings } from "./overview-holdings";
import { NextStep } from "./overview-next-step";
import { OverviewSpending } from "./overview-spending";
import { OverviewValue } from "./overview-value";

/** Where the savings stand, and the one right next thing to do. */
export function Overview() {
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
          <OverviewSpending overview={data} retry={retry} heading={heading} />
          <Savings />
          <StaleNote error={error} retry={retry} />
          <OverviewActivity address={session.serviceWallet} />
        </>
      ) : (
        <>
          <NextStep service={undefined} main={undefined} />
          <BalancesSkeleton />
        </>
      )}
    </>
  );
}

function Savings() {
  const { wallet, serviceWallet } = useReadySession();
  const service = usePortfolio(serviceWallet);
  const main = usePortfolio(wallet);
  const { data, error } = service;
  const retry = () => void service.mutate();
  if (error && !data) {
    return (
      <div className="mt-4">
        <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
      </div>
    );
  }
  return (
    <>
      <NextStep service={data} main={main.data} />
      {main.error && !main.data && (
        <div className="mt-4">
          <Notice tone="warn" title="Your main wallet cannot be read right now">
            <p>{main.error.message} What is shown below is your savings wallet alone.</p>
          </Notice>
        </div>
      )}
      {data ? (
        <div className="mt-4 grid gap-4 md:grid-cols-2">
          <PendingCard portfolio={data} wallet={wallet} />
          <InvestedCard portfolio={data} />
        </div>
      ) : (
        <BalancesSkeleton />
      )}
      <div className="mt-4 grid gap-4 lg:grid-cols-[2fr_1fr]">
        <Holdings portfolio={data} />
        <OverviewValue portfolio={data} address={serviceWallet} />
      </div>
    </>
  );
}
