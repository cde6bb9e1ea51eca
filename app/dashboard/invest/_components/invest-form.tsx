"use client";

import { useSearchParams } from "next/navigation";
import { type ReactNode, useEffect, useEffectEvent, useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { type InvestChoice, loadInvestChoice, updateInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Notice } from "@/app/_components/card";
import { DollarField } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { formatPercent, formatUsd } from "@/app/_components/money";
import { parseAmountInRange, writeUnambiguously } from "@/app/_components/parse-amount";
import { SegmentedControl } from "@/app/_components/segmented-control";
import { FlowForm } from "@/app/dashboard/_flow/flow-form";
import type { FlowHandle } from "@/app/dashboard/_flow/use-flow";
import type { Topup } from "@/app/dashboard/_saving/topup/use-topup";
import type { Allocation } from "@/lib/domain/allocations";
import { type AssetSymbol, TRADED_ASSETS } from "@/lib/domain/assets";
import { THRESHOLD_USD_RANGE } from "@/lib/domain/limits";
import type { PurchaseRecord, SwapBuild } from "@/lib/sdk/flow/invest";
import type { InvestRequest } from "@/lib/sdk/requests";
import { AllocationFields, formatPercents, parseAllocation } from "./allocation-fields";
import { AssetChoice } from "./asset-choice";
import { NotReadyNotice } from "./not-ready";
import { parseSlippageBps, SlippageField } from "./slippage-field";

interface Props {
  purchase: FlowHandle<InvestRequest, SwapBuild, PurchaseRecord>;
  topup: Topup;
  /** Switches between buying and selling. Empty when nothing can be sold. */
  sideSwitch: ReactNode;
  /** False while the savings are empty. The form then only keeps choices, which auto-invest follows. */
  canStart: boolean;
}

/** Lets the person choose what to buy and on which terms. */
export function InvestForm({ purchase, topup, sideSwitch, canStart }: Props) {
  const { flow } = purchase;
  const { wallet } = useReadySession();
  const [guards, changeGuards] = useGuards(wallet);
  const initialChoice = useInitialChoice(wallet);
  const [kind, setKind] = useState(initialChoice.kind);
  const [asset, setAsset] = useState(initialChoice.asset);
  const [percents, setPercents] = useState(() => formatPercents(initialChoice.allocations));
  const [slippageText, setSlippageText] = useState(String(initialChoice.slippageBps / 100));
  const [thresholdText, setThresholdText] = useState(writeUnambiguously(String(guards.thresholdUsd)));
  const [isSubmitted, setIsSubmitted] = useState(false);

  const allocation = parseAllocation(percents);
  const slippageBps = parseSlippageBps(slippageText);
  const thresholdUsd = parseAmountInRange(thresholdText, THRESHOLD_USD_RANGE).value;
  const allocations: Allocation[] | null = kind === "one" ? [{ asset, pct: 100 }] : allocation.allocations;

  useStoredChoice(wallet, {
    kind,
    asset,
    ...(allocation.allocations && { allocations: allocation.allocations }),
    ...(slippageBps !== null && { slippageBps }),
  });

  const start = () => {
    setIsSubmitted(true);
    if (!allocations || slippageBps === null || thresholdUsd === null) return;
    void flow.start({ allocations, slippageBps, thresholdUsd });
  };
  useStartFromLink(start, canStart);
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
        <SegmentedControl
          label="One asset or several"
          options={[
            ["one", "One asset"],
            ["several", "Several assets"],
          ]}
          value={kind}
          onChange={setKind}
        />
      </div>
      <div className="mt-5">
        {kind === "one" ? (
          <AssetChoice value={asset} onChange={setAsset} />
        ) : (
          <AllocationFields
            percents={percents}
            onChange={setPercents}
            allocation={allocation}
            isSubmitted={isSubmitted}
          />
        )}
      </div>
      <PriceProblems assets={allocations?.map(({ asset }) => asset) ?? []} />
      <LimitFields
        slippageText={slippageText}
        onSlippage={setSlippageText}
        thresholdText={thresholdText}
        onThreshold={changeThreshold}
        isSubmitted={isSubmitted}
      />
    </FlowForm>
  );
}

interface LimitFieldsProps {
  slippageText: string;
  onSlippage: (text: string) => void;
  thresholdText: string;
  onThreshold: (text: string) => void;
  isSubmitted: boolean;
}

/** Edits the accepted slippage and the minimum to invest. The fold opens when the person submits an invalid one. */
function LimitFields({ slippageText, onSlippage, thresholdText, onThreshold, isSubmitted }: LimitFieldsProps) {
  const slippageBps = parseSlippageBps(slippageText);
  const minimum = parseAmountInRange(thresholdText, THRESHOLD_USD_RANGE);
  const isValid = slippageBps !== null && minimum.value !== null;
  const hint =
    isValid &&
    `Minimum to invest: ${formatUsd(minimum.value)}, account deposit included. The price may move by ${formatPercent(slippageBps / 10_000)}`;
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

/** Stores the valid fields whenever one of them changes. An invalid field keeps its last stored value. */
function useStoredChoice(wallet: string, validFields: Partial<InvestChoice>): void {
  const text = JSON.stringify(validFields);
  useEffect(() => {
    updateInvestChoice(wallet, JSON.parse(text));
  }, [wallet, text]);
}

/** Opens the review once if the URL requests it, as the "Invest now" link does. Waits until `canStart`. */
function useStartFromLink(start: () => void, canStart: boolean): void {
  const shouldStart = useSearchParams().has("now") && canStart;
  const startFromLink = useEffectEvent(start);
  useEffect(() => {
    if (!shouldStart) return;
    window.history.replaceState(null, "", "/dashboard/invest");
    startFromLink();
  }, [shouldStart]);
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
