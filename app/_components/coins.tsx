import { formatDecimal } from "@/lib/domain/money";
import { Unknown } from "./money";

const integerFormat = new Intl.NumberFormat("en-US");

/** Formats base units as exact coins without trailing zeros: 12345678 with 8 decimals is 0.12345678. */
export function formatExactCoins(baseUnits: string | bigint, decimals: number): string {
  const [wholeCoins = "", fraction] = formatDecimal(baseUnits, decimals).replace("-", "").split(".");
  const sign = BigInt(baseUnits) < 0n ? "−" : "";
  return `${sign}${integerFormat.format(BigInt(wholeCoins))}${fraction ? `.${fraction}` : ""}`;
}

const SIGNIFICANT_DIGITS = 6;
const SOL_DECIMALS = 9;
const USDC_DECIMALS = 6;

/** Formats base units as coins, cut to six significant digits. Never rounds up: the wallet does not hold more. */
export function formatCoins(baseUnits: string | bigint, decimals: number): string {
  const [wholeCoins = "", fraction = ""] = formatExactCoins(baseUnits, decimals).split(".");
  const isBelowOne = /^\D*0$/.test(wholeCoins);
  const fractionDigits =
    SIGNIFICANT_DIGITS + (isBelowOne ? fraction.search(/[1-9]/) : -wholeCoins.replace(/\D/g, "").length);
  const shownFraction = fraction.slice(0, Math.max(0, fractionDigits)).replace(/0+$/, "");
  return shownFraction ? `${wholeCoins}.${shownFraction}` : wholeCoins;
}

/** Replaces each amount in lamports in the service's sentence with the amount in SOL. */
export function replaceLamports(sentence: string): string {
  return sentence.replace(
    /\b(\d{1,18}) lamports\b/g,
    (_, lamports: string) => `${formatExactCoins(lamports, SOL_DECIMALS)} SOL`,
  );
}

/** Shows SOL to six significant digits, or all if `isExact`, so that displayed parts add up to their sum. */
export function Sol({ lamports, isExact }: { lamports: number | bigint | null | undefined; isExact?: boolean }) {
  if (lamports === null || lamports === undefined) return <Unknown />;
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${integerFormat.format(lamports)} lamports`}>
      {(isExact ? formatExactCoins : formatCoins)(BigInt(lamports), SOL_DECIMALS)} SOL
    </span>
  );
}

interface CoinsProps {
  amount: string;
  decimals: number;
  symbol: string;
  isExact?: boolean;
}

/** Shows base units of a token as `Sol` shows SOL. */
export function Coins({ amount, decimals, symbol, isExact }: CoinsProps) {
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${formatExactCoins(amount, decimals)} ${symbol}`}>
      {(isExact ? formatExactCoins : formatCoins)(amount, decimals)} {symbol}
    </span>
  );
}

export const Usdc = ({ units }: { units: number | string | bigint }) => (
  <Coins amount={String(units)} decimals={USDC_DECIMALS} symbol="USDC" />
);

/** Shows USDC, and SOL on a line of its own if there is any. */
export function UsdcAndSol({ units, lamports }: { units: number; lamports: number }) {
  return (
    <>
      {units > 0 && (
        <span className="block">
          <Usdc units={units} />
        </span>
      )}
      {(lamports > 0 || units === 0) && <Sol lamports={lamports} />}
    </>
  );
}
