import type { DataOf, InputOf } from "../../../contracts/define";
import type { getSpendingContract } from "../../../contracts/get-spending";
import { fromMicroUsd } from "../../../domain/money";
import { toBatches } from "../../../domain/spending/batches";
import type { LeftOutReason } from "../../../domain/spending/spending";
import { STORE_KEYS } from "../../../domain/store-keys";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { toPaidAmounts, toPulled } from "../amounts";
import { deleteCursor, listUnsavedTransactions, type SpendingProgress, type UnsavedListing } from "./spending-list";
import { createSpendingReader, type SpendingReading } from "./spending-reader";

/*
 * Lists a wallet's unsaved payments, in batches.
 *
 * The problem: one answer may make only 60 node calls, and a wallet may have thousands of unsaved transactions. A batch
 * that skips a transaction would count it as saved although it was never read.
 * The invariant: batches are continuous. They begin with the oldest unsaved transaction and skip none.
 * How it is kept: transactions are read from the oldest on. Reading stops at the first one whose outcome is not certain
 * yet. Progress is stored, and the next answer continues there. `isComplete` is false until every transaction has been
 * read.
 * Example: a wallet has 100 unsaved payments. The first answer spends some calls on the page of the newest 20 and reads
 * the oldest 30 or so into batches. The second answer continues after those, and the third reports `isComplete: true`.
 */

type Spending = DataOf<typeof getSpendingContract>;
type SpendingItem = Spending["items"][number];

const DEFAULT_LIMIT = 20;
const DEFAULT_SINCE_MS = 7 * DAY_MS;
/** Limit of node calls for one answer. */
const MAX_NODE_CALLS = 60;
/** Number of signatures listed for a page if `entries` lack the newest ones. A node returns no more in one call. */
const MAX_PAGE_SIGNATURES = 1_000;

type LeftOutCounts = SpendingProgress["leftOut"];

/**
 * Returns a wallet's unsaved payments: a page of the newest ones, and batches that begin with the oldest. Stores the
 * progress of the batches for the next answer.
 * @throws AppError upstream_*
 */
export async function collectSpending(deps: Deps, input: InputOf<typeof getSpendingContract>): Promise<Spending> {
  const { address, serviceWallet, limit = DEFAULT_LIMIT, before } = input;
  const sinceMs = input.since === undefined ? deps.clock.now() - DEFAULT_SINCE_MS : Date.parse(input.since);
  const keyParts = [address, input.since ?? "", serviceWallet ?? ""] as const;
  const progressKey = STORE_KEYS.spending.toKey(...keyParts);
  const query = { wallet: address, sinceMs, progressKey, cursorKey: STORE_KEYS.spendingCursor.toKey(...keyParts) };
  const listing = await listUnsavedTransactions(deps, query);
  const { entries, savedThrough, savedSlot, isComplete, callCount, longHistory } = listing;
  const hasListedAll = isComplete && !longHistory;
  // Without a full list, one more call lists the newest transactions for the page.
  const maxReadCalls = Math.max(0, MAX_NODE_CALLS - callCount - (hasListedAll ? 0 : 1));
  const reader = createSpendingReader(deps, address, serviceWallet, maxReadCalls);

  const pageSource = hasListedAll
    ? entries
    : await deps.rpc.readSignatures(address, { limit: MAX_PAGE_SIGNATURES, ...(before && { before }) });
  const savedIndex = pageSource.findIndex(({ slot }) => slot <= savedSlot);
  const newestEntries = savedIndex < 0 ? pageSource : pageSource.slice(0, savedIndex);
  // If the node has listed the page, it has applied `before` already.
  const pageStart =
    before !== undefined && hasListedAll ? entries.findIndex(({ signature }) => signature === before) + 1 : 0;
  const knownProgress = findValidProgress(listing);
  const page = await readPage(reader, removeNonPayments(newestEntries.slice(pageStart), listing, knownProgress), limit);
  const readings = isComplete
    ? await reader.readEntries(entries.slice(0, entries.length - knownProgress.coveredCount).reverse())
    : [];
  const progress = advanceProgress(knownProgress.progress, readings);
  if (progress.upTo !== knownProgress.progress.upTo)
    await deps.kv.set(progressKey, progress, STORE_KEYS.spending.ttlMs);

  const uncoveredEntries = entries.slice(0, findEntryIndex(entries, progress.upTo));
  if (longHistory && isComplete && uncoveredEntries.length === 0) await deleteCursor(deps, query);
  const hasReadAll = isComplete && (longHistory?.includesNewest ?? true) && uncoveredEntries.length === 0;
  // From this slot on, not every transaction has been read.
  const openSlot = uncoveredEntries.at(-1)?.slot ?? (hasReadAll ? Number.POSITIVE_INFINITY : (entries[0]?.slot ?? 0));
  const closedPayments = progress.payments.filter(([, , slot]) => slot < openSlot);
  return {
    walletAddress: address,
    network: deps.network,
    items: applyRecordedValues(page.items, progress),
    leftOut: toLeftOutList(countReasons({ ...progress.leftOut }, reader.findReadings(uncoveredEntries))),
    savedThrough,
    batches: toBatches(closedPayments, savedThrough),
    nextBefore: page.nextBefore ?? (hasListedAll ? null : (newestEntries.at(-1)?.signature ?? null)),
    isComplete: hasReadAll,
  };
}

