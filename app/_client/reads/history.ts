"use client";

import useSWR from "swr";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import type { ApiError } from "@/lib/sdk/calls/api-error";
import { keepHistory, keptHistory } from "../kept/history";
import { type ActivityItem, type ActivityPage, joined, LARGE_PAGE, pathOf } from "./activity";
import { calls, limit } from "./calls";
import { freshness } from "./reads";

export interface History {
  items: ActivityItem[];
  /** Whether it reaches back to the wallet's first transaction. */
  complete: boolean;
}

/** How far back sums look. */
const SUM_ITEMS = 200;
/** One page of it in a view; the rest follows a page at a time. */
const READ_ON_MS = 10_000;
/** So long the newest page does, unless something landed. */
const NEWEST_MS = 60_000;

type Held = Pick<ActivityPage, "network" | "items" | "nextBefore">;

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

/**
 * Reads of histories, by one call at most: of the newest page, or of an older one where the read before stopped. What was read
 * before the page was loaded counts.
 */
export function createHistoryReader(world: World): (address: string) => Promise<History> {
  const known = new Map<string, Held & { at: number }>();
  const note = (address: string, held: Held & { at: number }): History => {
    known.set(address, held);
    world.kept.write(address, JSON.stringify(certain(held)));
    return toHistory(held);
  };
  return async (address) => {
    const before = known.get(address);
    const now = world.now();
    if (!before || before.at <= world.lastLanding() || now - before.at >= NEWEST_MS) {
      const page = await world.get(pathOf(address, LARGE_PAGE));
      return note(address, { ...joined(before ?? parse(world.kept.read(address), page), page), at: now });
    }
    if (!isToReadOn(toHistory(before)) || world.isShort(now)) return toHistory(before);
    const { items, nextBefore } = await world.get(pathOf(address, LARGE_PAGE, before.nextBefore));
    const meanwhile = known.get(address)!;
    if (meanwhile !== before) return toHistory(meanwhile);
    return note(address, { ...before, items: [...before.items, ...items], nextBefore });
  };
}

const toHistory = ({ items, nextBefore }: Held): History => ({ items, complete: nextBefore === null });

const isToReadOn = ({ items, complete }: History) => !complete && items.length < SUM_ITEMS;

/** Beyond the page that is read anew anyway, up to what a node or a price may still be found for. */
function certain({ network, items, nextBefore }: Held): Held {
  const end = items.findIndex((item, i) => i >= LARGE_PAGE && !isCertain(item));
  if (end < 0) return { network, items, nextBefore };
  return { network, items: items.slice(0, end), nextBefore: items[end - 1]!.txSignature };
}

const isCertain = ({ status, type, amounts, usdValue }: ActivityItem) =>
  status === "failed" || (type === "other" ? amounts.length > 0 : usdValue !== null);

/** What was kept, by whichever version of this page; null where it is none of this chain. */
function parse(text: string | null, { network }: ActivityPage): Held | null {
  try {
    const held = JSON.parse(text ?? "null");
    const isOne = held?.network === network && Array.isArray(held.items);
    return isOne && held.items.every((item: Partial<ActivityItem> | null) => item?.txSignature) ? held : null;
  } catch {
    return null;
  }
}

const readOn = createHistoryReader({
  get: (path) => calls.get<typeof getActivityContract>(path),
  kept: { read: keptHistory, write: keepHistory },
  now: () => Date.now(),
  lastLanding: freshness.lastLanding,
  isShort: limit.isShort,
});

/** What the sums on the overview are made of; read again when something landed. */
export function useHistory(address: string) {
  return useSWR<History, ApiError>(`history:/api/activity/${address}`, () => readOn(address), {
    refreshInterval: (history) => (history && isToReadOn(history) ? READ_ON_MS : 0),
    revalidateOnFocus: false,
    dedupingInterval: READ_ON_MS / 2,
    errorRetryCount: 3,
    errorRetryInterval: 15_000,
  });
}
