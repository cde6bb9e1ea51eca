import type { Portfolio } from "@/app/_client/queries/queries";
import { formatExactCoins } from "@/app/_components/coins";
import { formatUsd } from "@/app/_components/money";
import { parseDecimal } from "@/app/_components/parse-amount";
import { findKnownTokenByMint, KNOWN_TOKENS, type KnownToken, TRADED_ASSETS } from "@/lib/domain/assets";
import {
  computeValueMicroUsd,
  formatDecimal,
  fromMicroUsd,
  microUsdToUnits,
  roundToCents,
  toMicroUsd,
} from "@/lib/domain/money";

export type Unit = "usd" | "coins";

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

/** Parses the typed amount, rounded down. Exactly the dollars that are shown as available mean the whole holding. */
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

/** A wallet's holdings of one asset, including older mints and wrapped SOL. */
export interface HeldAsset {
  asset: KnownToken;
  /** Base units of the asset. */
  amount: bigint;
  decimals: number;
  /** USD per coin; null while unknown. */
  priceUsd: number | null;
}

/** Returns the assets that can be withdrawn in part. Unknown tokens can only leave with a full withdrawal. */
export function listHeldAssets({ balances }: Portfolio): HeldAsset[] {
  const heldAssets = new Map<KnownToken, HeldAsset>();
  for (const { mint, amount, decimals, priceUsd } of balances) {
    const asset = findKnownTokenByMint(mint);
    // Base units with different decimals cannot be added. The portfolio still lists such a balance.
    if (asset === null || decimals !== KNOWN_TOKENS[asset].decimals) continue;
    const previousAmount = heldAssets.get(asset)?.amount ?? 0n;
    heldAssets.set(asset, { asset, decimals, priceUsd, amount: previousAmount + BigInt(amount) });
  }
  return [...heldAssets.values()];
}

/** Returns the assets that can be sold. SOL is what a sale pays out. */
export const listSellableAssets = (portfolio: Portfolio) =>
  listHeldAssets(portfolio).filter(({ asset }) => TRADED_ASSETS.some((traded) => traded === asset));
