import type { DataOf, InputOf } from "../../../contracts/define";
import type { getSpendingContract } from "../../../contracts/get-spending";
import { fromMicroUsd } from "../../../domain/money";
import { type BatchPayment, toBatches } from "../../../domain/spending/batches";
import type { LeftOutReason } from "../../../domain/spending/spending";
import { STORE_KEYS } from "../../../domain/store-keys";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { toPaidAmounts, toPulled } from "../amounts";
import { deleteCursor, listUnsavedTransactions } from "./spending-list";
import {
  advanceProgress,
  countReasons,
  listReadPayments,
  type SpendingProgress,
  type UnsavedListing,
} from "./spending-progress";
import { createSpendingReader, type SpendingReading } from "./spending-reader";

/*
 * Lists a wallet's unsaved payments, in batches that begin with the oldest unsaved transaction and skip none. One answer
 * makes a limited number of node calls, so progress is stored and the next answer continues there. Reading stops at the
 * first transaction whose outcome is not certain. `isComplete` is false until every transaction has been read.
 */

type Spending = DataOf<typeof getSpendingContract>;
type SpendingItem = Spending["items"][number];

const DEFAULT_LIMIT = 20;
const DEFAULT_SINCE_MS = 7 * DAY_MS;
/** Limit of node calls for one answer. */
const MAX_NODE_CALLS = 60;

/**
 * Returns a wallet's unsaved payments: a page of the newest ones, and batches that begin with the oldest. Stores the
 * progress of the batches for the next answer.
 */
export async function collectSpending(deps: Deps, input: InputOf<typeof getSpendingContract>): Promise<Spending> {
  const { address, serviceWallet, limit = DEFAULT_LIMIT } = input;
  const sinceMs = input.since === undefined ? deps.clock.now() - DEFAULT_SINCE_MS : Date.parse(input.since);
  const keyParts = [address, input.since ?? "", serviceWallet ?? ""] as const;
  const progressKey = STORE_KEYS.spending.toKey(...keyParts);
  const toCursorKey = (listed: string) => STORE_KEYS.spendingCursor.toKey(...keyParts, listed);
  const query = { wallet: address, sinceMs, progressKey, toCursorKey };
  const listing = await listUnsavedTransactions(deps, query);
  const source = await listPageEntries(deps, listing, input);
  const maxReadCalls = Math.max(0, MAX_NODE_CALLS - listing.callCount - source.callCount);
  const reader = createSpendingReader(deps, address, serviceWallet, maxReadCalls);
  const page = await readPage(reader, source.entries, limit);

  const { lists, unreadEntries, savedThrough, isComplete, reachedSlot } = listing;
  const readableEntries = isComplete ? unreadEntries.filter(({ slot }) => slot <= reachedSlot).reverse() : [];
  const { progress, openEntries, isNew } = advanceProgress(listing, await reader.readEntries(readableEntries));
  if (isNew) await deps.kv.set(progressKey, progress, STORE_KEYS.spending.ttlMs);
  for (const list of lists)
    if (list.isComplete && !list.includesNewest && !list.entries.some((entry) => openEntries.has(entry)))
      await deleteCursor(deps, query, list.address);
  const closedPayments = progress.payments.flatMap(([signature, usd, slot]): BatchPayment[] =>
    slot <= progress.readTo ? [[signature, usd, slot]] : [],
  );
  return {
    walletAddress: address,
    network: deps.network,
    items: applyRecordedValues(page.items, progress),
    leftOut: toLeftOutList(countReasons({ ...progress.leftOut }, reader.findReadings([...openEntries]))),
    savedThrough,
    batches: toBatches(closedPayments, savedThrough),
    nextBefore: page.nextBefore ?? source.nextBefore,
    isComplete: isComplete && openEntries.size === 0 && lists.every(({ includesNewest }) => includesNewest),
  };
}

/** Gives listed payments the values that the batches use. Today's price may have moved since those were recorded. */
function applyRecordedValues(items: SpendingItem[], { payments }: SpendingProgress): SpendingItem[] {
  const recordedUsd = new Map(payments.map(([txSignature, usd]) => [txSignature, usd]));
  return items.map((item) =>
    item.usdValue === null ? item : { ...item, usdValue: recordedUsd.get(item.txSignature) ?? item.usdValue },
  );
}

