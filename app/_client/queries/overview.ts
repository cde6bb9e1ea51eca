"use client";

import { useEffect, useLayoutEffect, useState } from "react";
import type { getOverviewContract } from "@/lib/contracts/get-overview";
import type { AnswerOf, Credentials } from "@/lib/sdk/calls/calls";
import { cacheCombined, freshness, PRICES, portfolioPath, resumeQueries, useQuery } from "./queries";
import { recentActivityPath } from "./use-activity";

export type Overview = AnswerOf<typeof getOverviewContract>;
export type Spending = NonNullable<Overview["spending"]>;

interface Person {
  wallet: string;
  serviceWallet: string;
  credentials: Credentials;
}

/**
 * Polls the overview in one call per minute.
 * @param person null to read nothing
 */
export function useOverview(person: Person | null) {
  return useQuery<typeof getOverviewContract>(person && pathOf(person), 60_000, { credentials: person?.credentials });
}

const pathOf = ({ wallet, serviceWallet }: Person) => `/api/overview/${wallet}?serviceWallet=${serviceWallet}`;

/**
 * Reads the overview and puts its parts into the cache of the individual queries. A part that is missing from the
 * response is read by its own query, which reports its own error.
 * @returns `isSettled` once the parts are cached; rendering queries earlier would request each part separately
 */
export function useOverviewParts(person: Person) {
  const read = useOverview(person);
  const { data, error } = read;
  const path = pathOf(person);
  const [isSettled, setSettled] = useState(false);
  useLayoutEffect(() => {
    if (!data) return;
    // This response predates a transaction that landed on another page. Parts read there since are newer.
    const outdated = freshness.isOutdated(path);
    if (outdated && !error) return;
    if (!outdated) cacheCombined(partsOf(data), path);
    setSettled(true);
  }, [data, error, path]);
  // A passive effect ends after the next page's queries have mounted. They then read what is outdated.
  useEffect(() => () => resumeQueries(path), [path]);
  return { ...read, isSettled };
}

/** Maps each part to the path of its own query. */
function partsOf(overview: Overview): Record<string, unknown> {
  const { walletAddress, serviceWallet, network, prices, portfolio, savings, activity } = overview;
  const nextBefore = overview.activityNextBefore;
  const parts: Record<string, unknown> = { [PRICES]: prices, [portfolioPath(walletAddress)]: portfolio };
  if (serviceWallet !== null) {
    parts[portfolioPath(serviceWallet)] = savings;
    const page = { walletAddress: serviceWallet, network, items: activity, nextBefore };
    parts[recentActivityPath(serviceWallet)] = activity && page;
  }
  return Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== null));
}
