"use client";

import { useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import {
  type InvestChoice,
  listAllocations,
  loadInvestChoice,
  updateInvestChoice,
} from "@/app/_client/local-storage/invest-choice";
import { type Portfolio, usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { choosePayWith } from "@/app/dashboard/_components/use-readiness";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import type { Topup } from "@/app/dashboard/_saving/wrap/use-saving";
import { type AssetSymbol, type PayAsset, TRADED_ASSETS } from "@/lib/domain/assets";
import type { InvestmentRecord, SwapBuild } from "@/lib/sdk/flow/invest";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import type { InvestRequest } from "@/lib/sdk/requests";
import { AllocationFields, AssetChoice, CoinChoice, formatPercents, parseAllocation } from "./asset-fields";
import { LimitFields, useLimits } from "./limit-fields";
import { NotReadyNotice } from "./not-ready";

const KINDS = [
  ["one", "One asset"],
  ["several", "Several assets"],
] as const;

interface Props {
  purchase: FlowHandle<InvestRequest, SwapBuild, InvestmentRecord>;
  topup: Topup;
  /** Switches between buying and selling. Empty when nothing can be sold. */
  sideSwitch: ReactNode;
  portfolio: Portfolio;
  /** False while the savings are empty. The form then only keeps choices, which auto-invest follows. */
  canStart: boolean;
  reviewLink: ReviewLink;
}

export interface ReviewLink {
  /** Whether the link to this page asks for the review, and has not opened it yet. */
  isOpen: boolean;
  use(): void;
}

export function InvestForm({ purchase, topup, sideSwitch, portfolio, canStart, reviewLink }: Props) {
  const { flow } = purchase;
  const { wallet } = useReadySession();
  const initialChoice = useInitialChoice(wallet);
  const limits = useLimits(wallet, initialChoice.slippageBps);
  const { slippageBps, thresholdUsd } = limits;
  const [kind, setKind] = useState(initialChoice.kind);
  const [asset, setAsset] = useState(initialChoice.asset);
  const [percents, setPercents] = useState(() => formatPercents(initialChoice.allocations));
  const pay = usePayWith(initialChoice.payWith, reviewLink.isOpen);
  const [isSubmitted, setIsSubmitted] = useState(false);

  const sharePercents = parseAllocation(percents, "SOL").allocations ?? initialChoice.allocations;
  const currentChoice = { ...initialChoice, kind, asset, allocations: sharePercents, payWith: pay.chosen };
  const payWith = pay.linked ?? choosePayWith(portfolio, currentChoice, thresholdUsd);
  const allocation = parseAllocation(percents, payWith);
  const allocations = kind === "one" ? listAllocations({ ...currentChoice, payWith }) : allocation.allocations;

  useStoredChoice(wallet, {
    kind,
    asset,
    payWith: pay.chosen,
    ...(allocation.allocations && { allocations: allocation.allocations }),
    ...(slippageBps !== null && { slippageBps }),
  });

  const start = () => {
    setIsSubmitted(true);
    if (!allocations || slippageBps === null || !limits.isValid) return;
    void flow.start({ allocations, slippageBps, thresholdUsd, ...(payWith === "USDC" && { payWith }) });
  };
  useStartFromLink(start, canStart, reviewLink);
  return (
    <FlowForm
      {...purchase}
      title={canStart ? "Buy" : "What your savings will buy"}
      onSubmit={start}
      submitLabel={canStart ? "Review the investment" : undefined}
      note="These choices are kept in this browser."
      renderNotReady={(build) => <NotReadyNotice build={build} topup={topup} retry={() => void flow.renew(null)} />}
    >
      <div className="flex flex-wrap gap-3">
        {sideSwitch}
        <SegmentedControl label="One asset or several" options={KINDS} value={kind} onChange={setKind} />
      </div>
      {/* While only SOL can pay, there is nothing to choose. */}
      {(computeUsdcUsd(portfolio) > 0 || payWith !== "SOL") && (
        <CoinChoice label="Pay with" value={payWith} onChange={pay.choose} />
      )}
      <div className="mt-5">
        {kind === "one" ? (
          <AssetChoice payWith={payWith} value={allocations?.[0]?.asset ?? asset} onChange={setAsset} />
        ) : (
          <AllocationFields
            percents={percents}
            onChange={setPercents}
            payWith={payWith}
            allocation={allocation}
            isSubmitted={isSubmitted}
          />
        )}
      </div>
      <PriceProblems assets={[payWith, ...(allocations?.map(({ asset }) => asset) ?? [])]} />
      <LimitFields limits={limits} payWith={payWith} isSubmitted={isSubmitted} />
    </FlowForm>
  );
}

function useInitialChoice(wallet: string): InvestChoice {
  const linkedAsset = useSearchParams().get("buy");
  const [choice] = useState((): InvestChoice => {
    const asset = TRADED_ASSETS.find((symbol) => symbol === linkedAsset);
    return { ...loadInvestChoice(wallet), ...(asset && { kind: "one", asset }) };
  });
  return choice;
}

/** Holds what the person chose to pay with. A link that asks for the review pays with what its page counted as ready. */
function usePayWith(initialChoice: PayAsset | null, isReviewLinked: boolean) {
  const [chosen, setChosen] = useState(initialChoice);
  const [linked, setLinked] = useState(isReviewLinked ? (initialChoice ?? "SOL") : null);
  const choose = (asset: PayAsset) => {
    setLinked(null);
    setChosen(asset);
  };
  return { chosen, linked, choose };
}

/** Stores the valid fields whenever one of them changes. An invalid field keeps its last stored value. */
function useStoredChoice(wallet: string, validFields: Partial<InvestChoice>): void {
  const text = JSON.stringify(validFields);
  useEffect(() => {
    updateInvestChoice(wallet, JSON.parse(text));
  }, [wallet, text]);
}

/** Opens the review once if the link requests it. Waits until `canStart`. */
function useStartFromLink(start: () => void, canStart: boolean, { isOpen, use }: ReviewLink): void {
  const startFromLink = useEffectEvent(() => {
    use();
    start();
  });
  useEffect(() => {
    if (isOpen && canStart) startFromLink();
  }, [isOpen, canStart]);
}

function PriceProblems({ assets }: { assets: AssetSymbol[] }) {
  const { data } = usePrices();
  const problems = data?.problems.filter(({ asset }) => asset === "SOL" || assets.includes(asset)) ?? [];
  return (
    <div role="status" className="not-empty:mt-4" data-testid="price-problems">
      {problems.length > 0 && (
        <Notice tone="warn" title={`${problems.map(({ asset }) => asset).join(", ")} cannot be traded right now`}>
          {problems.map(({ asset, message }) => (
            <p key={asset}>
              {asset}: {message}
            </p>
          ))}
          <p>
            We do not trade at an uncertain price.
            {problems.every(({ asset }) => asset !== "SOL") && " You can still buy other coins."}
          </p>
        </Notice>
      )}
    </div>
  );
}
