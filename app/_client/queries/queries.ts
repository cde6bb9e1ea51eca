"use client";

import useSWR, { mutate, type SWRConfiguration, useSWRConfig } from "swr";
import type { getAccumulatorContract } from "@/lib/contracts/get-accumulator";
import type { getAuthMessageContract } from "@/lib/contracts/get-auth-message";
import type { getDerivationMessageContract } from "@/lib/contracts/get-derivation-message";
import type { getHealthContract } from "@/lib/contracts/get-health";
import type { getPortfolioContract } from "@/lib/contracts/get-portfolio";
import type { getPricesContract } from "@/lib/contracts/get-prices";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import type { AnswerOf, Credentials } from "@/lib/sdk/calls/calls";
import { limit, readPath } from "./calls";
import { createFreshness, FRESH_MS } from "./freshness";
import { shareRead, usePollingLeader } from "./polling";

export const PRICES_PATH = "/api/price";
export const freshness = createFreshness(limit, PRICES_PATH);

/** The paths whose data currently arrives with a combined call, and the path of that call, `from`. */
let combinedPaths: { paths: ReadonlySet<string>; from: string | null } = { paths: new Set(), from: null };

/**
 * Replaces the combined paths. Reads a path that no longer comes with a combined call, unless it is fresh: SWR decides
 * during rendering whether a query reads on mount, and the query was paused then.
 */
function replaceCombined(newCombined: typeof combinedPaths): void {
  const previousPaths = combinedPaths.paths;
  combinedPaths = newCombined;
  for (const path of previousPaths) {
    if (!newCombined.paths.has(path) && !freshness.isFresh(path, Date.now())) void mutate(path);
  }
}

/**
 * Caches responses that arrived in one combined call. Their own queries pause while the combined call is polled.
 * @param from path of the combined call
 */
export function cacheCombined(answers: Record<string, unknown>, from: string): void {
  const requestTime = freshness.getRequestedAt(from) ?? Number.NEGATIVE_INFINITY;
  for (const [path, data] of Object.entries(answers)) {
    if (freshness.recordRead(path, requestTime)) void mutate(path, data, { revalidate: false });
  }
  replaceCombined({ paths: new Set(Object.keys(answers)), from });
}

/** Lets every path that came with this combined call be read by its own query again. */
export function resumeQueries(from: string): void {
  if (combinedPaths.from === from) replaceCombined({ paths: new Set(), from: null });
}

/** Options of SWR, and the credentials of the call. */
interface QueryOptions<C> extends SWRConfiguration<AnswerOf<C>, ApiError> {
  credentials?: Credentials;
}

/** Reads a path. Polls when `refreshMs` is set and this tab is the polling leader. `data` survives a failed refresh. */
export function useQuery<C>(path: string | null, refreshMs = 0, { credentials, ...options }: QueryOptions<C> = {}) {
  const isLeader = usePollingLeader();
  const { cache } = useSWRConfig();
  return useSWR<AnswerOf<C>, ApiError>(
    path,
    async (key: string) => {
      const at = Date.now();
      const data = await readPath<C>(key, { credentials });
      freshness.recordRead(key, at);
      shareRead({ key, data, at });
      return data;
    },
    {
      refreshInterval: isLeader ? refreshMs : 0,
      isPaused: () =>
        path !== null && (combinedPaths.paths.has(path) || freshness.shouldReuse(path, cache.get(path), Date.now())),
      revalidateIfStale: path === null || !freshness.isFresh(path, Date.now()),
      refreshWhenHidden: false,
      revalidateOnFocus: false,
      revalidateOnReconnect: true,
      dedupingInterval: FRESH_MS,
      // Do not retry a client error: the response would be the same. Retry an outage after the delay that the service
      // names.
      onErrorRetry: (error, _key, _config, retry, { retryCount }) => {
        if ((error.status >= 400 && error.status < 429) || retryCount > 5) return;
        setTimeout(() => void retry({ retryCount }), Math.max(error.retryAfter ?? 0, 5 * 2 ** (retryCount - 1)) * 1000);
      },
      ...options,
    },
  );
}

/** Reads the sign-in text, which names this deployment and never changes. */
export const useAuthText = () =>
  useQuery<typeof getAuthMessageContract>("/api/auth", 0, { revalidateIfStale: false }).data?.message;
/** Reads the text from whose signature the service wallet is derived. It never changes. */
export const useServiceWalletText = () =>
  useQuery<typeof getDerivationMessageContract>("/api/wallet/derive", 0, { revalidateIfStale: false }).data?.message;

export type Portfolio = AnswerOf<typeof getPortfolioContract>;

export const toPortfolioPath = (address: string) => `/api/portfolio/${address}`;

/** Reads the prices. On the overview page they arrive with the overview. Elsewhere one tab polls them once a minute. */
export const usePrices = () => useQuery<typeof getPricesContract>(PRICES_PATH, 60_000);
/** Returns the features that the service currently limits. Reads nothing while `isWanted` is false. */
export const useDegraded = (isWanted: boolean) =>
  useQuery<typeof getHealthContract>(isWanted ? "/api/health" : null, 60_000).data?.degraded ?? [];
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

/** Reads the prices again, whether they come from their own path or with an overview. */
export function refreshPrices(): void {
  void mutate((key) => typeof key === "string" && (key === PRICES_PATH || key.startsWith("/api/overview/")));
}
