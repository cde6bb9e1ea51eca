"use client";

import { type Portfolio, usePrices } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { ButtonLink } from "@/app/_components/button";
import { Card } from "@/app/_components/card";
import { CoinLogo, getCoinColour } from "@/app/_components/coin-logo";
import { formatCoins, formatExactCoins } from "@/app/_components/coins";
import { formatPercent, UsdAmount } from "@/app/_components/money";
import { PriceAge } from "@/app/dashboard/_components/price-age";
import { UnreadAccountsNote } from "@/app/dashboard/_components/unread-accounts-note";
import { useWorth } from "@/app/dashboard/_components/use-worth";
import { type AssetSymbol, findKnownTokenByMint, KNOWN_TOKENS } from "@/lib/domain/assets";

type Balance = Portfolio["balances"][number];

/** Lists the service wallet's holdings in a table, and in a chart when there is more than one. */
export function Holdings({ portfolio }: { portfolio: Portfolio }) {
  const { balances, leftOut } = portfolio;
  const { valuesUsd } = useWorth(portfolio, useReadySession().serviceWallet);
  const { data: prices } = usePrices();
  if (balances.length === 0 && leftOut.length === 0) {
    return (
      <Card title="Holdings">
        <p className="text-soft">Your savings wallet is empty.</p>
      </Card>
    );
  }
  const pricedBalances = balances.filter(({ usdValue }) => usdValue !== null && usdValue > 0);
  const totalUsd = pricedBalances.reduce((sum, { usdValue }) => sum + usdValue!, 0);
  const slices = pricedBalances.map((balance) => ({
    key: balance.mint + balance.symbol,
    value: balance.usdValue!,
    colour: balance.asset ? getCoinColour(balance.asset) : "var(--color-line-strong)",
  }));
  return (
    <Card title="Holdings">
      <div className="flex flex-col items-center gap-6 sm:flex-row sm:items-start">
        {slices.length > 1 && (
          <div className="max-sm:hidden">
            <AllocationChart slices={slices} />
          </div>
        )}
        <div className="w-full min-w-0 flex-1">
          {balances.length > 0 && <HoldingsTable balances={balances} shownValuesUsd={valuesUsd} totalUsd={totalUsd} />}
          {pricedBalances.length < balances.length && (
            <p className="mt-3 text-sm text-soft">Shares include only coins with a price.</p>
          )}
        </div>
      </div>
      {prices && prices.problems.length > 0 && <PriceAge />}
      <UnreadAccountsNote className="mt-4" accounts={leftOut} />
    </Card>
  );
}

interface TableProps {
  balances: Balance[];
  /** The value of each balance to display, USD; null if unknown. */
  shownValuesUsd: (number | null)[];
  totalUsd: number;
}

function HoldingsTable({ balances, shownValuesUsd, totalUsd }: TableProps) {
  return (
    <table className="w-full text-left">
      <caption className="sr-only">What the savings wallet holds</caption>
      <thead className="text-sm text-soft max-sm:sr-only">
        <tr className="border-b border-line">
          <th className="py-2 font-medium">Asset</th>
          <th className="py-2 pl-3 text-right font-medium">Value</th>
          <th className="py-2">
            <span className="sr-only">Trade</span>
          </th>
        </tr>
      </thead>
      <tbody className="divide-y divide-line">
        {balances.map((balance, i) => (
          <Holding
            key={balance.mint + balance.symbol}
            {...{ balance, totalUsd }}
            shownUsd={shownValuesUsd[i] ?? null}
          />
        ))}
      </tbody>
    </table>
  );
}

interface HoldingProps extends Pick<TableProps, "totalUsd"> {
  balance: Balance;
  /** The value to display, USD; null if unknown. */
  shownUsd: number | null;
}

