"use client";

import { useState } from "react";
import { useGuards } from "@/app/_client/local-storage/guards";
import { isSlippageBps } from "@/app/_client/local-storage/invest-choice";
import { DollarField, Field } from "@/app/_components/field";
import { Fold } from "@/app/_components/fold";
import { formatPercent, formatUsd } from "@/app/_components/money";
import { parsePercentBps } from "@/app/_components/parse-amount";
import { useThresholdField } from "@/app/dashboard/_saving/guards/guard-settings";
import type { PayAsset } from "@/lib/domain/assets";

const HIGH_SLIPPAGE_BPS = 200;

/** Parses a typed percentage into basis points. Returns null outside 0.01 % to 10 %. */
function parseSlippageBps(text: string): number | null {
  const slippageBps = parsePercentBps(text);
  return slippageBps !== null && isSlippageBps(slippageBps) ? slippageBps : null;
}

/** Manages the typed slippage and the typed minimum to invest. A valid minimum is stored at once. */
export function useLimits(wallet: string, initialSlippageBps: number) {
  const [{ thresholdUsd }] = useGuards(wallet);
  const [slippageText, setSlippageText] = useState(String(initialSlippageBps / 100));
  const slippageBps = parseSlippageBps(slippageText);
  const thresholdField = useThresholdField();
  const isValid = slippageBps !== null && thresholdField.error === null;
  return { slippageText, setSlippageText, slippageBps, thresholdField, thresholdUsd, isValid };
}

interface Props {
  limits: ReturnType<typeof useLimits>;
  payWith: PayAsset;
  isSubmitted: boolean;
}

/** Edits how far the price may move and the minimum to invest. The fold opens when the person submits an invalid one. */
export function LimitFields({ limits, payWith, isSubmitted }: Props) {
  const { slippageText, setSlippageText, slippageBps, thresholdField, thresholdUsd, isValid } = limits;
  const hint =
    isValid &&
    `Minimum to invest: ${formatUsd(thresholdUsd)}${payWith === "SOL" ? ", account deposit included" : ""}. The price may move by ${formatPercent(slippageBps! / 10_000)}`;
  const isHigh = slippageBps !== null && slippageBps > HIGH_SLIPPAGE_BPS;
  return (
    <Fold title="Limits" hint={hint} className="mt-5" isOpen={isSubmitted && !isValid}>
      <div className="mt-3 grid gap-5 sm:grid-cols-2">
        <Field
          label="The price may move by"
          hint={
            isHigh
              ? "This is high: you may get noticeably less than quoted. Most people use 1 %."
              : "Also called slippage. If the price gets worse by more than this, the swap is cancelled. Most people use 1 %."
          }
          error={slippageBps === null ? "A number from 0.01 to 10, with at most two decimals." : null}
          suffix="%"
          inputMode="decimal"
          value={slippageText}
          onChange={setSlippageText}
        />
        <DollarField
          label="Minimum to invest"
          hint="Smaller amounts cost too much in fees. Your whole balance counts, with Solana’s account deposit."
          {...thresholdField}
        />
      </div>
    </Fold>
  );
}