const toLeftOutList = (counts: SpendingProgress["leftOut"]) =>
  Object.entries(counts).map(([reason, count]) => ({ reason: reason as LeftOutReason, count }));

/** Number of signatures listed for a page if the listing lacks the newest ones. A node returns no more in one call. */
const MAX_PAGE_SIGNATURES = 1_000;

interface PageSource {
  /** The transactions that may be payments, newest first. */
  entries: HistoryEntry[];
  /** The signature below which the next page starts if this one lists all entries; null if none follow. */
  nextBefore: string | null;
  callCount: number;
}

/** Lists the transactions that a page may show: those that have not been read, and the payments among the others. */
async function listPageEntries(
  deps: Deps,
  listing: UnsavedListing,
  { address, before }: InputOf<typeof getSpendingContract>,
): Promise<PageSource> {
  const { lists, unreadEntries, savedSlot, progress } = listing;
  const listedEntries = [...unreadEntries, ...listReadPayments(progress).reverse()];
  const beforeIndex = listedEntries.findIndex(({ signature }) => signature === before);
  const isBelowUnlisted = before !== undefined && beforeIndex < 0;
  const beforeSlot = isBelowUnlisted ? await readSlot(deps, before) : (listedEntries[beforeIndex]?.slot ?? null);
  const callCount = isBelowUnlisted ? 1 : 0;
  const ownList = lists[0];
  if (ownList?.isComplete && ownList.includesNewest) {
    const entries = isBelowUnlisted
      ? listedEntries.filter(({ slot }) => beforeSlot === null || slot <= beforeSlot)
      : listedEntries.slice(beforeIndex + 1);
    return { entries, nextBefore: null, callCount };
  }
  const nodePage = await deps.rpc.readSignatures(address, { limit: MAX_PAGE_SIGNATURES, ...(before && { before }) });
  const savedIndex = nodePage.findIndex(({ slot }) => slot <= savedSlot);
  const ownEntries = savedIndex < 0 ? nodePage : nodePage.slice(0, savedIndex);
  const ownSignatures = new Set(ownEntries.map(({ signature }) => signature));
  const lowestSlot = nodePage.length === MAX_PAGE_SIGNATURES && savedIndex < 0 ? nodePage.at(-1)!.slot : savedSlot;
  const otherEntries = listedEntries.filter(
    ({ signature, slot }) =>
      !ownSignatures.has(signature) && slot > lowestSlot && (beforeSlot === null || slot <= beforeSlot),
  );
  const payments = new Set(progress.payments.map(([signature]) => signature));
  const mayBePayment = ({ signature, slot }: HistoryEntry) => slot > progress.readTo || payments.has(signature);
  return {
    entries: [...ownEntries.filter(mayBePayment), ...otherEntries].sort((entry, other) => other.slot - entry.slot),
    nextBefore: ownEntries.at(-1)?.signature ?? null,
    callCount: callCount + 1,
  };
}

async function readSlot({ rpc }: Deps, signature: string): Promise<number | null> {
  const { states } = await rpc.readSignatureStates([signature], true);
  return states[0]?.slot ?? null;
}

/**
 * Reads the newest payments for one page. Uses at most half of the node calls that are left.
 * @returns `nextBefore`: the signature below which the next page starts; null if every entry was read, or none
 */
async function readPage(reader: ReturnType<typeof createSpendingReader>, entries: HistoryEntry[], limit: number) {
  const items: SpendingItem[] = [];
  const maxReadCount = Math.floor(reader.countCallsLeft() / 2);
  let readCount = 0;
  while (items.length < limit && readCount < entries.length && readCount < maxReadCount) {
    const chunk = entries.slice(readCount, Math.min(readCount + limit, maxReadCount));
    for (const reading of await reader.readEntries(chunk)) {
      if (items.length === limit) break;
      readCount++;
      if (reading.payment) items.push(toSpendingItem(reading));
    }
  }
  return { items, nextBefore: readCount < entries.length && readCount > 0 ? entries[readCount - 1]!.signature : null };
}

function toSpendingItem({ entry, payment, value }: SpendingReading): SpendingItem {
  return {
    txSignature: entry.signature,
    time: entry.blockTime === null ? null : new Date(entry.blockTime * 1000).toISOString(),
    amounts: toPaidAmounts(payment!),
    usdValue: value && fromMicroUsd(value.microUsd),
    estimated: value?.isEstimated ?? false,
    pulled: toPulled(payment!.pulledBy),
  };
}
