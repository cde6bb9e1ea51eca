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
import { shareRead, usePollingLeader } from "./polling";

type Options<T> = SWRConfiguration<T, ApiError>;

/** Paths whose answers come with another read. */
let given: ReadonlySet<string> = new Set();

/** Takes answers that came together in one call: while they keep coming, none of them is read by itself. */
export function takeGiven(answers: Record<string, unknown>): void {
  given = new Set(Object.keys(answers));
  for (const [path, data] of Object.entries(answers)) void mutate(path, data, { revalidate: false });
}

interface ReadOptions<C> extends Options<AnswerOf<C>> {
  credentials?: Credentials;
}

/** Reads a path; polls it when asked and when this tab is the one that polls. `data` survives a failing refresh. */
export function useRead<C>(path: string | null, refreshMs = 0, { credentials, ...options }: ReadOptions<C> = {}) {
  const leads = usePollingLeader();
  const { cache } = useSWRConfig();
  return useSWR<AnswerOf<C>, ApiError>(
    path,
    async (key: string) => {
      const at = Date.now();
      const data = await calls.get<C>(key, credentials);
      askedAt.set(key, at);
      shareRead(key, data);
      return data;
    },
    {
      refreshInterval: leads ? refreshMs : 0,
      // While few calls are left, what is there already does: the rest of the minute belongs to the person.
      isPaused: () => path !== null && (given.has(path) || isEnough(path, cache.get(path))),
      refreshWhenHidden: false,
      revalidateOnFocus: false,
      revalidateOnReconnect: true,
      // Going from page to page reads nothing twice; what lands is read again whatever the time.
      dedupingInterval: 10_000,
      // A refusal does not change by asking again at once; an outage is asked again after the time it names.
      onErrorRetry: (error, _key, _config, retry, { retryCount }) => {
        if ((error.status >= 400 && error.status < 429) || retryCount > 5) return;
        setTimeout(() => void retry({ retryCount }), Math.max(error.retryAfter ?? 0, 5 * 2 ** (retryCount - 1)) * 1000);
      },
      ...options,
    },
  );
}

/** When something landed that has to be read again. */
let landedAt = Number.NEGATIVE_INFINITY;
const READ_AGAIN_MS = 2_000;

/** Ms since the epoch. */
export const lastLanding = () => landedAt;

/** When what a path says was asked for, ms since the epoch. */
const askedAt = new Map<string, number>();

/** Whether something has landed since this was read. */
export const isOutdated = (path: string) => (askedAt.get(path) ?? landedAt) < landedAt;

function isEnough(path: string, read: { data?: unknown; error?: unknown } | undefined): boolean {
  const now = Date.now();
  if (isOutdated(path) || now - landedAt <= READ_AGAIN_MS) return false;
  return limit.isShort(now) && read?.data !== undefined && read.error === undefined;
}

export const usePlans = () => useRead<typeof listPlansContract>("/api/plans", 0, { revalidateIfStale: false });
/** The texts that the wallet will show, which name this deployment; they never change. */
export const useAuthText = () =>
  useRead<typeof getAuthMessageContract>("/api/auth", 0, { revalidateIfStale: false }).data?.message;
export const useServiceWalletText = () =>
  useRead<typeof getDerivationMessageContract>("/api/wallet/derive", 0, { revalidateIfStale: false }).data?.message;
export const PRICES = "/api/price";
export const portfolioPath = (address: string) => `/api/portfolio/${address}`;
/** On the overview page these come with it; anywhere else they are polled together, 6 calls a minute at most. */
export const usePrices = () => useRead<typeof getPricesContract>(PRICES, 60_000);
/** What works only in part. */
export const useDegraded = (wanted: boolean) =>
  useRead<typeof getHealthContract>(wanted ? "/api/health" : null, 60_000).data?.degraded ?? [];
export const usePortfolio = (address: string | null) =>
  useRead<typeof getPortfolioContract>(address && portfolioPath(address), 30_000);
export const useAccumulator = (address: string | null, thresholdUsd: number) =>
  useRead<typeof getAccumulatorContract>(address && `/api/accumulator/${address}?threshold=${thresholdUsd}`);

/** After something landed: reads everything about these wallets again. */
export function refreshWallets(...addresses: (string | null)[]): void {
  landedAt = Date.now();
  const known = addresses.filter((address) => address !== null);
  void mutate((key) => typeof key === "string" && known.some((address) => key.includes(address)));
}

/** Reads the prices again, whichever read they come with. */
export function readPricesAgain(): void {
  void mutate((key) => typeof key === "string" && (key === PRICES || key.startsWith("/api/overview/")));
}
