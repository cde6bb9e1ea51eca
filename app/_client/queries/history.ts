"use client";

import useSWR from "swr";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { isStoredHistory, readStoredHistory, storeHistory } from "../local-storage/history";
import { limit, readPath } from "./calls";
import { freshness } from "./queries";
import { type ActivityItem, type ActivityPage, activityPath, joinPages, LARGE_PAGE } from "./use-activity";

export interface History {
  items: ActivityItem[];
  /** Whether the items reach back to the wallet's first transaction. */
  complete: boolean;
  /** Whether another read can load more items, even when no new transaction lands. */
  readsOn: boolean;
}

/** Stop reading older pages at this many items. */
const SUM_ITEMS = 200;
/** Store at most this many items, about 500 kB. Signed transactions need space in the same few MB. */
const KEPT_ITEMS = 1_000;
/** Delay between reads of older pages. The first view reads one page only. */
const READ_ON_MS = 10_000;
/** How long the newest page counts as fresh while no transaction lands. */
const NEWEST_MS = 60_000;

type StoredPage = Pick<ActivityPage, "network" | "items" | "nextBefore">;

interface World {
  get(path: string): Promise<ActivityPage>;
  kept: { read(address: string): string | null; write(address: string, text: string): void };
  /** Returns the current time, ms since the epoch. */
  now(): number;
  /** Returns when a transaction last landed, ms since the epoch. */
  lastLanding(): number;
  isShort(now: number): boolean;
}

interface CertainPage extends StoredPage {
  /** When the newest page was requested, ms since the epoch. */
  at: number;
  /**
   * The previously known history while pages between it and the newest page are missing. Anyone can push it back with
   * transactions that only mention the wallet.
   */
  older: StoredPage | null;
}

/**
 * Creates a reader that makes at most one API call per read. The reader fetches the newest page, or the next older page
 * where the previous read stopped. Histories stored before a reload are reused.
 */
export function createHistoryReader(world: World): (address: string) => Promise<History> {
  const known = new Map<string, CertainPage>();
  const note = (address: string, held: CertainPage): History => {
    known.set(address, held);
    if (!held.older) world.kept.write(address, JSON.stringify(certain(held)));
    return toHistory(held);
  };
  return async (address) => {
    const before = known.get(address);
    const now = world.now();
    const isOld = before && !before.older && now - before.at >= NEWEST_MS;
    if (!before || isOld || before.at <= world.lastLanding()) {
      const page = await world.get(activityPath(address, LARGE_PAGE));
      const older = before?.older ?? before ?? parse(world.kept.read(address), page);
      return note(address, { ...onTopOf(older, page), at: now });
    }
    if (!toHistory(before).readsOn || world.isShort(now)) return toHistory(before);
    const page = await world.get(activityPath(address, LARGE_PAGE, before.nextBefore));
    const meanwhile = known.get(address)!;
    if (meanwhile !== before) return toHistory(meanwhile);
    const items = [...before.items, ...page.items];
    return note(address, { ...onTopOf(before.older, { ...page, items }), at: before.at });
  };
}

/**
 * Joins the new page with the known history once they overlap. The known history is dropped when the new items can no
 * longer reach it.
 */
function onTopOf(older: StoredPage | null, page: ActivityPage): Omit<CertainPage, "at"> {
  const meets = joinPages(older, page) !== page;
  const mayMeet = older !== null && page.nextBefore !== null && page.items.length < SUM_ITEMS;
  return meets || !mayMeet ? { ...joinPages(older, page), older: null } : { ...page, older };
}

function toHistory({ items, nextBefore, older }: CertainPage): History {
  const shown = older ?? { items, nextBefore };
  const complete = shown.nextBefore === null;
  return { items: shown.items, complete, readsOn: older !== null || (!complete && items.length < SUM_ITEMS) };
}

/**
 * Returns the part of a history worth storing: at most `KEPT_ITEMS` items, cut before the first uncertain one. Items
 * beyond the newest page are uncertain while the node or price source may still supply missing data.
 */
function certain({ network, items, nextBefore }: StoredPage): StoredPage {
  const end = items.findIndex((item, i) => i >= KEPT_ITEMS || (i >= LARGE_PAGE && !isCertain(item)));
  if (end < 0) return { network, items, nextBefore };
  return { network, items: items.slice(0, end), nextBefore: items[end - 1]!.txSignature };
}

const isCertain = ({ status, type, amounts, usdValue }: ActivityItem) =>
  status === "failed" || (type === "other" ? amounts.length > 0 : usdValue !== null);

/** Parses a stored history. Returns null when the value is invalid or belongs to a different network. */
function parse(text: string | null, { network }: ActivityPage): StoredPage | null {
  try {
    const held = JSON.parse(text ?? "null");
    return isStoredHistory(held) && held.network === network ? certain(held) : null;
  } catch {
    return null;
  }
}

const readOn = createHistoryReader({
  get: (path) => readPath<typeof getActivityContract>(path),
  kept: { read: readStoredHistory, write: storeHistory },
  now: () => Date.now(),
  lastLanding: freshness.lastLanding,
  isShort: limit.isShort,
});

/** Returns the history behind the overview's sums. Reads it again when a transaction lands. */
export function useHistory(address: string) {
  return useSWR<History, ApiError>(`history:/api/activity/${address}`, () => readOn(address), {
    refreshInterval: (history) => (history?.readsOn ? READ_ON_MS : 0),
    revalidateOnFocus: false,
    dedupingInterval: READ_ON_MS / 2,
    errorRetryCount: 3,
    errorRetryInterval: 15_000,
  });
}