function Holding({ balance, shownUsd, totalUsd }: HoldingProps) {
  const { asset, symbol, mint, amount, decimals, usdValue, unpriced } = balance;
  return (
    <tr>
      <th scope="row" className="py-1.5 font-normal sm:py-2">
        <span className="flex items-start gap-2.5">
          {asset ? (
            <CoinLogo asset={asset} className="mt-0.5 size-5" />
          ) : (
            <span aria-hidden="true" className="mt-0.5 size-5 shrink-0 rounded-full bg-line-strong" />
          )}
          <span className="min-w-0">
            <span className="block font-medium" title={mint}>
              {symbol} <span className="text-sm font-normal text-soft max-sm:sr-only">{getDisplayName(balance)}</span>
            </span>
            <span
              className="block text-sm text-soft tabular-nums"
              title={`${formatExactCoins(amount, decimals)} ${symbol}`}
            >
              {formatCoins(amount, decimals)} <span className="max-sm:sr-only">{symbol}</span>
            </span>
          </span>
        </span>
      </th>
      <td className="py-1.5 pl-3 text-right align-top sm:py-2">
        <UsdAmount usd={shownUsd} />
        <span className="block whitespace-nowrap text-sm text-soft tabular-nums">
          {usdValue === null || totalUsd === 0
            ? unpriced === "unknown"
              ? "price unknown"
              : "no price"
            : formatPercent(usdValue / totalUsd, 1)}
        </span>
      </td>
      <td className="w-0 py-1 pl-2">{asset && asset !== "SOL" && <TradeLinks asset={asset} />}</td>
    </tr>
  );
}

function TradeLinks({ asset }: { asset: AssetSymbol }) {
  return (
    <span className="flex max-[22rem]:flex-col">
      {(["Buy", "Sell"] as const).map((side) => (
        <ButtonLink
          key={side}
          href={`/dashboard/invest?${side.toLowerCase()}=${asset}`}
          variant="quiet"
          className="px-2"
        >
          {side} <span className="sr-only">{asset}</span>
        </ButtonLink>
      ))}
    </span>
  );
}

/** Returns the asset's name, or the kind of a balance that is not the asset's current coin. */
function getDisplayName({ symbol, mint }: Balance): string {
  const token = findKnownTokenByMint(mint);
  if (token === null) return "Unknown token";
  if (token !== "SOL") return symbol === token ? KNOWN_TOKENS[token].name : "Older kind";
  return symbol === "SOL" ? "Not invested" : "Wrapped";
}

interface Slice {
  key: string;
  /** The size of the slice, in any unit that all slices share. */
  value: number;
  colour: string;
}

/** All in units of the view box. */
const [SIZE, RADIUS, STROKE_WIDTH] = [176, 72, 28];
/** The gap between two slices, 3 units of the view box, as a share of the ring. */
const GAP_SHARE = 3 / (2 * Math.PI * RADIUS);

/** Draws shares as a ring, clockwise from the top. The table beside it has the same figures for screen readers. */
export function AllocationChart({ slices }: { slices: Slice[] }) {
  const total = slices.reduce((sum, { value }) => sum + value, 0);
  let nextStart = 0;
  const arcs = slices.map(({ key, value, colour }) => {
    const [share, start] = [value / total, nextStart];
    nextStart += share;
    // A share that is smaller than the gap still shows a thin line.
    return { key, colour, start, length: Math.max(share - GAP_SHARE, GAP_SHARE / 2) };
  });
  return (
    <svg
      viewBox={`0 0 ${SIZE} ${SIZE}`}
      width={SIZE}
      height={SIZE}
      aria-hidden="true"
      data-testid="allocation"
      className="shrink-0 fill-none"
    >
      {arcs.map(({ key, colour, start, length }) => (
        <circle
          key={key}
          cx={SIZE / 2}
          cy={SIZE / 2}
          r={RADIUS}
          pathLength={1}
          stroke={colour}
          strokeWidth={STROKE_WIDTH}
          strokeDasharray={`${length} ${1 - length}`}
          transform={`rotate(${start * 360 - 90} ${SIZE / 2} ${SIZE / 2})`}
        />
      ))}
    </svg>
  );
}
