"use client";

import { useLayoutEffect, useState } from "react";
import type { getOverviewContract } from "@/lib/contracts/get-overview";
import type { AnswerOf, Credentials } from "@/lib/sdk/calls/calls";
import { endGiven, freshness, PRICES, portfolioPath, takeGiven, useQuery } from "./queries";
import { recentActivityPath } from "./use-activity";

export type Overview = AnswerOf<typeof getOverviewContract>;
export type Spending = NonNullable<Overview["spending"]>;

interface Person {
  wallet: string;
  serviceWallet: string;
  credentials: Credentials;
}

/** What the overview shows, read in one call, once a minute. @param person null when nothing is to be read */
export function useOverview(person: Person | null) {
  return useQuery<typeof getOverviewContract>(person && pathOf(person), 60_000, { credentials: person?.credentials });
}

const pathOf = ({ wallet, serviceWallet }: Person) => `/api/overview/${wallet}?serviceWallet=${serviceWallet}`;

/**
 * As useOverview, and its parts are what the reads of single things show here. A part that could not be had with it is read
 * by itself, and says for itself what is the matter.
 * @returns `isSettled` once the parts are handed over: until then whatever is shown would read them anew
 */
export function useOverviewParts(person: Person) {
  const read = useOverview(person);
  const { data, error } = read;
  const path = pathOf(person);
  const [isSettled, setSettled] = useState(false);
  useLayoutEffect(() => {
    if (!data) return;
    // From before something landed on another page: what was read there since is newer.
    const outdated = freshness.isOutdated(path);
    if (outdated && !error) return;
    if (!outdated) takeGiven(partsOf(data), path);
    setSettled(true);
  }, [data, error, path]);
  // Before the next page's reads begin, which would wait for parts that nobody hands over any more.
  useLayoutEffect(() => endGiven, []);
  return { ...read, isSettled };
}

/** By the paths they would be read from. */
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
