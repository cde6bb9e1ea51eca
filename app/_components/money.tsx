import { formatExactUsd, isUnderCent, roundToMicro } from "@/lib/domain/money";

/* An unknown amount is shown as a labelled dash, never as $0.00. */

const centsFormat = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD" });
const dollarsFormat = new Intl.NumberFormat("en-US", { style: "currency", currency: "USD", maximumFractionDigits: 0 });
const compactFormat = new Intl.NumberFormat("en-US", {
  style: "currency",
  currency: "USD",
  notation: "compact",
  // Node and browsers disagree about the default.
  minimumFractionDigits: 0,
  maximumFractionDigits: 1,
});

/** Formats dollars to the cent, after micro-dollars as in every sum. Less than a cent is "<$0.01" or "-<$0.01". */
export function formatUsd(usd: number): string {
  if (usd === 0 || !isUnderCent(usd)) return centsFormat.format(roundToMicro(usd));
  return usd < 0 ? "-<$0.01" : "<$0.01";
}

/** Formats an estimate: whole dollars from 100 up. */
export function formatEstimatedUsd(usd: number): string {
  return Math.abs(usd) < 100 ? formatUsd(usd) : dollarsFormat.format(usd);
}

/** Formats a round amount of a chart's axis: $2.50, $10, $2.5K. */
export function formatTickUsd(usd: number): string {
  return Number.isInteger(usd) ? compactFormat.format(usd) : formatUsd(usd);
}

/** 0.0025 is 0.25 %. */
export function formatPercent(share: number, digits = 2): string {
  return `${(share * 100).toLocaleString("en-US", { maximumFractionDigits: digits })} %`;
}

/** Draws a dash, which screen readers read as "unknown". */
export function Unknown() {
  return (
    <span title="Not known right now">
      <span aria-hidden="true">—</span>
      <span className="sr-only">unknown</span>
    </span>
  );
}

interface Props {
  usd: number | null | undefined;
  isExact?: boolean;
  className?: string;
}

/** Shows the unrounded amount on hover. */
export function UsdAmount({ usd, isExact = false, className = "" }: Props) {
  if (usd === null || usd === undefined) return <Unknown />;
  return (
    <span className={`tabular-nums ${className}`} title={`${usd} USD`}>
      {isExact ? formatExactUsd(usd) : formatUsd(usd)}
    </span>
  );
}

/** Shows a sum. With an unknown part, the sum of the known parts is shown as a minimum. */
export function SumUsd({ values }: { values: (number | null)[] }) {
  const knownUsd = values.filter((usd) => usd !== null);
  if (knownUsd.length === 0 && values.length > 0) return <Unknown />;
  return (
    <>
      {knownUsd.length < values.length && "at least "}
      <UsdAmount usd={knownUsd.reduce((sum, usd) => sum + usd, 0)} />
    </>
  );
}
