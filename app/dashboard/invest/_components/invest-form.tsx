"use client";

import { type FormEvent, useState } from "react";
import type { Flow, FlowState } from "@/app/_client/flow-types";
import { useGuards } from "@/app/_client/guards";
import type { Bought, InvestRequest, Leg, SwapBuild } from "@/app/_client/invest";
import { useReadySession } from "@/app/_client/session";
import { Button, ButtonLink } from "@/app/_components/button";
import { Card, Notice } from "@/app/_components/card";
import { Field } from "@/app/_components/field";
import { usdText } from "@/app/_components/money";
import { Segmented } from "@/app/_components/segmented";
import type { AssetSymbol } from "@/lib/domain/assets";
import { FlowFailure } from "../../_components/flow-trouble";
import { AllocationFields, type Percents, readAllocation, startingPercents } from "./allocation-fields";
import { AssetChoice } from "./asset-choice";
import { readSlippage, SlippageField } from "./slippage-field";

interface Props {
  flow: Flow<InvestRequest, SwapBuild, Bought>;
  state: FlowState<InvestRequest, SwapBuild, Bought>;
}

const MAX_THRESHOLD_USD = 1_000_000;

/** What the savings should become, on which terms. */
export function InvestForm({ flow, state }: Props) {
  const { wallet } = useReadySession();
  const [guards, change] = useGuards(wallet);
  const [kind, setKind] = useState<"one" | "several">("one");
  const [asset, setAsset] = useState<Exclude<AssetSymbol, "SOL">>("BTC");
  const [percents, setPercents] = useState<Percents>(startingPercents);
  const [slippage, setSlippage] = useState("1");
  const [threshold, setThreshold] = useState(String(guards.thresholdUsd));
  const [asked, setAsked] = useState(false);

  const allocation = readAllocation(percents);
  const slippageBps = readSlippage(slippage);
  const thresholdUsd = readThreshold(threshold);
  const legs: Leg[] | null = kind === "one" ? [{ asset, pct: 100 }] : allocation.legs;

  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!legs || slippageBps === null || thresholdUsd === null) return;
    change({ thresholdUsd });
    void flow.start({ legs, slippageBps, thresholdUsd });
  };
  const { phase, open } = state;
  const again = () => void flow.renew(null);
  return (
    <Card title="What it should become">
      <form onSubmit={submit} noValidate>
        <Segmented
          label="One asset or several"
          options={[
            ["one", "One asset"],
            ["several", "Several assets"],
          ]}
          value={kind}
          onChange={setKind}
        />
        <div className="mt-5">
          {kind === "one" ? (
            <AssetChoice value={asset} onChange={setAsset} />
          ) : (
            <AllocationFields percents={percents} onChange={setPercents} allocation={allocation} urgent={asked} />
          )}
        </div>
        <div className="mt-6 grid gap-5 sm:grid-cols-2">
          <SlippageField value={slippage} onChange={setSlippage} />
          <Field
            label="Invest from"
            hint="Below this threshold nothing is invested, since costs would weigh too much. Kept in this browser."
            error={thresholdUsd === null ? "An amount above $0, at most $1,000,000." : null}
            prefix="$"
            inputMode="decimal"
            autoComplete="off"
            value={threshold}
            onChange={(event) => setThreshold(event.target.value)}
          />
        </div>
        <Button type="submit" busy={phase === "building" && !open} className="mt-6 w-full sm:w-auto">
          Review the investment
        </Button>
        <p className="mt-2 text-sm text-soft">Nothing is signed yet.</p>
      </form>
      {!open && phase === "refused" && state.build && <NotReady build={state.build} />}
      {!open && phase === "failed" && state.error && (
        <div className="mt-5">
          <FlowFailure error={state.error} retry={again} />
        </div>
      )}
    </Card>
  );
}

/** Why nothing was built, in the service's own words, and what helps. */
function NotReady({ build }: { build: SwapBuild }) {
  const below = build.remaining > 0;
  return (
    <div className="mt-5" data-testid="not-ready">
      <Notice
        role="alert"
        tone="warn"
        title={below ? "Not enough yet" : "This cannot be invested now"}
        action={
          <ButtonLink href="/dashboard/round-up" look="secondary">
            Round up a purchase
          </ButtonLink>
        }
      >
        <p>{build.reason}</p>
        {below && (
          <p>
            You have {usdText(build.balanceUsd)} of {usdText(build.threshold)}. You may also lower “Invest from” above.
          </p>
        )}
      </Notice>
    </div>
  );
}

function readThreshold(text: string): number | null {
  if (!/^\d{1,7}([.,]\d{0,6})?$/.test(text.trim())) return null;
  const usd = Number(text.trim().replace(",", "."));
  return usd > 0 && usd <= MAX_THRESHOLD_USD ? usd : null;
}
