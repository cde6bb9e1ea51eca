"use client";

import useSWR from "swr";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { isStoredHistory, readStoredHistory, storeHistory } from "../local-storage/stored-history";
import {
  type ActivityItem,
  type ActivityPage,
  joinPages,
  type LoadedPage,
  MAX_PAGE_SIZE,
  toActivityPath,
} from "./activity";
import { rateLimit, readPath } from "./calls";
import { freshness, toHistoryKey } from "./queries";
import { retryRead } from "./retry";

/** The part of a wallet's history that this page has loaded. */
export interface WalletHistory {
  items: ActivityItem[];
  isComplete: boolean;
  /** Whether another read can load more items, even when no new transaction lands. */
  canReadMore: boolean;
  /** Of the newest page, ms since the epoch. */
  requestedAt: number;
}

/** The reader loads older pages until it has this many items. */
const MAX_READ_ITEMS = 200;
/** About 500 kB. Signed transactions share the same few MB of storage. */
const MAX_STORED_ITEMS = 1_000;
/** Each read loads one page, so opening the overview costs one call. */
const READ_INTERVAL_MS = 10_000;
/** While no transaction lands. */
const NEWEST_PAGE_TTL_MS = 60_000;

interface HistoryDependencies {
  readPage(path: string): Promise<ActivityPage>;
  storage: { read(address: string): string | null; write(address: string, text: string): void };
  readClock(): number;
  getLastLandingTime(): number;
  /** Whether to read only the necessary pages. */
  isNearlyUsedUp(now: number): boolean;
}

interface KnownHistory extends LoadedPage, Pick<WalletHistory, "requestedAt"> {
  /** The history before an unread gap. Anyone can widen the gap with transactions that mention the wallet. */
  olderHistory: LoadedPage | null;
}

/** Creates a reader with at most one API call per read: the newest page, or the next older one. */
export function createHistoryReader({
  readPage,
  storage,
  readClock,
  getLastLandingTime,
  isNearlyUsedUp,
}: HistoryDependencies): (address: string) => Promise<WalletHistory> {
  const knownHistories = new Map<string, KnownHistory>();
  const recordHistory = (address: string, history: KnownHistory): WalletHistory => {
    knownHistories.set(address, history);
    // A history with a gap is not stored.
    if (!history.olderHistory) storage.write(address, JSON.stringify(toStorable(history)));
    return toHistory(history);
  };
  return async (address) => {
    const knownHistory = knownHistories.get(address);
    const now = readClock();
    const isNewestPageDue =
      knownHistory && !knownHistory.olderHistory && now - knownHistory.requestedAt >= NEWEST_PAGE_TTL_MS;
    if (!knownHistory || isNewestPageDue || knownHistory.requestedAt <= getLastLandingTime()) {
      const page = await readPage(toActivityPath(address, MAX_PAGE_SIZE));
      const olderHistory = knownHistory?.olderHistory ?? knownHistory ?? parseStored(storage.read(address), page);
      return recordHistory(address, { ...joinWithOlderHistory(olderHistory, page), requestedAt: now });
    }
    if (!toHistory(knownHistory).canReadMore || isNearlyUsedUp(now)) return toHistory(knownHistory);
    const page = await readPage(toActivityPath(address, MAX_PAGE_SIZE, knownHistory.nextBefore));
    // Another read finished first. Keep its result: this page continues an outdated history.
    const newerHistory = knownHistories.get(address)!;
    if (newerHistory !== knownHistory) return toHistory(newerHistory);
    const items = [...knownHistory.items, ...page.items];
    return recordHistory(address, {
      ...joinWithOlderHistory(knownHistory.olderHistory, { ...page, items }),
      requestedAt: knownHistory.requestedAt,
    });
  };
}

/** Joins new items with the older history once they overlap. Drops the older history when they no longer can. */
function joinWithOlderHistory(olderHistory: LoadedPage | null, page: ActivityPage): Omit<KnownHistory, "requestedAt"> {
  // `joinPages` returns `page` itself if nothing overlaps.
  const hasOverlap = joinPages(olderHistory, page) !== page;
  const canOverlapLater = olderHistory !== null && page.nextBefore !== null && page.items.length < MAX_READ_ITEMS;
  return hasOverlap || !canOverlapLater
    ? { ...joinPages(olderHistory, page), olderHistory: null }
    : { ...page, olderHistory };
}

function toHistory({ items, nextBefore, olderHistory, requestedAt }: KnownHistory): WalletHistory {
  // Until the gap is read, show only the older history. Otherwise the sums would lack the transactions in the gap.
  const shownPage = olderHistory ?? { items, nextBefore };
  const isComplete = shownPage.nextBefore === null;
  return {
    items: shownPage.items,
    isComplete,
    canReadMore: olderHistory !== null || (!isComplete && items.length < MAX_READ_ITEMS),
    requestedAt,
  };
}

/**
 * Cuts a history to `MAX_STORED_ITEMS`, before the first item that a node or the price source may still complete.
 * Keeps the newest page, because the next load reads it again.
 */
function toStorable({ network, items, nextBefore }: LoadedPage): LoadedPage {
  const storedCount = items.findIndex((item, i) => i >= MAX_STORED_ITEMS || (i >= MAX_PAGE_SIZE && !isCertain(item)));
  if (storedCount < 0) return { network, items, nextBefore };
  return { network, items: items.slice(0, storedCount), nextBefore: items[storedCount - 1]!.txSignature };
}

const isCertain = ({ status, type, amounts, usdValue }: ActivityItem) =>
  status === "failed" || (type === "other" ? amounts.length > 0 : usdValue !== null);

/** Returns null when the value is invalid or belongs to a different network. */
function parseStored(text: string | null, { network }: ActivityPage): LoadedPage | null {
  try {
    const history = JSON.parse(text ?? "null");
    return isStoredHistory(history) && history.network === network ? toStorable(history) : null;
  } catch {
    return null;
  }
}

/** Starts with the history that this browser stored. */
export const readMoreHistory = createHistoryReader({
  readPage: (path) => readPath<typeof getActivityContract>(path),
  storage: { read: readStoredHistory, write: storeHistory },
  readClock: () => Date.now(),
  getLastLandingTime: freshness.getLastLandingTime,
  isNearlyUsedUp: rateLimit.isNearlyUsedUp,
});

/** Reads the history behind the overview's sums, again when a transaction lands. */
export function useHistoryRead(address: string) {
  return useSWR<WalletHistory, ApiError>(
    toHistoryKey(address),
    async (key: string) => {
      const history = await readMoreHistory(address);
      freshness.recordRead(key, history.requestedAt);
      return history;
    },
    {
      refreshInterval: (history) => (history?.canReadMore ? READ_INTERVAL_MS : 0),
      revalidateOnFocus: false,
      // Must be shorter than the interval. Otherwise SWR would skip the next read as a duplicate.
      dedupingInterval: READ_INTERVAL_MS / 2,
      onErrorRetry: retryRead,
    },
  );
}
