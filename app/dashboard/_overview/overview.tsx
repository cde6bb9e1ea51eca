"use client";

import { usePortfolio } from "@/app/_client/reads/reads";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { Failure, StaleNote } from "@/app/_components/state-view";
import { BalancesSkeleton, InvestedCard, PendingCard } from "../_components/balances";
import { OverviewActivity } from "./overview-activity";
import { Holdings } from "./overview-holdings";
import { NextStep } from "./overview-next-step";
import { OverviewValue } from "./overview-value";

/** Where the savings stand, and the one right next thing to do. */
export function Overview() {
  const { wallet, serviceWallet } = useReadySession();
  const service = usePortfolio(serviceWallet);
  const main = usePortfolio(wallet);
  const { data, error } = service;
  const retry = () => void service.mutate();
  return (
    <>
      <h1 className="text-2xl font-semibold sm:text-3xl">Overview</h1>
      {error && !data ? (
        <div className="mt-6">
          <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
        </div>
      ) : (
        <>
          <NextStep service={data} main={main.data} />
          {main.error && !main.data && (
            <div className="mt-4">
              <Notice tone="warn" title="Your main wallet cannot be read right now">
                <p>{main.error.message} What is shown below is your service wallet alone.</p>
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
          <StaleNote error={data && error} retry={retry} />
          <div className="mt-4 grid gap-4 lg:grid-cols-[2fr_1fr]">
            <Holdings portfolio={data} />
            <OverviewValue portfolio={data} address={serviceWallet} />
          </div>
        </>
      )}
      <OverviewActivity address={serviceWallet} />
    </>
  );
}
