"use client";

import { useRef } from "react";
import { usePortfolio } from "@/app/_client/reads";
import { useReadySession } from "@/app/_client/session";
import { withdrawSpec } from "@/app/_client/withdraw";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { Skeleton } from "@/app/_components/skeleton";
import { Empty, Failure, StaleNote } from "@/app/_components/state-view";
import { FlowSheet } from "../../_components/flow-sheet";
import { UnfinishedNote } from "../../_components/unfinished-note";
import { useFlow } from "../../_components/use-flow";
import { ServiceWalletCard } from "./service-wallet-card";
import { WithdrawDone } from "./withdraw-done";
import { WithdrawForm } from "./withdraw-form";
import { WithdrawReview } from "./withdraw-review";

/** The way out, in one action. Another account is another page. */
export function Withdraw() {
  const { serviceWallet } = useReadySession();
  return <WithdrawPage key={serviceWallet} />;
}

function WithdrawPage() {
  const { serviceWallet } = useReadySession();
  const portfolio = usePortfolio(serviceWallet);
  const { flow, state, unfinished } = useFlow(withdrawSpec);
  const { data, error } = portfolio;
  const heading = useRef<HTMLHeadingElement>(null);
  const retry = () => void portfolio.mutate();
  return (
    <>
      <h1 ref={heading} tabIndex={-1} className="text-2xl font-semibold outline-none sm:text-3xl">
        Withdraw
      </h1>
      <p className="mt-1 max-w-2xl text-soft">
        Takes your savings out of the service wallet, whenever you like. Roundup charges nothing for it.
      </p>
      {unfinished && (
        <UnfinishedNote
          record={unfinished}
          title="A withdrawal is not finished"
          left="What is left is still in your service wallet. You can go on where it stopped."
          onContinue={() => void flow.resume(unfinished)}
          onDiscard={flow.discard}
        />
      )}
      <div className="mt-6">
        {data && data.balances.length === 0 ? (
          <NothingThere />
        ) : data ? (
          <div className="grid items-start gap-4 lg:grid-cols-[1fr_22rem]">
            <WithdrawForm portfolio={data} flow={flow} state={state} />
            <div className="order-first lg:order-last">
              <ServiceWalletCard portfolio={data} />
              <StaleNote error={error} retry={retry} />
            </div>
          </div>
        ) : error ? (
          <Failure error={error} retry={retry} title="Your savings cannot be read right now" />
        ) : (
          <WithdrawSkeleton />
        )}
      </div>
      <FlowSheet
        flow={flow}
        state={state}
        finalFocus={heading}
        words={{
          review: state.record?.done.length ? "Withdraw what is left" : "Review your withdrawal",
          running: "Withdrawing",
          done: "Withdrawn",
          confirm: "Sign and withdraw",
        }}
        review={
          state.build && state.record && <WithdrawReview build={state.build} record={state.record} portfolio={data} />
        }
        done={state.record && <WithdrawDone record={state.record} onClose={flow.close} />}
      />
    </>
  );
}

function NothingThere() {
  return (
    <Empty
      title="Your service wallet is empty"
      action={<ButtonLink href="/dashboard/round-up">Round up a purchase</ButtonLink>}
    >
      <p>There is nothing to withdraw, and nothing of yours is left behind. Your next round-up opens it again.</p>
    </Empty>
  );
}

function WithdrawSkeleton() {
  return (
    <div role="status" className="grid items-start gap-4 lg:grid-cols-[1fr_22rem]">
      <span className="sr-only">Reading your savings</span>
      <Card title="What you take out">
        <Skeleton className="h-11 w-56 max-w-full rounded-xl" />
        <Skeleton className="mt-6 h-5 w-32" />
        <Skeleton className="mt-3 h-11 w-72 max-w-full rounded-xl" />
        <Skeleton className="mt-6 h-11 w-full rounded-xl sm:w-56" />
      </Card>
      <Card title="In your service wallet" className="order-first lg:order-last">
        <Skeleton className="h-9 w-32" />
        <Skeleton className="mt-4 h-5 w-full" />
        <Skeleton className="mt-3 h-5 w-full" />
      </Card>
    </div>
  );
}
