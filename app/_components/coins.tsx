import { formatDecimal } from "@/lib/domain/money";
import { Unknown } from "./money";

/** Formats amounts of SOL and of tokens. */

const integerFormat = new Intl.NumberFormat("en-US");

/** Formats base units as exact coins without trailing zeros: 12345678 with 8 decimals is 0.12345678. */
export function formatExactCoins(amount: string | bigint, decimals: number): string {
  const [coins = "", fraction] = formatDecimal(amount, decimals).replace("-", "").split(".");
  return `${BigInt(amount) < 0n ? "−" : ""}${integerFormat.format(BigInt(coins))}${fraction ? `.${fraction}` : ""}`;
}

const SIGNIFICANT_DIGITS = 6;
const SOL_DECIMALS = 9;

/**
 * Formats base units as coins, cut to six significant digits. Whole coins are never cut. The amount is never rounded up,
 * because the page would then show more than the wallet holds.
 */
export function formatCoins(amount: string | bigint, decimals: number): string {
  const [coins = "", fraction = ""] = formatExactCoins(amount, decimals).split(".");
  const isBelowOne = /^\D*0$/.test(coins);
  const fractionDigits =
    SIGNIFICANT_DIGITS + (isBelowOne ? fraction.search(/[1-9]/) : -coins.replace(/\D/g, "").length);
  const shownFraction = fraction.slice(0, Math.max(0, fractionDigits)).replace(/0+$/, "");
  return shownFraction ? `${coins}.${shownFraction}` : coins;
}

/** Rewrites every amount in lamports in a sentence of the service as SOL. */
export function replaceLamports(sentence: string): string {
  return sentence.replace(
    /\b(\d{1,18}) lamports\b/g,
    (_, lamports: string) => `${formatExactCoins(lamports, SOL_DECIMALS)} SOL`,
  );
}

/** Shows SOL to six significant digits, or exactly, so that parts add up to their sum. Shows the lamports on hover. */
export function Sol({ lamports, isExact }: { lamports: number | bigint | null | undefined; isExact?: boolean }) {
  if (lamports === null || lamports === undefined) return <Unknown />;
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${integerFormat.format(lamports)} lamports`}>
      {(isExact ? formatExactCoins : formatCoins)(BigInt(lamports), SOL_DECIMALS)} SOL
    </span>
  );
}

/** Shows a token amount, given in base units, to six significant digits. Shows the exact amount on hover. */
export function Coins({ amount, decimals, symbol }: { amount: string; decimals: number; symbol: string }) {
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${formatExactCoins(amount, decimals)} ${symbol}`}>
      {formatCoins(amount, decimals)} {symbol}
    </span>
  );
}
