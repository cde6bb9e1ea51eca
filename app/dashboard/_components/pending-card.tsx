"use client";

import { useGuards } from "@/app/_client/local-storage/guards";
import { listAllocations, useInvestChoice } from "@/app/_client/local-storage/invest-choice";
import type { Portfolio } from "@/app/_client/queries/queries";
import { useReadySession } from "@/app/_client/wallet/session";
import { Card } from "@/app/_components/card";
import { Sol } from "@/app/_components/coins";
import { formatUsd, UsdAmount } from "@/app/_components/money";
import { Skeleton } from "@/app/_components/skeleton";
import { PriceAge } from "@/app/dashboard/_components/price-age";
import {
  computeReadiness,
  formatShortage,
  opensCoinAccount,
  type PendingBalance,
  type Readiness,
} from "@/app/dashboard/_components/readiness";
import { useWorth } from "@/app/dashboard/_components/use-worth";
import { roundToCents } from "@/lib/domain/money";

/** Shows the SOL or USDC that waits to be invested and its distance to the threshold. */
export function PendingCard({ portfolio }: { portfolio: Portfolio & PendingBalance }) {
  const { wallet, serviceWallet } = useReadySession();
  const [{ thresholdUsd }] = useGuards(wallet);
  const choice = useInvestChoice(wallet);
  const { valuesUsd } = useWorth(portfolio, serviceWallet);
  const { pendingUsd, pendingLamports, investableUsd, investableLamports, usdcUsd } = portfolio;
  const keptLamports = investableLamports === null ? 0 : pendingLamports - investableLamports;
  const readiness = computeReadiness(portfolio, thresholdUsd);
  // Below the minimum to invest, show the whole balance with the account deposit: the service compares the whole
  // balance with the minimum.
  const isCollecting = readiness?.isReady === false;
  // A balance of wrapped SOL has the same asset and another symbol.
  const shownSolUsd =
    valuesUsd[portfolio.balances.findIndex(({ asset, symbol }) => asset === "SOL" && symbol === "SOL")];
  return (
    <Card
      title={isCollecting ? "Saving up" : "Ready to invest"}
      action={
        <p className="text-2xl font-semibold" data-testid="investable-usd">
          <UsdAmount usd={isCollecting ? (usdcUsd ?? shownSolUsd ?? pendingUsd) : investableUsd} />
        </p>
      }
    >
      <ThresholdMeter readiness={readiness} thresholdUsd={thresholdUsd} isUsdc={usdcUsd !== undefined} />
      {readiness?.isReady && keptLamports > 0 && (
        <p className="mt-1 text-sm text-soft">
          <UsdAmount usd={computeKeptBackUsd(portfolio)} /> more stays for account deposits and fees.
        </p>
      )}
      <div className="mt-1 flex flex-wrap justify-between gap-x-4">
        <PriceAge asset={usdcUsd === undefined ? "SOL" : "USDC"} />
        {pendingLamports > 0 && (
          <details className="text-sm text-soft open:w-full">
            <summary className="min-h-6 list-none underline decoration-dotted underline-offset-4 [&::-webkit-details-marker]:hidden">
              Details
            </summary>
            <p className="mt-1">
              Your savings wallet holds {usdcUsd !== undefined && <>{formatUsd(usdcUsd)} in USDC, and </>}
              <Sol lamports={pendingLamports} /> (
              <span data-testid="pending-usd">
                <UsdAmount usd={pendingUsd} />
              </span>
              ).{" "}
              {usdcUsd !== undefined && "The SOL stays. It pays network fees and Solana’s refundable account deposits."}
              {usdcUsd === undefined && keptLamports > 0 && (
                <>
                  <Sol lamports={keptLamports} /> of it stays: Solana’s minimum for a wallet and{" "}
                  {opensCoinAccount(portfolio, listAllocations(choice))
                    ? "an account deposit for the coin you buy"
                    : "for a swap"}
                  , which remain yours, and network fees.
                </>
              )}
            </p>
          </details>
        )}
      </div>
    </Card>
  );
}

/** Returns the displayed USD that stays in the wallet when the rest is invested; null while unknown. */
export function computeKeptBackUsd(portfolio: PendingBalance & Pick<Portfolio, "investableUsd">): number | null {
  const { pendingUsd, investableUsd, usdcUsd } = portfolio;
  if (usdcUsd !== undefined) return pendingUsd;
  return pendingUsd === null || investableUsd === null
    ? null
    : roundToCents(roundToCents(pendingUsd) - roundToCents(investableUsd));
}

function ThresholdMeter(props: { readiness: Readiness | null; thresholdUsd: number; isUsdc: boolean }) {
  const { readiness, thresholdUsd, isUsdc } = props;
  if (readiness === null) {
    return <p className="mt-3 text-sm text-soft">Without a price, the amount missing is unknown.</p>;
  }
  const { savedUsd, minimumUsd, isReady, lacksOnlyCosts } = readiness;
  const statusText = isReady ? "Enough to invest" : formatShortage(readiness);
  const value = isReady ? 1 : savedUsd;
  const max = isReady ? 1 : minimumUsd;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a meter element cannot be drawn alike in all browsers
    <div
      role="meter"
      aria-label="Saved towards your minimum to invest"
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={value}
      aria-valuetext={statusText}
      // On a phone, a full bar would only repeat the card's title.
      className={isReady ? "max-sm:hidden" : ""}
    >
      <div className="h-3 overflow-hidden rounded-full bg-raised ring-1 ring-line ring-inset">
        <div
          className="h-full rounded-full bg-accent transition-[width] duration-500"
          style={{ width: `${(value * 100) / max}%` }}
        />
      </div>
      <span aria-hidden="true" className="mt-1 block text-sm">
        {isReady
          ? statusText
          : lacksOnlyCosts
            ? "towards your next investment"
            : `of your ${formatUsd(thresholdUsd)} minimum to invest${isUsdc ? "" : ", Solana’s account deposit included"}`}
      </span>
    </div>
  );
}

export function BalancesSkeleton() {
  return (
    <div role="status" className="mt-4 grid gap-4 md:grid-cols-2">
      <span className="sr-only">Reading your savings</span>
      {["Holdings", "Saving up"].map((title) => (
        <Card key={title} title={title}>
          <Skeleton className="h-9 w-32" />
          <Skeleton className="mt-3 h-5 w-56 max-w-full" />
          <Skeleton className="mt-6 h-3 w-full" />
          <Skeleton className="mt-6 h-4 w-40" />
        </Card>
      ))}
    </div>
  );
}
