import { formatDecimal } from "@/lib/domain/money";
import { Unknown } from "./money";

/** Formats amounts of SOL and of tokens. */

const whole = new Intl.NumberFormat("en-US");

/** Base units as exact coins without trailing zeros: 12345678 with 8 decimals is 0.12345678. */
export function exactCoinsText(amount: string | bigint, decimals: number): string {
  const [coins = "", fraction] = formatDecimal(amount, decimals).replace("-", "").split(".");
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

/** Converts the lamports in a sentence of the service to SOL. */
export function solInText(sentence: string): string {
  return sentence.replace(/\b(\d{1,18}) lamports\b/g, (_, lamports: string) => `${exactCoinsText(lamports, 9)} SOL`);
}

/** SOL to six significant digits, or all of them in a sum. Shows the lamports on hover. */
export function Sol({ lamports, exact }: { lamports: number | bigint | null | undefined; exact?: boolean }) {
  if (lamports === null || lamports === undefined) return <Unknown />;
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${whole.format(lamports)} lamports`}>
      {(exact ? exactCoinsText : coinsText)(BigInt(lamports), 9)} SOL
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
