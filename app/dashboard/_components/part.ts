import { formatExactCoins } from "@/app/_components/coins";
import { formatUsd } from "@/app/_components/money";
import { parseAmount } from "@/app/_components/parse-amount";
import type { AssetSymbol } from "@/lib/domain/assets";
import {
  computeValueMicroUsd,
  formatDecimal,
  fromMicroUsd,
  microUsdToUnits,
  roundToCents,
  toMicroUsd,
} from "@/lib/domain/money";
import type { HeldAsset } from "./held-assets";

export type Unit = "usd" | "coins";

/** A part of one holding, as the person typed it. */
export interface Part {
  asset: AssetSymbol;
  unit: Unit;
  text: string;
  /** Base units behind a text that the page wrote, which may be rounded. Null once the person has typed. */
  exactAmount: bigint | null;
}

export const createPart = (asset: AssetSymbol): Part => ({ asset, unit: "usd", text: "", exactAmount: null });

const findHolding = ({ asset }: Part, heldAssets: HeldAsset[]) =>
  heldAssets.find((candidate) => candidate.asset === asset);

/** Returns the unit in which the amount is typed. Dollars need a price. */
export const chooseUnit = ({ unit }: Part, { priceUsd }: HeldAsset): Unit => (priceUsd ? unit : "coins");

/** Returns the value of base units, USD rounded to the cent, or null without a price. */
export function computeValueUsd(amount: bigint, { decimals, priceUsd }: HeldAsset): number | null {
  return priceUsd ? roundToCents(fromMicroUsd(computeValueMicroUsd(amount, decimals, priceUsd))) : null;
}

/**
 * Returns the typed amount in base units, or null when the text is not an amount. Dollars are converted to base units,
 * rounded down. Exactly the dollars that are shown as available mean the whole holding.
 */
export function readPartAmount(part: Part, holding: HeldAsset): bigint | null {
  if (part.exactAmount !== null) return part.exactAmount;
  if (chooseUnit(part, holding) === "coins") return parseCoins(part.text, holding.decimals);
  const usd = parseAmount(part.text);
  if (usd === null) return null;
  if (usd > 0 && usd === computeValueUsd(holding.amount, holding)) return holding.amount;
  return microUsdToUnits(toMicroUsd(usd), holding.decimals, holding.priceUsd!);
}

/** Parses typed coins into base units. Returns null when the text is not an amount or has too many decimals. */
function parseCoins(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,12})(?:[.,](\d*))?$/.exec(text.trim());
  const [whole, fraction = ""] = match?.slice(1) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Returns the part with another amount, given in base units and written in the given unit. */
export function replaceAmount(part: Part, holding: HeldAsset, amount: bigint, unit = chooseUnit(part, holding)): Part {
  const text = unit === "usd" ? computeValueUsd(amount, holding)!.toFixed(2) : formatDecimal(amount, holding.decimals);
  return { ...part, unit, text, exactAmount: amount };
}

/** Returns the sentence that says why this part cannot be taken, or null when it can. */
export function findPartFault(part: Part, heldAssets: HeldAsset[]): string | null {
  const holding = findHolding(part, heldAssets);
  if (!holding) return `There is no ${part.asset} in your savings wallet.`;
  if (part.text.trim() === "") return "Type an amount, or choose a share.";
  const amount = readPartAmount(part, holding);
  const isUsd = chooseUnit(part, holding) === "usd";
  if (amount === null) {
    return isUsd ? "Write the amount with digits, like 27.63." : `Use at most ${holding.decimals} decimals, like 0.1.`;
  }
  if (amount === 0n) return "The amount must be more than 0.";
  if (amount <= holding.amount) return null;
  return isUsd
    ? `You have ${formatUsd(computeValueUsd(holding.amount, holding)!)}.`
    : `You have ${formatExactCoins(holding.amount, holding.decimals)} ${part.asset}.`;
}

/** Returns the request for a valid part. A null amount means the whole holding, so that exactly nothing remains. */
export function buildPartRequest(part: Part, heldAssets: HeldAsset[]): { asset: AssetSymbol; amount: string | null } {
  const holding = findHolding(part, heldAssets)!;
  const amount = readPartAmount(part, holding)!;
  return { asset: part.asset, amount: amount === holding.amount ? null : amount.toString() };
}
