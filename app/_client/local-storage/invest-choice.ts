import { ASSETS, type AssetSymbol } from "@/lib/domain/assets";
import { SLIPPAGE_BPS } from "@/lib/domain/limits";
import type { Leg } from "@/lib/sdk/flow/invest";
import { parseFields, storeValue } from "./stored-value";

export type Buyable = Exclude<AssetSymbol, "SOL">;

export const BUYABLE: readonly Buyable[] = ["BTC", "ETH", "USDC", "USDT"];

/** The last choice on the invest page, stored per wallet in this browser. */
export interface InvestChoice {
  kind: "one" | "several";
  /** The target when a single asset is bought. */
  asset: Buyable;
  /** The shares when several assets are bought. They sum to 100. */
  legs: Leg[];
  slippageBps: number;
}

export const FIRST_CHOICE: InvestChoice = {
  kind: "one",
  asset: "BTC",
  legs: [
    { asset: "BTC", pct: 50 },
    { asset: "ETH", pct: 30 },
    { asset: "USDC", pct: 20 },
  ],
  slippageBps: 100,
};

export const isSlippage = (bps: unknown): bps is number =>
  Number.isInteger(bps) && Number(bps) >= SLIPPAGE_BPS.min && Number(bps) <= SLIPPAGE_BPS.max;

const keyOf = (wallet: string) => `roundup-invest-choice:${wallet}`;

export function storeChoice(wallet: string, choice: InvestChoice): void {
  storeValue(keyOf(wallet), choice);
}

/** Reads the stored choice. Browser only. */
export const storedChoice = (wallet: string): InvestChoice => readChoice(localStorage.getItem(keyOf(wallet)));

/** Parses a stored choice field by field. An invalid or no longer supported field falls back to its default. */
export function readChoice(text: string | null): InvestChoice {
  const { kind, asset, legs, slippageBps } = parseFields(text);
  return {
    kind: kind === "several" ? kind : FIRST_CHOICE.kind,
    asset: BUYABLE.find((known) => known === asset) ?? FIRST_CHOICE.asset,
    legs: areLegs(legs) ? legs.map(({ asset, pct }) => ({ asset, pct })) : FIRST_CHOICE.legs,
    slippageBps: isSlippage(slippageBps) ? slippageBps : FIRST_CHOICE.slippageBps,
  };
}

function areLegs(legs: unknown): legs is Leg[] {
  if (!Array.isArray(legs)) return false;
  const shares = legs.map((leg) => Math.round(leg?.pct * 100));
  const assets = new Set(legs.map((leg) => leg?.asset));
  return (
    legs.every((leg) => Object.hasOwn(ASSETS, String(leg?.asset))) &&
    assets.size === legs.length &&
    BUYABLE.some((asset) => assets.has(asset)) &&
    shares.every((share, i) => share > 0 && share / 100 === legs[i].pct) &&
    shares.reduce((sum, share) => sum + share, 0) === 10_000
  );
}
