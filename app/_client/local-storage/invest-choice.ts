"use client";

import { type Allocation, listAllocationFaults } from "@/lib/domain/allocations";
import {
  ASSET_SYMBOLS,
  DEFAULT_ASSET,
  PAY_ASSETS,
  type PayAsset,
  TRADED_ASSETS,
  type TradedAsset,
} from "@/lib/domain/assets";
import { SLIPPAGE_BPS_RANGE } from "@/lib/domain/limits";
import { browserStore } from "./browser-storage";
import { isNumberInRange, parseFields, storeValue, useParsedValue } from "./stored-value";

/** The last choice on the invest page. */
export interface InvestChoice {
  kind: "one" | "several";
  /** The asset to buy if `kind` is `one`. */
  asset: TradedAsset;
  /** The assets and their shares if `kind` is `several`. The shares sum to 100. */
  allocations: Allocation[];
  /** The most that the price may move before a swap is cancelled, basis points. */
  slippageBps: number;
  /** What pays. Null until the person chooses: the page then suggests it. */
  payWith: PayAsset | null;
}

export const DEFAULT_CHOICE: InvestChoice = {
  kind: "one",
  asset: "BTC",
  allocations: [
    { asset: "BTC", pct: 50 },
    { asset: "ETH", pct: 30 },
    { asset: "USDC", pct: 20 },
  ],
  slippageBps: 100,
  payWith: null,
};

export const isSlippageBps = (bps: unknown): bps is number =>
  Number.isInteger(bps) && isNumberInRange(bps, SLIPPAGE_BPS_RANGE);

const toStorageKey = (wallet: string) => `roundup-invest-choice:${wallet}`;

export function updateInvestChoice(wallet: string, changes: Partial<InvestChoice>): void {
  storeValue(toStorageKey(wallet), { ...loadInvestChoice(wallet), ...changes });
}

/** Lets what was just saved pay for purchases, unless the person has chosen what pays, or buys USDC to keep it. */
export function followSavedAsset(wallet: string, payWith: PayAsset): void {
  const choice = loadInvestChoice(wallet);
  const buysUsdc = listAllocations(choice).some(({ asset }) => asset === "USDC");
  if (payWith === "USDC" && choice.payWith === null && !buysUsdc) updateInvestChoice(wallet, { payWith });
}

/** Works in the browser only. */
export const loadInvestChoice = (wallet: string): InvestChoice =>
  parseInvestChoice(browserStore.get(toStorageKey(wallet)));

export const useInvestChoice = (wallet: string): InvestChoice =>
  useParsedValue(toStorageKey(wallet), parseInvestChoice);

/** Returns the chosen assets with their shares, which sum to 100. What pays is among them if a share of it is kept. */
export const listAllocations = ({ kind, asset, allocations, payWith }: InvestChoice): Allocation[] =>
  kind === "one" ? [{ asset: asset === payWith ? DEFAULT_ASSET : asset, pct: 100 }] : allocations;

/** Parses a stored choice field by field. An invalid or no longer supported field falls back to its default. */
export function parseInvestChoice(text: string | null): InvestChoice {
  const { kind, asset, allocations, slippageBps, payWith } = parseFields(text);
  return {
    kind: kind === "several" ? kind : DEFAULT_CHOICE.kind,
    asset: TRADED_ASSETS.find((tradedAsset) => tradedAsset === asset) ?? DEFAULT_CHOICE.asset,
    allocations: areEditableAllocations(allocations)
      ? allocations.map(({ asset, pct }) => ({ asset, pct }))
      : DEFAULT_CHOICE.allocations,
    slippageBps: isSlippageBps(slippageBps) ? slippageBps : DEFAULT_CHOICE.slippageBps,
    payWith: PAY_ASSETS.find((payAsset) => payAsset === payWith) ?? DEFAULT_CHOICE.payWith,
  };
}

/** Whether the page can edit these: one asset at least is not SOL, and shares have two decimals at most. */
const areEditableAllocations = (allocations: unknown): allocations is Allocation[] =>
  Array.isArray(allocations) &&
  allocations.every(
    (leg) => ASSET_SYMBOLS.includes(leg?.asset) && leg.pct > 0 && Math.round(leg.pct * 100) / 100 === leg.pct,
  ) &&
  allocations.some(({ asset }) => asset !== "SOL") &&
  listAllocationFaults(allocations).length === 0;
