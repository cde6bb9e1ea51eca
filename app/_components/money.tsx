import { decimalText, usdExactText } from "@/lib/domain/money";
import { isUnderCent, roundKnownToSum } from "@/lib/domain/shown-sum";

/** Formats amounts. All displayed amounts go through this file. An unknown amount is a labelled dash, never $0.00. */

const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const compact = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  // Node and browsers disagree about the default.
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});
const whole = new Intl.NumberFormat("en-US");

/** Formats dollars to the cent. Formats an amount under one cent, of either sign, as "<$0.01". */
export function usdText(usd: number): string {
  return usd !== 0 && isUnderCent(usd) ? "<$0.01" : cents.format(usd);
}

/** Formats an estimate: whole dollars from 100 up. */
export function usdRoundText(usd: number): string {
  return Math.abs(usd) < 100 ? usdText(usd) : dollars.format(usd);
}

/** Formats a round amount of a chart's axis: $2.50, $10, $2.5K. */
export function usdTickText(usd: number): string {
  return Number.isInteger(usd) ? compact.format(usd) : usdText(usd);
}

/** Base units as exact coins without trailing zeros: 12345678 with 8 decimals is 0.12345678. */
export function exactCoinsText(amount: string | bigint, decimals: number): string {
  const [coins = "", fraction] = decimalText(amount, decimals).replace("-", "").split(".");
  return `${BigInt(amount) < 0n ? "−" : ""}${whole.format(BigInt(coins))}${fraction ? `.${fraction}` : ""}`;
}

const COIN_DIGITS = 6;

/** Base units as coins, cut to six significant digits. Never cuts whole coins, and never shows more than there is. */
export function coinsText(amount: string | bigint, decimals: number): string {
  const [coins = "", fraction = ""] = exactCoinsText(amount, decimals).split(".");
  const isBelowOne = /^\D*0$/.test(coins);
  const digits = COIN_DIGITS + (isBelowOne ? fraction.search(/[1-9]/) : -coins.replace(/\D/g, "").length);
  const kept = fraction.slice(0, Math.max(0, digits)).replace(/0+$/, "");
  return kept ? `${coins}.${kept}` : coins;
}

export function percentText(share: number, digits = 2): string {
  return `${(share * 100).toLocaleString("en-US", { maximumFractionDigits: digits })} %`;
}

/** Converts the lamports in a sentence of the service to SOL. */
export function solInText(sentence: string): string {
  return sentence.replace(/\b(\d{1,18}) lamports\b/g, (_, lamports: string) => `${exactCoinsText(lamports, 9)} SOL`);
}

function Unknown() {
  return (
    <span title="Not known right now">
      <span aria-hidden="true">—</span>
      <span className="sr-only">unknown</span>
    </span>
  );
}

export function Usd({
  value,
  exact = false,
  className = "",
}: {
  value: number | null | undefined;
  /** Formats like usdExactText. */
  exact?: boolean;
  className?: string;
}) {
  if (value === null || value === undefined) return <Unknown />;
  return (
    <span className={`tabular-nums ${className}`} title={`${value} USD`}>
      {exact ? usdExactText(value) : usdText(value)}
    </span>
  );
}

/**
 * Adjusts parts so that their displayed values add up to a total that other pages show too. Returns the parts unchanged
 * when one is unknown.
 */
export function addingUp(parts: readonly (number | null)[]): (number | null)[] {
  const known = parts.map((usd) => ({ usd }));
  return (
    roundKnownToSum(
      known,
      known.reduce((sum, { usd }) => sum + (usd ?? 0), 0),
    )?.parts ?? [...parts]
  );
}

/** Shows a sum. An unknown part is never counted as zero. */
export function SumUsd({ values }: { values: (number | null)[] }) {
  const known = values.filter((usd) => usd !== null);
  if (known.length === 0 && values.length > 0) return <Unknown />;
  return (
    <>
      {known.length < values.length && "at least "}
      <Usd value={known.reduce((sum, usd) => sum + usd, 0)} />
    </>
  );
}

/** SOL to six significant digits, the exact lamports on hover. */
export function Sol({ lamports }: { lamports: number | bigint | null | undefined }) {
  if (lamports === null || lamports === undefined) return <Unknown />;
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${whole.format(lamports)} lamports`}>
      {coinsText(BigInt(lamports), 9)} SOL
    </span>
  );
}

/** Any token by its base units, to six significant digits, exact on hover. */
export function Coins({ amount, decimals, symbol }: { amount: string; decimals: number; symbol: string }) {
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${exactCoinsText(amount, decimals)} ${symbol}`}>
      {coinsText(amount, decimals)} {symbol}
    </span>
  );
}
