"use client";

import { useEffect, useState } from "react";
import type { DataOf } from "@/lib/contracts/define";
import type { getActivityContract } from "@/lib/contracts/get-activity";
import { ApiError } from "@/lib/sdk/calls/api-error";
import { readPath } from "./calls";
import { useQuery } from "./queries";

export type ActivityPage = DataOf<typeof getActivityContract>;
export type ActivityItem = ActivityPage["items"][number];
export type ActivityAmount = ActivityItem["amounts"][number];

const PAGE_SIZE = 20;
/** The largest page the API returns. */
export const MAX_PAGE_SIZE = 50;

export const toActivityPath = (address: string, limit: number, before?: string | null) =>
  `/api/activity/${address}?limit=${limit}${before ? `&before=${before}` : ""}`;

export const toRecentActivityPath = (address: string) => toActivityPath(address, 5);

/** Polls a wallet's newest five transactions once a minute. */
export function useRecentActivity(address: string) {
  return useQuery<typeof getActivityContract>(toRecentActivityPath(address), 60_000);
}

/**
 * Returns the amounts that moved, outgoing ones first. The SOL of a swap or withdrawal excludes refundable rent, shown
 * apart. Rent that left with a withdrawal counts as sent. Other SOL excludes rent only where rent explains it.
 */
export function computeMovedAmounts({ type, amounts, tokenAccountDepositLamports }: ActivityItem): ActivityAmount[] {
  const depositLamports = BigInt(tokenAccountDepositLamports);
  const outgoingFirst = amounts.toSorted((left, right) => Number(isIncoming(left)) - Number(isIncoming(right)));
  if (depositLamports === 0n) return outgoingFirst;
  return outgoingFirst
    .map((movement) => {
      // Wrapped SOL has the same asset but a different symbol.
      if (movement.asset !== "SOL" || movement.symbol !== "SOL") return movement;
      const netLamports = BigInt(movement.amount);
      const movedLamports = netLamports + depositLamports;
      const keepsDirection = netLamports * movedLamports > 0n;
      return type !== "swap" && type !== "withdrawal" && keepsDirection
        ? movement
        : { ...movement, amount: movedLamports.toString() };
    })
    .filter(({ amount }) => amount !== "0");
}

/** Splits `computeMovedAmounts`. */
export function splitMovedAmounts(item: ActivityItem): { sent: ActivityAmount[]; received: ActivityAmount[] } {
  const movedAmounts = computeMovedAmounts(item);
  return { sent: movedAmounts.filter((amount) => !isIncoming(amount)), received: movedAmounts.filter(isIncoming) };
}

export const isIncoming = ({ amount }: Pick<ActivityAmount, "amount">): boolean => !amount.startsWith("-");

/** Items that are already loaded. `nextBefore` is the cursor of the next older page. */
export type LoadedPage = Pick<ActivityPage, "network" | "items" | "nextBefore">;

/** Joins a fresh first page with the loaded items. Without an overlap some could be missing, so it replaces them. */
export function joinPages(loadedPage: LoadedPage | null, page: ActivityPage): LoadedPage {
  const pageSignatures = new Set(page.items.map(({ txSignature }) => txSignature));
  const overlaps = loadedPage?.items.some(({ txSignature }) => pageSignatures.has(txSignature));
  if (!loadedPage || !overlaps) return page;
  const olderItems = loadedPage.items.filter(({ txSignature }) => !pageSignatures.has(txSignature));
  const items = [...page.items, ...olderItems];
  return { ...page, items, nextBefore: olderItems.length > 0 ? loadedPage.nextBefore : page.nextBefore };
}

/** Reads a history page by page. `items` is null before the first. The component needs a `key` per address. */
export function useActivity(address: string, pollMs = 60_000) {
  const newestPage = useQuery<typeof getActivityContract>(toActivityPath(address, PAGE_SIZE), pollMs);
  const [history, setHistory] = useState<LoadedPage | null>(null);
  const [olderLoad, setOlderLoad] = useState<{ isBusy: boolean; error: ApiError | null }>({
    isBusy: false,
    error: null,
  });

  useEffect(() => {
    if (newestPage.data) setHistory((loadedPage) => joinPages(loadedPage, newestPage.data!));
  }, [newestPage.data]);

  const loadOlder = async () => {
    const cursor = history?.nextBefore;
    if (!cursor) return;
    setOlderLoad({ isBusy: true, error: null });
    try {
      const page = await readPath<typeof getActivityContract>(toActivityPath(address, PAGE_SIZE, cursor));
      // If a fresh newest page has replaced the list, the older page would leave a gap.
      setHistory((loadedPage) =>
        loadedPage?.nextBefore === cursor ? { ...page, items: [...loadedPage.items, ...page.items] } : loadedPage,
      );
      setOlderLoad({ isBusy: false, error: null });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setOlderLoad({ isBusy: false, error });
    }
  };
  return { newestPage, items: history?.items ?? null, hasOlder: Boolean(history?.nextBefore), olderLoad, loadOlder };
}

interface HistoryOptions {
  /** Receives how many items are read. */
  onProgress: (count: number) => void;
  signal: AbortSignal;
}

/** Reads a whole history, newest first. @throws {ApiError}, or the reason of `signal` */
export async function readHistory(address: string, { onProgress, signal }: HistoryOptions): Promise<ActivityItem[]> {
  const items: ActivityItem[] = [];
  let cursor: string | null = null;
  for (;;) {
    signal.throwIfAborted();
    const page: ActivityPage = await readPath<typeof getActivityContract>(
      toActivityPath(address, MAX_PAGE_SIZE, cursor),
    );
    items.push(...page.items);
    onProgress(items.length);
    cursor = page.nextBefore;
    if (cursor === null) return items;
  }
}
