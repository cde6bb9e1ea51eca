"use client";

import useSWR from "swr";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { readStoredHistory, storeHistory } from "../local-storage/history";
import { calls, limit } from "./calls";
import { isHeld } from "./is-held";
import { freshness } from "./queries";
import { type ActivityItem, type ActivityPage, joined, LARGE_PAGE, pathOf } from "./use-activity";

export interface History {
  items: ActivityItem[];
  /** Whether it reaches back to the wallet's first transaction. */
  complete: boolean;
  /** Whether the next read may know more though nothing happens. */
  readsOn: boolean;
}

/** How far back sums look. */
const SUM_ITEMS = 200;
/** As many are kept, some 500 kB: what wallets sign later needs room in the same few MB. */
const KEPT_ITEMS = 1_000;
/** One page of it in a view; the rest follows a page at a time. */
const READ_ON_MS = 10_000;
/** So long the newest page does, unless something landed. */
const NEWEST_MS = 60_000;

type StoredPage = Pick<ActivityPage, "network" | "items" | "nextBefore">;

interface World {
  get(path: string): Promise<ActivityPage>;
  kept: { read(address: string): string | null; write(address: string, text: string): void };
  /** Ms since the epoch. */
  now(): number;
  /** When something landed last, ms since the epoch. */
  lastLanding(): number;
  /** Whether few calls are left in this minute. */
  isShort(now: number): boolean;
}

interface CertainPage extends StoredPage {
  /** When its newest page was asked for, ms since the epoch. */
  at: number;
  /** What was known before, while pages are missing between: anybody can fill the newest with transactions that only name the wallet. */
  older: StoredPage | null;
}

/**
 * Reads of histories, by one call at most: of the newest page, or of an older one where the read before stopped. What was read
 * before the page was loaded counts.
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
      const page = await world.get(pathOf(address, LARGE_PAGE));
      const older = before?.older ?? before ?? parse(world.kept.read(address), page);
      return note(address, { ...onTopOf(older, page), at: now });
    }
    if (!toHistory(before).readsOn || world.isShort(now)) return toHistory(before);
    const page = await world.get(pathOf(address, LARGE_PAGE, before.nextBefore));
    const meanwhile = known.get(address)!;
    if (meanwhile !== before) return toHistory(meanwhile);
    const items = [...before.items, ...page.items];
    return note(address, { ...onTopOf(before.older, { ...page, items }), at: before.at });
  };
}

/** Joins what was read now with what was known, once they meet; what is not joined by then is not the newest any more. */
function onTopOf(older: StoredPage | null, page: ActivityPage): Omit<CertainPage, "at"> {
  const meets = joined(older, page) !== page;
  const mayMeet = older !== null && page.nextBefore !== null && page.items.length < SUM_ITEMS;
  return meets || !mayMeet ? { ...joined(older, page), older: null } : { ...page, older };
}

function toHistory({ items, nextBefore, older }: CertainPage): History {
  const shown = older ?? { items, nextBefore };
  const complete = shown.nextBefore === null;
  return { items: shown.items, complete, readsOn: older !== null || (!complete && items.length < SUM_ITEMS) };
}

/** Beyond the page that is read anew anyway, up to what a node or a price may still be found for, and no more than is kept. */
function certain({ network, items, nextBefore }: StoredPage): StoredPage {
  const end = items.findIndex((item, i) => i >= KEPT_ITEMS || (i >= LARGE_PAGE && !isCertain(item)));
  if (end < 0) return { network, items, nextBefore };
  return { network, items: items.slice(0, end), nextBefore: items[end - 1]!.txSignature };
}

const isCertain = ({ status, type, amounts, usdValue }: ActivityItem) =>
  status === "failed" || (type === "other" ? amounts.length > 0 : usdValue !== null);

/** What was kept, by whichever version of this page or by anybody; null where it is none of this chain. */
function parse(text: string | null, { network }: ActivityPage): StoredPage | null {
  try {
    const held = JSON.parse(text ?? "null");
    return isHeld(held) && held.network === network ? certain(held) : null;
  } catch {
    return null;
  }
}

const readOn = createHistoryReader({
  get: (path) => calls.get<typeof getActivityContract>(path),
  kept: { read: readStoredHistory, write: storeHistory },
  now: () => Date.now(),
  lastLanding: freshness.lastLanding,
  isShort: limit.isShort,
});

/** What the sums on the overview are made of; read again when something landed. */
export function useHistory(address: string) {
  return useSWR<History, ApiError>(`history:/api/activity/${address}`, () => readOn(address), {
    refreshInterval: (history) => (history?.readsOn ? READ_ON_MS : 0),
    revalidateOnFocus: false,
    dedupingInterval: READ_ON_MS / 2,
    errorRetryCount: 3,
    errorRetryInterval: 15_000,
  });
}
