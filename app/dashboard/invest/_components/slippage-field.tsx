"use client";

import { isSlippageBps } from "@/app/_client/local-storage/invest-choice";
import { Field } from "@/app/_components/field";
import { parsePercentBps } from "@/app/_components/parse-amount";

/** Parses a typed percentage into basis points. Returns null outside 0.01 % to 10 %. */
export function parseSlippageBps(text: string): number | null {
  const slippageBps = parsePercentBps(text);
  return slippageBps !== null && isSlippageBps(slippageBps) ? slippageBps : null;
}

/** The field warns above this slippage. */
const HIGH_SLIPPAGE_BPS = 200;

/** Edits how far the price may move before a swap is cancelled. */
export function SlippageField({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const slippageBps = parseSlippageBps(value);
  const hint =
    slippageBps !== null && slippageBps > HIGH_SLIPPAGE_BPS
      ? "This is high: you may get noticeably less than quoted. Most people use 1 %."
      : "Also called slippage. If the price gets worse by more than this, the swap is cancelled. Most people use 1 %.";
  return (
    <Field
      label="The price may move by"
      hint={hint}
      error={slippageBps === null ? "A number from 0.01 to 10, with at most two decimals." : null}
      suffix="%"
      inputMode="decimal"
      value={value}
      onChange={onChange}
    />
  );
}