/** Returns the index of a signature among the entries, or entries.length if it is absent. */
function findEntryIndex(entries: HistoryEntry[], signature: string | null): number {
  const index = entries.findIndex((entry) => entry.signature === signature);
  return index < 0 ? entries.length : index;
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

/** Gives listed payments the values that the batches use. Today's price may have moved since those were recorded. */
function applyRecordedValues(items: SpendingItem[], { payments }: SpendingProgress): SpendingItem[] {
  const recordedUsd = new Map(payments.map(([txSignature, usd]) => [txSignature, usd]));
  return items.map((item) =>
    item.usdValue === null ? item : { ...item, usdValue: recordedUsd.get(item.txSignature) ?? item.usdValue },
  );
}

interface KnownProgress {
  /** Number of entries that the progress covers, counted from the oldest. */
  coveredCount: number;
  progress: SpendingProgress;
}

/** Finds the stored progress that is still valid. Drops payments that are older than the listing, whose start moves. */
function findValidProgress(listing: UnsavedListing): KnownProgress {
  const { entries, savedThrough, isComplete, longHistory, progress } = listing;
  const currentProgress = isComplete ? progress : null;
  if (currentProgress && longHistory && currentProgress.upTo === longHistory.readUpTo)
    return { coveredCount: 0, progress: currentProgress };
  const coveredCount = entries.length - findEntryIndex(entries, currentProgress?.upTo ?? null);
  if (!currentProgress || coveredCount === 0)
    return { coveredCount: 0, progress: { savedThrough, upTo: null, payments: [], leftOut: {} } };
  const listedSignatures = new Set(entries.map(({ signature }) => signature));
  return {
    coveredCount,
    progress: {
      ...currentProgress,
      payments: currentProgress.payments.filter(([signature]) => listedSignatures.has(signature)),
    },
  };
}

/** Removes the entries that an earlier answer has read and found to be no payments. They need not be read again. */
function removeNonPayments(
  page: HistoryEntry[],
  { entries }: UnsavedListing,
  { coveredCount, progress }: KnownProgress,
): HistoryEntry[] {
  const nonPaymentSignatures = new Set(entries.slice(entries.length - coveredCount).map(({ signature }) => signature));
  for (const [signature] of progress.payments) nonPaymentSignatures.delete(signature);
  return page.filter(({ signature }) => !nonPaymentSignatures.has(signature));
}

/** Extends the progress up to the first transaction that is not certain yet. @param readings oldest first */
function advanceProgress(progress: SpendingProgress, readings: SpendingReading[]): SpendingProgress {
  const { upTo, payments, leftOut } = progress;
  const uncertainIndex = readings.findIndex(({ reason, value }) => reason === null && value === null);
  const certainReadings = uncertainIndex < 0 ? readings : readings.slice(0, uncertainIndex);
  const newPayments = certainReadings.flatMap(({ entry, value }): SpendingProgress["payments"] =>
    value ? [[entry.signature, fromMicroUsd(value.microUsd), entry.slot]] : [],
  );
  return {
    ...progress,
    upTo: certainReadings.at(-1)?.entry.signature ?? upTo,
    payments: [...payments, ...newPayments],
    leftOut: countReasons({ ...leftOut }, certainReadings),
  };
}

function countReasons(counts: LeftOutCounts, readings: SpendingReading[]): LeftOutCounts {
  for (const { reason } of readings) if (reason !== null) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

const toLeftOutList = (counts: LeftOutCounts) =>
  Object.entries(counts).map(([reason, count]) => ({ reason: reason as LeftOutReason, count }));
