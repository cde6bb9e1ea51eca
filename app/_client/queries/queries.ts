"use client";

import useSWR, { mutate, type SWRConfiguration, useSWRConfig } from "swr";
import type { getAccumulatorContract } from "@/lib/contracts/get-accumulator";
import type { getAuthMessageContract } from "@/lib/contracts/get-auth-message";
import type { getDerivationMessageContract } from "@/lib/contracts/get-derivation-message";
import type { getHealthContract } from "@/lib/contracts/get-health";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import type { getPricesContract } from "@/lib/contracts/get-prices";
import type { listPlansContract } from "@/lib/contracts/list-plans";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import type { AnswerOf, Credentials } from "@/lib/sdk/calls/calls";
import { calls, limit } from "./calls";
import { createFreshness, FRESH_MS } from "./freshness";
import { shareRead, usePollingLeader } from "./polling";

export const PRICES = "/api/price";
export const freshness = createFreshness(limit, PRICES);

type Options<T> = SWRConfiguration<T, ApiError>;

/** Paths whose answers come with another read. */
let given: ReadonlySet<string> = new Set();

/**
 * Takes answers that came together in one call: while they keep coming, none of them is read by itself.
 * @param from path of that call
 */
export function takeGiven(answers: Record<string, unknown>, from: string): void {
  given = new Set(Object.keys(answers));
  const at = freshness.askedAt(from);
  for (const [path, data] of Object.entries(answers)) {
    if (at !== undefined) freshness.asked(path, at);
    void mutate(path, data, { revalidate: false });
  }
}

/** They are read by themselves again. */
export function endGiven(): void {
  given = new Set();
}

interface QueryOptions<C> extends Options<AnswerOf<C>> {
  credentials?: Credentials;
}

/** Reads a path; polls it when asked and when this tab is the one that polls. `data` survives a failing refresh. */
export function useQuery<C>(path: string | null, refreshMs = 0, { credentials, ...options }: QueryOptions<C> = {}) {
  const leads = usePollingLeader();
  const { cache } = useSWRConfig();
  return useSWR<AnswerOf<C>, ApiError>(
    path,
    async (key: string) => {
      const at = Date.now();
      const data = await calls.get<C>(key, credentials);
      freshness.asked(key, at);
      shareRead(key, data);
      return data;
    },
    {
      refreshInterval: leads ? refreshMs : 0,
      isPaused: () => path !== null && (given.has(path) || freshness.isEnough(path, cache.get(path), Date.now())),
      revalidateIfStale: path === null || !freshness.isFresh(path, Date.now()),
      refreshWhenHidden: false,
      revalidateOnFocus: false,
      revalidateOnReconnect: true,
      dedupingInterval: FRESH_MS,
      // A refusal does not change by asking again at once; an outage is asked again after the time it names.
      onErrorRetry: (error, _key, _config, retry, { retryCount }) => {
        if ((error.status >= 400 && error.status < 429) || retryCount > 5) return;
        setTimeout(() => void retry({ retryCount }), Math.max(error.retryAfter ?? 0, 5 * 2 ** (retryCount - 1)) * 1000);
      },
      ...options,
    },
  );
}

export const usePlans = () => useQuery<typeof listPlansContract>("/api/plans", 0, { revalidateIfStale: false });
/** The texts that the wallet will show, which name this deployment; they never change. */
export const useAuthText = () =>
  useQuery<typeof getAuthMessageContract>("/api/auth", 0, { revalidateIfStale: false }).data?.message;
export const useServiceWalletText = () =>
  useQuery<typeof getDerivationMessageContract>("/api/wallet/derive", 0, { revalidateIfStale: false }).data?.message;
export const portfolioPath = (address: string) => `/api/portfolio/${address}`;
/** On the overview page these come with it; anywhere else they are polled together, 6 calls a minute at most. */
export const usePrices = () => useQuery<typeof getPricesContract>(PRICES, 60_000);
/** What works only in part. */
export const useDegraded = (wanted: boolean) =>
  useQuery<typeof getHealthContract>(wanted ? "/api/health" : null, 60_000).data?.degraded ?? [];
export const usePortfolio = (address: string | null) =>
  useQuery<typeof getPortfolioContract>(address && portfolioPath(address), 30_000);
export const useAccumulator = (address: string | null, thresholdUsd: number) =>
  useQuery<typeof getAccumulatorContract>(address && `/api/accumulator/${address}?threshold=${thresholdUsd}`);

/** After something landed: reads everything about these wallets again. */
export function refreshWallets(...addresses: (string | null)[]): void {
  freshness.landed(Date.now());
  const known = addresses.filter((address) => address !== null);
  void mutate((key) => typeof key === "string" && known.some((address) => key.includes(address)));
}

/** Reads the prices again, whichever read they come with. */
export function readPricesAgain(): void {
  void mutate((key) => typeof key === "string" && (key === PRICES || key.startsWith("/api/overview/")));
}
