"use client";

import { useEffect, useState } from "react";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import { ApiError } from "@/lib/sdk/calls/api-error";
import type { AnswerOf } from "@/lib/sdk/calls/calls";
import { readPath } from "./calls";
import { useQuery } from "./queries";

export type ActivityPage = AnswerOf<typeof getActivityContract>;
export type ActivityItem = ActivityPage["items"][number];
export type ActivityAmount = ActivityItem["amounts"][number];

const PAGE_SIZE = 20;
/** The largest page the API returns. */
export const MAX_PAGE_SIZE = 50;

export const toActivityPath = (address: string, limit: number, before?: string | null) =>
  `/api/activity/${address}?limit=${limit}${before ? `&before=${before}` : ""}`;

export const toRecentActivityPath = (address: string) => toActivityPath(address, 5);

/** Polls the newest few transactions once a minute. */
export function useRecentActivity(address: string) {
  return useQuery<typeof getActivityContract>(toRecentActivityPath(address), 60_000);
}

/**
 * Returns the amounts that moved, outgoing ones first, without the rent of the wallet's own token accounts. That rent
 * is a refundable deposit and is shown separately. Refunded rent that left with the rest counts as sent. Received SOL
 * is the amount that arrived, even when the wallet paid rent for the receiving account.
 */
export function computeMovedAmounts({ type, amounts, tokenAccountDepositLamports }: ActivityItem): ActivityAmount[] {
  const deposit = BigInt(tokenAccountDepositLamports);
  const outgoingFirst = amounts.toSorted((a, b) => Number(isIncoming(a)) - Number(isIncoming(b)));
  if (deposit === 0n) return outgoingFirst;
  return outgoingFirst
    .map((amount) => {
      if (amount.asset !== "SOL" || amount.symbol !== "SOL") return amount;
      const [change, moved] = [BigInt(amount.amount), BigInt(amount.amount) + deposit];
      return type !== "swap" && type !== "withdrawal" && change * moved > 0n
        ? amount
        : { ...amount, amount: moved.toString() };
    })
    .filter(({ amount }) => amount !== "0");
}

/** Returns what the wallet sent and what it received, as in `computeMovedAmounts`. */
export function splitMovedAmounts(item: ActivityItem): { sent: ActivityAmount[]; received: ActivityAmount[] } {
  const moved = computeMovedAmounts(item);
  return { sent: moved.filter((amount) => !isIncoming(amount)), received: moved.filter(isIncoming) };
}

/** Returns whether the amount came into the wallet. */
export const isIncoming = ({ amount }: Pick<ActivityAmount, "amount">): boolean => !amount.startsWith("-");

/** Items that are already loaded, and where to continue. */
export type LoadedPage = Pick<ActivityPage, "network" | "items" | "nextBefore">;

/**
 * Joins a fresh first page with the items already loaded. Without an overlap, transactions could be missing in between,
 * so the fresh page replaces them.
 */
export function joinPages(loaded: LoadedPage | null, page: ActivityPage): LoadedPage {
  const known = new Set(page.items.map(({ txSignature }) => txSignature));
  const overlaps = loaded?.items.some(({ txSignature }) => known.has(txSignature));
  if (!loaded || !overlaps) return page;
  const older = loaded.items.filter(({ txSignature }) => !known.has(txSignature));
  const items = [...page.items, ...older];
  return { ...page, items, nextBefore: older.length > 0 ? loaded.nextBefore : page.nextBefore };
}

/**
 * Reads a wallet's history page by page. Give the component a `key` per address: the state belongs to one address.
 * @param pollMs how often to read the newest page again, ms
 */
export function useActivity(address: string, pollMs = 60_000) {
  const first = useQuery<typeof getActivityContract>(toActivityPath(address, PAGE_SIZE), pollMs);
  const [history, setHistory] = useState<LoadedPage | null>(null);
  const [older, setOlder] = useState<{ busy: boolean; error: ApiError | null }>({ busy: false, error: null });

  useEffect(() => {
    if (first.data) setHistory((before) => joinPages(before, first.data!));
  }, [first.data]);

  const loadOlder = async () => {
    const before = history?.nextBefore;
    if (!before) return;
    setOlder({ busy: true, error: null });
    try {
      const page = await readPath<typeof getActivityContract>(toActivityPath(address, PAGE_SIZE, before));
      // A fresh first page may have replaced the list meanwhile. This page would then leave a gap.
      setHistory((now) => (now?.nextBefore === before ? { ...page, items: [...now.items, ...page.items] } : now));
      setOlder({ busy: false, error: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setOlder({ busy: false, error });
    }
  };
  return { first, items: history?.items ?? null, hasOlder: Boolean(history?.nextBefore), older, loadOlder };
}

interface HistoryOptions {
  onProgress?: (count: number) => void;
  signal?: AbortSignal;
}

/**
 * Reads a whole history, newest first.
 * @throws {ApiError} when a page cannot be read
 * @throws the reason of `signal` when it aborts
 */
export async function readHistory(address: string, options: HistoryOptions = {}): Promise<ActivityItem[]> {
  const { onProgress, signal } = options;
  const items: ActivityItem[] = [];
  let before: string | null = null;
  for (;;) {
    signal?.throwIfAborted();
    const page: ActivityPage = await readPath<typeof getActivityContract>(
      toActivityPath(address, MAX_PAGE_SIZE, before),
    );
    items.push(...page.items);
    onProgress?.(items.length);
    before = page.nextBefore;
    if (before === null) return items;
  }
}
