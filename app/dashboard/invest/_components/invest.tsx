"use client";

import { useSearchParams } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { type Portfolio, toPortfolioPath, useIsOutdated, usePortfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { loadOnRender } from "@/app/_components/load-on-render";
import { loadOnTouch } from "@/app/_components/load-on-touch";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { SkeletonLines } from "@/app/_components/skeleton";
import { EmptyState } from "@/app/_components/state-view";
import { listSellableAssets } from "@/app/dashboard/_components/part";
import { PendingCard } from "@/app/dashboard/_components/pending-card";
import { formatMissing, type PendingBalance } from "@/app/dashboard/_components/readiness";
import { useChosenPortfolio, useReadiness, useSuggestedPayWith } from "@/app/dashboard/_components/use-readiness";
import { AsideLayout, AsideSkeleton, FlowPage } from "@/app/dashboard/_flow/flow-page";
import { Investments } from "@/app/dashboard/_flow/investments";
import { DoneActions } from "@/app/dashboard/_flow/result";
import { useServiceFlow } from "@/app/dashboard/_flow/use-flow";
import { TopupChoice } from "@/app/dashboard/_saving/topup/topup-choice";
import { TopupSheet } from "@/app/dashboard/_saving/wrap/sheets";
import { type Topup, useTopup } from "@/app/dashboard/_saving/wrap/use-saving";
import { lamportsToUsd, solToLamports } from "@/lib/domain/money";
import { createInvestSpec, type SwapBuild } from "@/lib/sdk/flow/invest";
import { createSellSpec } from "@/lib/sdk/flow/sell";
import type { FlowState } from "@/lib/sdk/flow/state";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import { InvestForm, type ReviewLink } from "./invest-form";
import { InvestReview } from "./invest-review";
import { RefusalReason } from "./not-ready";

const SellForm = loadOnRender(
  () => import("./sell-form").then((module) => module.SellForm),
  () => <SkeletonLines lines={5} />,
);
const SellSheet = loadOnTouch(
  () => import("@/app/dashboard/_flow/sell-sheet").then((module) => module.SellSheet),
  ({ sell }) => sell.state.phase !== "idle",
);

const SIDES = [
  ["buy", "Buy"],
  ["sell", "Sell"],
] as const;

const WORDS = {
  unfinishedTitle: "An investment is not finished",
  remainingText: "The rest is still in your savings wallet. You can invest it now or keep it.",
  reviewTitle: "Review your investment",
  remainderReviewTitle: "Invest what is left",
  runningTitle: "Investing",
  doneTitle: "Invested",
  confirmLabel: "Sign and invest",
  // "Invest now" on other pages opens the review before the person has seen this page's choice of coins.
  cancelLabel: "Change coin",
};

export function Invest() {
  const { serviceWallet } = useReadySession();
  const portfolio = usePortfolio(serviceWallet);
  const isOutdated = useIsOutdated(toPortfolioPath(serviceWallet));
  const chosenPortfolio = useChosenPortfolio(useSuggestedPayWith());
  const purchase = useServiceFlow(createInvestSpec);
  const { flow, state } = purchase;
  const topup = useTopup();
  const sell = useServiceFlow(createSellSpec);
  const [side, setSide] = useState<"buy" | "sell">(useSearchParams().has("sell") ? "sell" : "buy");
  const reviewLink = useReviewLink();
  const pageRef = useRef<HTMLDivElement>(null);
  useBalanceRefresh(state.build, portfolio);
  const canSell = !portfolio.data || listSellableAssets(portfolio.data).length > 0;
  const shownSide = canSell ? side : "buy";
  const resume = () => {
    topup.flow.close();
    const shownFlow = shownSide === "sell" ? sell : purchase;
    if (shownFlow.state.phase === "refused") void shownFlow.flow.renew(null);
  };
  const sideSwitch = canSell && (
    <SegmentedControl label="Buy or sell" options={SIDES} value={side} onChange={setSide} />
  );
  return (
    <FlowPage
      {...purchase}
      portfolio={portfolio}
      isUpdating={isOutdated && !portfolio.error}
      title="Invest"
      lead={`${shownSide === "sell" ? "Turn your coins back into dollars or SOL" : "Choose what your savings buy"}. You review every amount before you sign.`}
      words={WORDS}
      skeleton={<AsideSkeleton formTitle="Buy" asideTitle="Saving up" />}
      reviewContent={state.build && <InvestReview state={state} build={state.build} />}
      refusedContent={state.build && <RefusalReason build={state.build} />}
      doneContent={
        state.record && <Investments record={state.record} nextAction={<DoneActions onClose={flow.close} />} />
      }
    >
      {(data, staleNote) => (
        <AsideLayout
          aside={
            <>
              <PendingCard portfolio={applyBuild(chosenPortfolio ?? data, state.build)} />
              {staleNote}
            </>
          }
        >
          <div ref={pageRef} tabIndex={-1} className="outline-none">
            {shownSide === "sell" ? (
              <SellForm sell={sell} topup={topup} portfolio={data} sideSwitch={sideSwitch} />
            ) : (
              <div className="space-y-6">
                {state.phase !== "refused" && <MissingMoney topup={topup} isEmpty={isEmpty(data)} />}
                <InvestForm
                  purchase={purchase}
                  topup={topup}
                  sideSwitch={sideSwitch}
                  portfolio={data}
                  canStart={!isEmpty(data)}
                  reviewLink={reviewLink}
                />
              </div>
            )}
          </div>
          <SellSheet sell={sell} finalFocus={pageRef} />
          <TopupSheet
            topup={topup}
            finalFocus={pageRef}
            isForInvesting={shownSide === "buy"}
            // A refused sale still names what was missing before the top-up. A refused purchase updates its figure.
            onLeave={() => sell.state.phase === "refused" && sell.flow.close()}
            nextAction={<Button onClick={resume}>{chooseContinueLabel(shownSide, state.phase)}</Button>}
          />
        </AsideLayout>
      )}
    </FlowPage>
  );
}

/** A refused purchase opens its review at once. Otherwise the form below the sheet asks for one. */
function chooseContinueLabel(side: "buy" | "sell", phase: FlowState["phase"]): string {
  if (side === "sell") return "Continue to sell";
  return phase === "refused" ? "Invest now" : "Choose what to buy";
}

/** Replaces the predicted investable amount by the build's, which alone is exact. */
function applyBuild(portfolio: Portfolio & PendingBalance, build: SwapBuild | null): Portfolio & PendingBalance {
  const { pendingLamports, solPriceUsd } = portfolio;
  if (
    !build ||
    build.payWith === "USDC" ||
    solPriceUsd === null ||
    solToLamports(build.balanceSol) !== BigInt(pendingLamports)
  )
    return portfolio;
  return {
    ...portfolio,
    investableLamports: build.swappableLamports,
    investableUsd: lamportsToUsd(build.swappableLamports, solPriceUsd),
  };
}

/** Returns whether the URL asks for the review, as the "Invest now" link does, and a function that ends the request. */
function useReviewLink(): ReviewLink {
  const [isOpen, setIsOpen] = useState(useSearchParams().has("now"));
  const use = () => {
    setIsOpen(false);
    // The router must not see this change: while it still loads the linked page, it would load the whole site again.
    window.history.replaceState(window.history.state, "", "/dashboard/invest");
  };
  return { isOpen, use };
}

const isEmpty = (portfolio: Portfolio) => portfolio.pendingLamports === 0 && computeUsdcUsd(portfolio) === 0;

function useBalanceRefresh(build: SwapBuild | null, { data, mutate }: ReturnType<typeof usePortfolio>) {
  const portfolioRef = useRef(data);
  portfolioRef.current = data;
  useEffect(() => {
    const lamports = portfolioRef.current?.pendingLamports;
    if (build && lamports !== undefined && solToLamports(build.balanceSol) !== BigInt(lamports)) void mutate();
  }, [build, mutate]);
}

/** Offers to add what is missing before the person can invest. Shows nothing when the savings suffice. */
function MissingMoney({ topup, isEmpty }: { topup: Topup; isEmpty: boolean }) {
  const missingUsd = useReadiness(useSuggestedPayWith())?.missingUsd ?? 0;
  if (isEmpty) return <NothingToInvest topup={topup} missingUsd={missingUsd} />;
  if (missingUsd === 0) return null;
  return (
    <Card title="Add money">
      <p className="mb-3 text-sm text-soft">{formatMissing(missingUsd)}.</p>
      <TopupChoice topup={topup} missingUsd={missingUsd} variant="secondary" needsSol />
    </Card>
  );
}

function NothingToInvest({ topup, missingUsd }: { topup: Topup; missingUsd: number }) {
  return (
    <EmptyState
      title="Nothing to invest yet"
      action={
        <div className="flex flex-col items-center gap-2">
          <TopupChoice topup={topup} missingUsd={missingUsd} />
          <ButtonLink href="/dashboard/round-up" variant="quiet">
            Or round up a purchase
          </ButtonLink>
        </div>
      }
    >
      <p>Your savings wallet is empty. Add an amount, or save the change of your payments.</p>
    </EmptyState>
  );
}
