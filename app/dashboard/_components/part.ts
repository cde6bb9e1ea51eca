import { formatExactCoins } from "@/app/_components/coins";
import { formatUsd } from "@/app/_components/money";
import { parseDecimal } from "@/app/_components/parse-amount";
import type { KnownToken } from "@/lib/domain/assets";
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
  asset: KnownToken;
  unit: Unit;
  text: string;
  /** Base units behind a text that the page wrote, which may be rounded. Null once the person has typed. */
  exactAmount: bigint | null;
}

export const createPart = (asset: KnownToken): Part => ({ asset, unit: "usd", text: "", exactAmount: null });

const findHolding = ({ asset }: Part, heldAssets: HeldAsset[]) =>
  heldAssets.find((candidate) => candidate.asset === asset);

/** Returns the unit in which the amount is typed. Dollars need a price. */
export const chooseUnit = ({ unit }: Part, { priceUsd }: HeldAsset): Unit => (priceUsd ? unit : "coins");

/** Returns the value of base units, USD rounded to the cent, or null without a price. */
export function computeValueUsd(amount: bigint, { decimals, priceUsd }: HeldAsset): number | null {
  return priceUsd ? roundToCents(fromMicroUsd(computeValueMicroUsd(amount, decimals, priceUsd))) : null;
}

/** Returns the typed amount in base units, or null when the text is not an amount. */
export const readPartAmount = (part: Part, holding: HeldAsset): bigint | null => parsePart(part, holding).amount;

type TypedPart = { amount: bigint; error: null } | { amount: null; error: string };

/**
 * Parses the typed amount into base units, or says why it cannot. Dollars are converted to base units, rounded down.
 * Exactly the dollars that are shown as available mean the whole holding.
 */
function parsePart(part: Part, holding: HeldAsset): TypedPart {
  if (part.exactAmount !== null) return { amount: part.exactAmount, error: null };
  const isUsd = chooseUnit(part, holding) === "usd";
  const { decimal, error } = parseDecimal(part.text, isUsd ? undefined : part.asset);
  if (decimal === null) return { amount: null, error };
  if (!isUsd) return parseCoins(decimal, holding.decimals);
  const usd = Number(decimal);
  if (usd > 0 && usd === computeValueUsd(holding.amount, holding)) return { amount: holding.amount, error: null };
  return { amount: microUsdToUnits(toMicroUsd(usd), holding.decimals, holding.priceUsd!), error: null };
}

/** Converts a decimal to base units, or says that it has too many decimals. */
function parseCoins(decimal: string, decimals: number): TypedPart {
  const [whole = "", fraction = ""] = decimal.split(".");
  if (fraction.length > decimals) return { amount: null, error: `Use at most ${decimals} decimals, like 0.1.` };
  return { amount: BigInt(whole + fraction.padEnd(decimals, "0")), error: null };
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
  const { amount, error } = parsePart(part, holding);
  if (amount === null) return error;
  if (amount === 0n) return "The amount must be more than 0.";
  if (amount <= holding.amount) return null;
  return chooseUnit(part, holding) === "usd"
    ? `You have ${formatUsd(computeValueUsd(holding.amount, holding)!)}.`
    : `You have ${formatExactCoins(holding.amount, holding.decimals)} ${part.asset}.`;
}

/** Returns the request for a valid part. A null amount means the whole holding, so that exactly nothing remains. */
export function buildPartRequest(
  part: Part,
  heldAssets: HeldAsset[],
): { asset: KnownToken; amountBaseUnits: string | null } {
  const holding = findHolding(part, heldAssets)!;
  const amount = readPartAmount(part, holding)!;
  return { asset: part.asset, amountBaseUnits: amount === holding.amount ? null : amount.toString() };
}
