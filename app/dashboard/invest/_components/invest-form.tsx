"use client";

import { useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import {
  type InvestChoice,
  listAllocations,
  loadInvestChoice,
  updateInvestChoice,
} from "@/app/_client/local-storage/invest-choice";
import { type Portfolio, usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { DollarField } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { formatPercent, formatUsd } from "@/app/_components/money";
import { parseAmountInRange, writeUnambiguously } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { choosePayWith } from "@/app/dashboard/_components/use-readiness";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import type { Topup } from "@/app/dashboard/_saving/topup/use-topup";
import { type AssetSymbol, type PayAsset, TRADED_ASSETS } from "@/lib/domain/assets";
import { THRESHOLD_USD_RANGE } from "@/lib/domain/limits";
import type { InvestmentRecord, SwapBuild } from "@/lib/sdk/flow/invest";
import { computeUsdcUsd } from "@/lib/sdk/pay-with";
import type { InvestRequest } from "@/lib/sdk/requests";
import { AllocationFields, formatPercents, parseAllocation } from "./allocation-fields";
import { AssetChoice } from "./asset-choice";
import { NotReadyNotice } from "./not-ready";
import { parseSlippageBps, SlippageField } from "./slippage-field";

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

/** Lets the person choose what to buy and on which terms. */
export function InvestForm({ purchase, topup, sideSwitch, portfolio, canStart, reviewLink }: Props) {
  const { flow } = purchase;
  const { wallet } = useReadySession();
  const [guards, changeGuards] = useGuards(wallet);
  const initialChoice = useInitialChoice(wallet);
  const [kind, setKind] = useState(initialChoice.kind);
  const [asset, setAsset] = useState(initialChoice.asset);
  const [percents, setPercents] = useState(() => formatPercents(initialChoice.allocations));
  const [slippageText, setSlippageText] = useState(String(initialChoice.slippageBps / 100));
  const [thresholdText, setThresholdText] = useState(writeUnambiguously(String(guards.thresholdUsd)));
  const pay = usePayWith(initialChoice.payWith, reviewLink.isOpen);
  const [isSubmitted, setIsSubmitted] = useState(false);

  const slippageBps = parseSlippageBps(slippageText);
  const thresholdUsd = parseAmountInRange(thresholdText, THRESHOLD_USD_RANGE).value;
  const sharePercents = parseAllocation(percents, "SOL").allocations ?? initialChoice.allocations;
  const currentChoice = { ...initialChoice, kind, asset, allocations: sharePercents, payWith: pay.chosen };
  const payWith = pay.linked ?? choosePayWith(portfolio, currentChoice, thresholdUsd ?? guards.thresholdUsd);
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
    if (!allocations || slippageBps === null || thresholdUsd === null) return;
    void flow.start({ allocations, slippageBps, thresholdUsd, ...(payWith === "USDC" && { payWith }) });
  };
  useStartFromLink(start, canStart, reviewLink);
  const changeThreshold = (text: string) => {
    setThresholdText(text);
    const { value } = parseAmountInRange(text, THRESHOLD_USD_RANGE);
    if (value !== null) changeGuards({ thresholdUsd: value });
  };
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
        <KindSwitch value={kind} onChange={setKind} />
      </div>
      <PayWithChoice portfolio={portfolio} value={payWith} onChange={pay.choose} />
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
      <LimitFields
        payWith={payWith}
        slippageText={slippageText}
        onSlippage={setSlippageText}
        thresholdText={thresholdText}
        onThreshold={changeThreshold}
        isSubmitted={isSubmitted}
      />
    </FlowForm>
  );
}

interface KindSwitchProps {
  value: InvestChoice["kind"];
  onChange: (kind: InvestChoice["kind"]) => void;
}

const KindSwitch = (props: KindSwitchProps) => (
  <SegmentedControl
    label="One asset or several"
    options={[
      ["one", "One asset"],
      ["several", "Several assets"],
    ]}
    {...props}
  />
);

interface PayWithChoiceProps {
  portfolio: Portfolio;
  value: PayAsset;
  onChange: (payWith: PayAsset) => void;
}

/** Lets the person choose which savings pay. Shows nothing while only SOL can pay. */
function PayWithChoice({ portfolio, value, onChange }: PayWithChoiceProps) {
  if (computeUsdcUsd(portfolio) === 0 && value === "SOL") return null;
  return (
    <div className="mt-5">
      <p aria-hidden="true" className="mb-1.5 text-sm font-medium">
        Pay with
      </p>
      <SegmentedControl
        label="Pay with"
        options={[
          ["USDC", "USDC (digital dollars)"],
          ["SOL", "SOL"],
        ]}
        value={value}
        onChange={onChange}
      />
    </div>
  );
}

interface LimitFieldsProps {
  payWith: PayAsset;
  slippageText: string;
  onSlippage: (text: string) => void;
  thresholdText: string;
  onThreshold: (text: string) => void;
  isSubmitted: boolean;
}

/** Edits the accepted slippage and the minimum to invest. The fold opens when the person submits an invalid one. */
function LimitFields({ payWith, slippageText, onSlippage, thresholdText, onThreshold, isSubmitted }: LimitFieldsProps) {
  const slippageBps = parseSlippageBps(slippageText);
  const minimum = parseAmountInRange(thresholdText, THRESHOLD_USD_RANGE);
  const isValid = slippageBps !== null && minimum.value !== null;
  const hint =
    isValid &&
    `Minimum to invest: ${formatUsd(minimum.value)}${payWith === "SOL" ? ", account deposit included" : ""}. The price may move by ${formatPercent(slippageBps / 10_000)}`;
  return (
    <Fold title="Limits" hint={hint} className="mt-5" isOpen={isSubmitted && !isValid}>
      <div className="mt-3 grid gap-5 sm:grid-cols-2">
        <SlippageField value={slippageText} onChange={onSlippage} />
        <DollarField
          label="Minimum to invest"
          hint="Smaller amounts cost too much in fees. Your whole balance counts, with Solana’s account deposit."
          error={minimum.error}
          value={thresholdText}
          onChange={onThreshold}
        />
      </div>
    </Fold>
  );
}

/** Returns the stored choice, or the one asset that the link to this page names. */
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

/** Warns which chosen assets cannot be bought because their price is unavailable. */
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
