"use client";

import { useEffect, useState } from "react";
import useSWR from "swr";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { AnswerOf } from "@/lib/sdk/calls/calls";
import { calls } from "./calls";
import { useRead } from "./reads";

type ActivityPage = AnswerOf<typeof getActivityContract>;
export type ActivityItem = ActivityPage["items"][number];
export type ActivityAmount = ActivityItem["amounts"][number];

const PAGE = 20;
/** The most the service gives at once. */
const LARGE_PAGE = 50;
/** How far back sums look. */
const SUM_ITEMS = 200;
/** One page of it in a view; the rest follows a page a minute. */
const READ_ON_MS = 60_000;

const pathOf = (address: string, limit: number, before?: string | null) =>
  `/api/activity/${address}?limit=${limit}${before ? `&before=${before}` : ""}`;

export const recentActivityPath = (address: string) => pathOf(address, 5);

/** The newest few, polled once a minute. */
export function useRecentActivity(address: string) {
  return useRead<typeof getActivityContract>(recentActivityPath(address), 60_000);
}

/** One of a wallet's newest transactions; asked for again until it is there. */
export function useTransaction(address: string, txSignature: string) {
  const read = useRead<typeof getActivityContract>(pathOf(address, LARGE_PAGE), 10_000);
  return { ...read, item: read.data?.items.find((item) => item.txSignature === txSignature) };
}

/**
 * What moved, without the rent of the wallet's own token accounts: that is a deposit, neither spent nor earned, and is
 * shown by itself. What returned of it and left with the rest was sent. SOL that is received is what arrives, though rent
 * was paid for the receiving account beside it.
 */
export function movedAmounts({ type, amounts, tokenAccountDepositLamports }: ActivityItem): ActivityAmount[] {
  const deposit = BigInt(tokenAccountDepositLamports);
  if (deposit === 0n) return amounts;
  return amounts
    .map((amount) => {
      if (amount.asset !== "SOL" || amount.symbol !== "SOL") return amount;
      const [change, moved] = [BigInt(amount.amount), BigInt(amount.amount) + deposit];
      return type !== "swap" && type !== "withdrawal" && change * moved > 0n
        ? amount
        : { ...amount, amount: moved.toString() };
    })
    .filter(({ amount }) => amount !== "0");
}

interface Held {
  items: ActivityItem[];
  nextBefore: string | null;
}

/** A fresh first page joined with what is held already. Without an overlap something may lie between: start anew. */
function joined(held: Held | null, page: ActivityPage): Held {
  const known = new Set(page.items.map(({ txSignature }) => txSignature));
  const overlaps = held?.items.some(({ txSignature }) => known.has(txSignature));
  if (!held || !overlaps) return page;
  const older = held.items.filter(({ txSignature }) => !known.has(txSignature));
  return { items: [...page.items, ...older], nextBefore: older.length > 0 ? held.nextBefore : page.nextBefore };
}

/** A wallet's history, page by page. One component for one address: give it a key. */
export function useActivity(address: string) {
  const first = useRead<typeof getActivityContract>(pathOf(address, PAGE), 60_000);
  const [held, setHeld] = useState<Held | null>(null);
  const [older, setOlder] = useState<{ busy: boolean; error: ApiError | null }>({ busy: false, error: null });

  useEffect(() => {
    if (first.data) setHeld((before) => joined(before, first.data!));
  }, [first.data]);

  const loadOlder = async () => {
    if (!held?.nextBefore) return;
    setOlder({ busy: true, error: null });
    try {
      const page = await calls.get<typeof getActivityContract>(pathOf(address, PAGE, held.nextBefore));
      setHeld((now) => ({ items: [...(now?.items ?? []), ...page.items], nextBefore: page.nextBefore }));
      setOlder({ busy: false, error: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setOlder({ busy: false, error });
    }
  };
  return { first, items: held?.items ?? null, hasOlder: Boolean(held?.nextBefore), older, loadOlder };
}

export interface History {
  items: ActivityItem[];
  /** Whether it reaches back to the wallet's first transaction. */
  complete: boolean;
}

interface HistoryOptions {
  onProgress?: (count: number) => void;
  /** Seconds to wait because of the limit. */
  onWait?: (seconds: number) => void;
  signal?: AbortSignal;
}

/** Reads a whole history from the newest back. With `onWait` a rate limit is waited for, else it is thrown. @throws {ApiError} */
export async function readHistory(address: string, options: HistoryOptions = {}): Promise<History> {
  const { onProgress, signal } = options;
  const items: ActivityItem[] = [];
  let before: string | null = null;
  for (;;) {
    signal?.throwIfAborted();
    const answer: ActivityPage = await patiently(pathOf(address, LARGE_PAGE, before), options);
    items.push(...answer.items);
    onProgress?.(items.length);
    before = answer.nextBefore;
    if (before === null) return { items, complete: true };
  }
}

async function patiently(path: string, { onWait, signal }: HistoryOptions): Promise<ActivityPage> {
  for (;;) {
    try {
      return await calls.get<typeof getActivityContract>(path);
    } catch (error) {
      if (!onWait || !(error instanceof ApiError) || error.code !== "rate_limited") throw error;
      const seconds = error.retryAfter ?? 10;
      onWait(seconds);
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
      signal?.throwIfAborted();
    }
  }
}

type GetPage = (path: string) => Promise<ActivityPage>;

/** Reads of histories that go on where the one before stopped: the newest page each time, and from the second on an older one. */
export function createHistoryReader(get: GetPage): (address: string) => Promise<History> {
  const known = new Map<string, Held>();
  return async (address) => {
    const before = known.get(address);
    let held = joined(before ?? null, await get(pathOf(address, LARGE_PAGE)));
    if (before && held.nextBefore !== null && held.items.length < SUM_ITEMS) {
      const older = await get(pathOf(address, LARGE_PAGE, held.nextBefore));
      held = { items: [...held.items, ...older.items], nextBefore: older.nextBefore };
    }
    known.set(address, held);
    return { items: held.items, complete: held.nextBefore === null };
  };
}

const readOn = createHistoryReader((path) => calls.get<typeof getActivityContract>(path));

/** What the sums on the overview are made of; read again when something landed. */
export function useHistory(address: string) {
  return useSWR<History, ApiError>(`history:/api/activity/${address}`, () => readOn(address), {
    refreshInterval: (history) => (history && !history.complete && history.items.length < SUM_ITEMS ? READ_ON_MS : 0),
    revalidateOnFocus: false,
    dedupingInterval: READ_ON_MS / 2,
    errorRetryCount: 3,
    errorRetryInterval: 15_000,
  });
}
