import { toCents } from "@/lib/domain/money";

/** The only place where amounts become text. Unknown is a dash that says so, never $0.00. */

const cents = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const fine = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumSignificantDigits: 2 });
const exact = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 6 });
const dollars = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const whole = new Intl.NumberFormat("en-US");

/** Dollars to the cent; under a cent to two significant digits. */
export function usdText(usd: number): string {
  return usd !== 0 && Math.abs(usd) < 0.01 ? fine.format(usd) : cents.format(usd);
}

/** What is only estimated: whole dollars from a hundred on. */
export function usdRoundText(usd: number): string {
  return Math.abs(usd) < 100 ? usdText(usd) : dollars.format(usd);
}

/** Every digit down to the micro-dollar, and always the cents: parts shown like this visibly add up. */
export function usdExactText(usd: number): string {
  return exact.format(usd);
}

/** Base units as exact coins without trailing zeros: 12345678 with 8 decimals is 0.12345678. */
export function coinsText(amount: string | bigint, decimals: number, maxDecimals = decimals): string {
  const digits = BigInt(amount);
  const negative = digits < 0n;
  const text = (negative ? -digits : digits).toString().padStart(decimals + 1, "0");
  const coins = whole.format(BigInt(text.slice(0, text.length - decimals)));
  const kept = keepDigits(text.slice(text.length - decimals), maxDecimals).replace(/0+$/, "");
  return `${negative ? "−" : ""}${coins}${kept && `.${kept}`}`;
}

/** Cut to `max` digits, but never to nothing but zeros while something is there. */
function keepDigits(fraction: string, max: number): string {
  const first = fraction.search(/[1-9]/);
  return fraction.slice(0, Math.max(max, first === -1 ? 0 : first + 2));
}

/** For files: exact, a plain decimal without separators and with an ASCII minus. */
export function plainCoins(amount: string | number | bigint, decimals: number): string {
  return coinsText(BigInt(amount), decimals).replaceAll(",", "").replace("−", "-");
}

export function percentText(share: number, digits = 2): string {
  return `${(share * 100).toLocaleString("en-US", { maximumFractionDigits: digits })} %`;
}

/** A sentence of the service with its lamports as SOL. */
export function solInText(sentence: string): string {
  return sentence.replace(/\b(\d{1,18}) lamports\b/g, (_, lamports: string) => `${coinsText(lamports, 9)} SOL`);
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
  /** As usdExactText does it. */
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

/** An amount as usdText shows it. */
const shownUsd = (usd: number): number => (Math.abs(usd) < 0.01 ? usd : toCents(usd));

/** A sum under its parts: of what they show, so that it adds up to the eye; null where one is not known. */
export function sumShown(parts: readonly (number | null)[]): number | null {
  return parts.reduce((sum, usd) => (sum === null || usd === null ? null : sum + shownUsd(usd)), 0);
}

/** A cent more or less would be seen. */
const TINY_USD = 0.05;

/**
 * Parts above a total that other pages show too, so that both are right: what rounding leaves goes into the last part that is
 * not tiny. As they are where one is not known. @param hidden USD of the total that has no line
 */
export function addingUp(parts: readonly (number | null)[], hidden = 0): (number | null)[] {
  const known = parts.filter((usd) => usd !== null);
  const last = parts.findLastIndex((usd) => usd !== null && usd >= TINY_USD);
  if (known.length < parts.length || last === -1) return [...parts];
  const shown = known.map(shownUsd);
  const off =
    toCents(known.reduce((sum, usd) => sum + usd, hidden)) - toCents(shown.reduce((sum, usd) => sum + usd, 0));
  return shown.map((usd, i) => (i === last ? toCents(usd + off) : usd));
}

/** A sum; what is not known of it is never counted as nothing. */
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

/** SOL to 6 decimals, the exact lamports on hover. */
export function Sol({
  lamports,
  className = "",
}: {
  lamports: number | bigint | null | undefined;
  className?: string;
}) {
  if (lamports === null || lamports === undefined) return <Unknown />;
  return (
    <span className={`whitespace-nowrap tabular-nums ${className}`} title={`${whole.format(lamports)} lamports`}>
      {coinsText(BigInt(lamports), 9, 6)} SOL
    </span>
  );
}

/** Any token by its base units, exact on hover. */
export function Coins({
  amount,
  decimals,
  symbol,
  digits = 8,
}: {
  amount: string;
  decimals: number;
  symbol: string;
  /** Decimals shown at most. */
  digits?: number;
}) {
  return (
    <span className="whitespace-nowrap tabular-nums" title={`${coinsText(amount, decimals)} ${symbol}`}>
      {coinsText(amount, decimals, digits)} {symbol}
    </span>
  );
}
