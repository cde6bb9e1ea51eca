import { parseAmount } from "@/app/_components/amount";
import { formatExactCoins } from "@/app/_components/coins";
import { formatUsd } from "@/app/_components/money";
import type { AssetSymbol } from "@/lib/domain/assets";
import {
  computeValueMicroUsd,
  formatDecimal,
  fromMicroUsd,
  microUsdToUnits,
  toCents,
  toMicroUsd,
} from "@/lib/domain/money";
import type { HeldAsset } from "./held-assets";

export type Unit = "usd" | "coins";

/** A part of one holding, as typed. */
export interface Part {
  asset: AssetSymbol;
  unit: Unit;
  text: string;
  /** Base units behind a text that the page wrote, which may be rounded. Null once the person has typed. */
  exact: bigint | null;
}

export const createPart = (asset: AssetSymbol): Part => ({ asset, unit: "usd", text: "", exact: null });

const findHolding = ({ asset }: Part, held: HeldAsset[]) => held.find((holding) => holding.asset === asset);

/** Returns the unit in which the amount is typed. Dollars need a price. */
export const chooseUnit = ({ unit }: Part, { priceUsd }: HeldAsset): Unit => (priceUsd ? unit : "coins");

/** Returns the value of base units in USD to the cent, or null without a price. */
export function computeWorth(amount: bigint, { decimals, priceUsd }: HeldAsset): number | null {
  return priceUsd ? toCents(fromMicroUsd(computeValueMicroUsd(amount, decimals, priceUsd))) : null;
}

/**
 * Returns the typed amount in base units, or null when the text is no amount. Dollars are converted rounded down. The
 * dollars shown as available mean the whole holding.
 */
export function readPartAmount(part: Part, found: HeldAsset): bigint | null {
  if (part.exact !== null) return part.exact;
  if (chooseUnit(part, found) === "coins") return parseCoins(part.text, found.decimals);
  const usd = parseAmount(part.text);
  if (usd === null) return null;
  if (usd > 0 && usd === computeWorth(found.amount, found)) return found.amount;
  return microUsdToUnits(toMicroUsd(usd), found.decimals, found.priceUsd!);
}

/** Parses typed coins into base units. Returns null when the text is not an amount or has too many decimals. */
function parseCoins(text: string, decimals: number): bigint | null {
  const match = /^(\d{1,12})(?:[.,](\d*))?$/.exec(text.trim());
  const [whole, fraction = ""] = match?.slice(1) ?? [];
  if (whole === undefined || fraction.length > decimals) return null;
  return BigInt(whole + fraction.padEnd(decimals, "0"));
}

/** Writes an amount into the part, in the given unit. */
export function setAmount(part: Part, found: HeldAsset, amount: bigint, unit = chooseUnit(part, found)): Part {
  const text = unit === "usd" ? computeWorth(amount, found)!.toFixed(2) : formatDecimal(amount, found.decimals);
  return { ...part, unit, text, exact: amount };
}

/** Returns the reason why this part cannot be taken, or null when it can. */
export function findPartFault(part: Part, held: HeldAsset[]): string | null {
  const found = findHolding(part, held);
  if (!found) return `There is no ${part.asset} in your savings wallet.`;
  if (part.text.trim() === "") return "Type an amount, or choose a share.";
  const amount = readPartAmount(part, found);
  const isUsd = chooseUnit(part, found) === "usd";
  if (amount === null) {
    return isUsd ? "Write the amount with digits, like 27.63." : `Use at most ${found.decimals} decimals, like 0.1.`;
  }
  if (amount === 0n) return "The amount must be more than 0.";
  if (amount <= found.amount) return null;
  return isUsd
    ? `You have ${formatUsd(computeWorth(found.amount, found)!)}.`
    : `You have ${formatExactCoins(found.amount, found.decimals)} ${part.asset}.`;
}

/** Converts a valid part into a request. The full amount is sent as null, so that exactly nothing remains. */
export function readPart(part: Part, held: HeldAsset[]): { asset: AssetSymbol; amount: string | null } {
  const found = findHolding(part, held)!;
  const amount = readPartAmount(part, found)!;
  return { asset: part.asset, amount: amount === found.amount ? null : amount.toString() };
}
