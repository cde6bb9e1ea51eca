"use client";

import { useEffect, useLayoutEffect, useState } from "react";
import { useSWRConfig } from "swr";
import type { DataOf } from "@/lib/contracts/define";
import type { getOverviewContract } from "@/lib/contracts/get-overview";
import type { Credentials } from "@/lib/sdk/calls/calls";
import { toRecentActivityPath } from "./activity";
import { cacheCombined, freshness, PRICES_PATH, resumeQueries, toPortfolioPath, useQuery } from "./queries";

export type Overview = DataOf<typeof getOverviewContract>;
export type Spending = NonNullable<Overview["spending"]>;

interface OverviewSession {
  wallet: string;
  serviceWallet: string;
  credentials: Credentials;
}

/** Milliseconds. */
const POLL_MS = 60_000;
/** While the overview lacks the payments, ms. No other query would read them. */
const POLL_MS_WITHOUT_PAYMENTS = 15_000;

/** Polls the overview in one call. @param session null to read nothing */
export function useOverview(session: OverviewSession | null) {
  const lacksPayments = useCachedOverview(session)?.spending === null;
  return useQuery<typeof getOverviewContract>(
    session && toOverviewPath(session),
    lacksPayments ? POLL_MS_WITHOUT_PAYMENTS : POLL_MS,
    { credentials: session?.credentials },
  );
}

function useCachedOverview(session: OverviewSession | null): Overview | undefined {
  const { cache } = useSWRConfig();
  return session ? (cache.get(toOverviewPath(session))?.data as Overview | undefined) : undefined;
}

/** Returns the number of unsaved payments in the cached overview. Makes no call. */
export const useCachedUnsavedCount = (session: OverviewSession): number =>
  useCachedOverview(session)?.spending?.payments ?? 0;

const toOverviewPath = ({ wallet, serviceWallet }: OverviewSession) =>
  `/api/overview/${wallet}?serviceWallet=${serviceWallet}`;

/**
 * Reads the overview into the cache of the individual queries, which read missing parts themselves.
 * @returns `isCached`: queries rendered before it is true would request each part again
 */
export function useOverviewParts(session: OverviewSession) {
  const overviewQuery = useOverview(session);
  const { data, error } = overviewQuery;
  const path = toOverviewPath(session);
  const [isCached, setIsCached] = useState(false);
  useLayoutEffect(() => {
    if (!data) return;
    // A transaction has landed since the request, so its parts must not replace newer data. Their own queries read on.
    const isOutdated = freshness.isOutdated(path);
    if (isOutdated && !error) return;
    if (!isOutdated) cacheCombined(toQueryParts(data), path);
    setIsCached(true);
  }, [data, error, path]);
  // Runs after the queries of the next page have mounted, and reads again each part that is no longer fresh.
  useEffect(() => () => resumeQueries(path), [path]);
  return { ...overviewQuery, isCached };
}

/** Keys each part by the path of its own query. Omits missing parts. */
function toQueryParts(overview: Overview): Record<string, unknown> {
  const { walletAddress, serviceWallet, network, prices, portfolio, savings, activity } = overview;
  const parts: Record<string, unknown> = { [PRICES_PATH]: prices, [toPortfolioPath(walletAddress)]: portfolio };
  if (serviceWallet !== null) {
    parts[toPortfolioPath(serviceWallet)] = savings;
    const activityPage = {
      walletAddress: serviceWallet,
      network,
      items: activity,
      nextBefore: overview.activityNextBefore,
    };
    parts[toRecentActivityPath(serviceWallet)] = activity && activityPage;
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null));
}
