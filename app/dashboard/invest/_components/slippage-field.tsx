"use client";

import { isSlippageBps } from "@/app/_client/local-storage/invest-choice";
import { Field } from "@/app/_components/field";

/** Parses a typed percentage into basis points. Returns null outside 0.01 % to 10 %. */
export function parseSlippageBps(text: string): number | null {
  if (!/^\d{1,2}([.,]\d{0,2})?$/.test(text.trim())) return null;
  const slippageBps = Math.round(Number(text.trim().replace(",", ".")) * 100);
  return isSlippageBps(slippageBps) ? slippageBps : null;
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
      error={slippageBps === null ? "A number from 0.01 to 10." : null}
      suffix="%"
      inputMode="decimal"
      value={value}
      onChange={onChange}
    />
  );
}
