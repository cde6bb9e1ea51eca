"use client";

import { useEffect, useRef } from "react";
import { investSpec, type SwapBuild } from "@/app/_client/invest";
import { usePortfolio } from "@/app/_client/reads";
import { useReadySession } from "@/app/_client/session";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Skeleton } from "@/app/_components/skeleton";
import { Empty, Failure, StaleNote } from "@/app/_components/state-view";
import { FlowSheet } from "../../_components/flow-sheet";
import { PendingCard } from "../../_components/overview-balances";
import { UnfinishedNote } from "../../_components/unfinished-note";
import { useFlow } from "../../_components/use-flow";
import { InvestDone } from "./invest-done";
import { InvestForm } from "./invest-form";
import { InvestReview } from "./invest-review";

/** From saved SOL to what it should become. Another account is another page. */
export function Invest() {
  const { serviceWallet } = useReadySession();
  return <InvestPage key={serviceWallet} />;
}

function InvestPage() {
  const { wallet, serviceWallet } = useReadySession();
  const portfolio = usePortfolio(serviceWallet);
  const { flow, state, unfinished } = useFlow(investSpec);
  const { data, error } = portfolio;
  const heading = useRef<HTMLHeadingElement>(null);
  const retry = () => void portfolio.mutate();
  useFreshBalance(state.build, portfolio);
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
        Invest
      </h1>
      <p className="mt-1 max-w-2xl text-soft">
        Turns the SOL in your service wallet into what you choose. You see every figure before anything is signed.
      </p>
      {unfinished && (
        <UnfinishedNote
          record={unfinished}
          title="An investment is not finished"
          left="What is left is still in your service wallet as SOL. You can buy the rest now, or leave it."
          onContinue={() => void flow.resume(unfinished)}
          onDiscard={flow.discard}
        />
      )}
      <div className="mt-6">
        {data ? (
          <div className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
            {data.pendingLamports === 0 ? <NothingSaved /> : <InvestForm flow={flow} state={state} />}
            <div className="order-first lg:order-last">
              <PendingCard portfolio={data} wallet={wallet} />
              <StaleNote error={error} retry={retry} />
            </div>
          </div>
        ) : error ? (
          <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
        ) : (
          <InvestSkeleton />
        )}
      </div>
      <FlowSheet
        flow={flow}
        state={state}
        finalFocus={heading}
        words={{
          review: state.record?.done.length ? "Invest what is left" : "Review your investment",
          running: "Investing",
          done: "Invested",
          confirm: "Sign and invest",
        }}
        review={state.build && <InvestReview state={state} build={state.build} />}
        done={state.record && <InvestDone record={state.record} onClose={flow.close} />}
      />
    </>
  );
}

/** A build looks at the chain anew: when it finds another balance, the card beside it is out of date. */
function useFreshBalance(build: SwapBuild | null, { data, mutate }: ReturnType<typeof usePortfolio>) {
  const shown = useRef(data);
  shown.current = data;
  useEffect(() => {
    const lamports = shown.current?.pendingLamports;
    if (build && lamports !== undefined && Math.round(build.balanceSol * 1e9) !== lamports) void mutate();
  }, [build, mutate]);
}

function NothingSaved() {
  return (
    <Empty
      title="Nothing to invest yet"
      action={<ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>}
    >
      <p>
        Your service wallet holds no SOL. Each round-up puts some into it; once your threshold is reached, come back.
      </p>
    </Empty>
  );
}

function InvestSkeleton() {
  return (
    <div role="status" className="grid items-start gap-4 lg:grid-cols-[1fr_20rem]">
      <span className="sr-only">Reading your savings</span>
      <Card title="What it should become">
        <Skeleton className="h-11 w-64 max-w-full rounded-xl" />
        <div className="mt-5 grid gap-3 sm:grid-cols-2">
          {[0, 1, 2, 3].map((i) => (
            <Skeleton key={i} className="h-18 w-full rounded-xl" />
          ))}
        </div>
        <Skeleton className="mt-6 h-11 w-full rounded-xl sm:w-56" />
      </Card>
      <Card title="Pending" className="order-first lg:order-last">
        <Skeleton className="h-9 w-32" />
        <Skeleton className="mt-3 h-5 w-48" />
        <Skeleton className="mt-6 h-3 w-full" />
      </Card>
    </div>
  );
}
