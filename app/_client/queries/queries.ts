"use client";

import { useSyncExternalStore } from "react";
import useSWR, { mutate, type SWRConfiguration, useSWRConfig } from "swr";
import type { DataOf } from "@/lib/contracts/define";
import type { getAccumulatorContract } from "@/lib/contracts/get-accumulator";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import type { getAuthMessageContract } from "@/lib/contracts/get-auth-message";
import type { getDerivationMessageContract } from "@/lib/contracts/get-derivation-message";
import type { getHealthContract } from "@/lib/contracts/get-health";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import type { getPricesContract } from "@/lib/contracts/get-prices";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import type { Credentials } from "@/lib/sdk/calls/calls";
import { rateLimit, readPath } from "./calls";
import { createFreshness, FRESH_MS } from "./freshness";
import { retryRead } from "./retry";

export const PRICES_PATH = "/api/price";
export const freshness = createFreshness(rateLimit, PRICES_PATH);

/** Whether a transaction has landed since the path's data was requested. */
export const useIsOutdated = (path: string): boolean =>
  useSyncExternalStore(
    freshness.subscribe,
    () => freshness.isOutdated(path),
    () => false,
  );

/**
 * Records a response, as `freshness.recordRead`. When another tab or device has changed a wallet, reads its balances and
 * history again: a deposit that the history lacks would look like a gain.
 */
function recordRead(path: string, requestTime: number, data: unknown): boolean {
  const isShown = freshness.recordRead(path, requestTime);
  const [, kind, address = ""] = /^\/api\/(portfolio|activity)\/(\w+)/.exec(path) ?? [];
  if (!isShown || !kind) return isShown;
  // A node may list a transaction later than it shows the new balances. The newest transaction then changes later.
  const state = kind === "portfolio" ? describeBalances(data as Portfolio) : findNewestSignature(data as Activity);
  const hasChanged = freshness.recordState(path, requestTime, state);
  const historyTime = freshness.getRequestTime(toHistoryKey(address));
  if (hasChanged && historyTime !== undefined && historyTime < requestTime) {
    freshness.recordLanding(requestTime);
    readOutdated();
  }
  return isShown;
}

/** Reads all outdated balances and histories again. Balances may come with the overview, whose parts are paused. */
const readOutdated = () =>
  void mutate(
    (key) =>
      typeof key === "string" && /^(history:|\/api\/(overview|portfolio)\/)/.test(key) && freshness.isOutdated(key),
  );

const describeBalances = ({ balances }: Portfolio) =>
  balances
    .map(({ mint, amount }) => `${mint} ${amount}`)
    .sort()
    .join();

const findNewestSignature = ({ items }: Activity) => items[0]?.txSignature ?? "";

/** The combined call that is polled, and the paths whose data arrives with it. */
let combinedCall: { callPath: string | null; coveredPaths: ReadonlySet<string> } = {
  callPath: null,
  coveredPaths: new Set(),
};

/** Reads each path that no longer comes with a combined call: its query was paused, so SWR does not start this read. */
function replaceCombinedCall(callPath: string | null, coveredPaths: string[]): void {
  const previousPaths = combinedCall.coveredPaths;
  combinedCall = { callPath, coveredPaths: new Set(coveredPaths) };
  for (const path of previousPaths) {
    if (!combinedCall.coveredPaths.has(path) && !freshness.isFresh(path, Date.now())) void mutate(path);
  }
}

/** Caches responses of one combined call. Their own queries pause while it is polled. */
export function cacheCombined(dataByPath: Record<string, unknown>, callPath: string): void {
  const requestTime = freshness.getRequestTime(callPath) ?? Number.NEGATIVE_INFINITY;
  for (const [path, data] of Object.entries(dataByPath)) {
    if (recordRead(path, requestTime, data)) void mutate(path, data, { revalidate: false });
  }
  replaceCombinedCall(callPath, Object.keys(dataByPath));
}

/** Lets the paths of this combined call be read by their own queries again. */
export function resumeQueries(callPath: string): void {
  if (combinedCall.callPath === callPath) replaceCombinedCall(null, []);
}

interface QueryOptions<C> extends SWRConfiguration<DataOf<C>, ApiError> {
  credentials?: Credentials;
}

/** Reads a path. Polls it while the tab is visible if `refreshMs` is set. `data` survives a failed refresh. */
export function useQuery<C>(path: string | null, refreshMs = 0, { credentials, ...options }: QueryOptions<C> = {}) {
  const { cache } = useSWRConfig();
  return useSWR<DataOf<C>, ApiError>(
    path,
    async (key: string) => {
      const requestedAt = Date.now();
      const data = await readPath<C>(key, { credentials });
      recordRead(key, requestedAt, data);
      return data;
    },
    {
      refreshInterval: refreshMs,
      isPaused: () =>
        path !== null &&
        (combinedCall.coveredPaths.has(path) || freshness.shouldReuse(path, cache.get(path), Date.now())),
      revalidateIfStale: path === null || !freshness.isFresh(path, Date.now()),
      refreshWhenHidden: false,
      revalidateOnFocus: false,
      revalidateOnReconnect: true,
      dedupingInterval: FRESH_MS,
      onErrorRetry: retryRead,
      ...options,
    },
  );
}

/** The sign-in text. It never changes. */
export const useAuthText = () =>
  useQuery<typeof getAuthMessageContract>("/api/auth", 0, { revalidateIfStale: false }).data?.message;
/** The text from whose signature the service wallet is derived. It never changes. */
export const useServiceWalletText = () =>
  useQuery<typeof getDerivationMessageContract>("/api/wallet/derive", 0, { revalidateIfStale: false }).data?.message;

type Activity = DataOf<typeof getActivityContract>;
export type Portfolio = DataOf<typeof getPortfolioContract>;

export const toPortfolioPath = (address: string) => `/api/portfolio/${address}`;
/** The key of a history, which takes several calls. */
export const toHistoryKey = (address: string) => `history:/api/activity/${address}`;

/** On the overview page they arrive with the overview. */
export const usePrices = () => useQuery<typeof getPricesContract>(PRICES_PATH, 60_000);
export const useDegradedFeatures = (shouldRead: boolean) =>
  useQuery<typeof getHealthContract>(shouldRead ? "/api/health" : null, 60_000).data?.degraded ?? [];
export const usePortfolio = (address: string | null) =>
  useQuery<typeof getPortfolioContract>(address && toPortfolioPath(address), 30_000);
export const useAccumulator = (address: string | null, thresholdUsd: number) =>
  useQuery<typeof getAccumulatorContract>(address && `/api/accumulator/${address}?threshold=${thresholdUsd}`);

/** Records that a transaction has landed, and reads all data of these wallets again. */
export function refreshWallets(...addresses: (string | null)[]): void {
  freshness.recordLanding(Date.now());
  const knownAddresses = addresses.filter((address) => address !== null);
  void mutate((key) => typeof key === "string" && knownAddresses.some((address) => key.includes(address)));
}

/** Drops all cached data. Visible parts read theirs again at once, and the others when they appear. */
export const forgetReads = (): void => void mutate(() => true, undefined);

/** Reads the prices again, whether they come from their own path or with an overview. */
export function refreshPrices(): void {
  void mutate((key) => typeof key === "string" && (key === PRICES_PATH || key.startsWith("/api/overview/")));
}
