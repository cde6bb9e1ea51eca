import type { DataOf, InputOf } from "../../../contracts/define";
import type { getSpendingContract } from "../../../contracts/get-spending";
import { fromMicroUsd } from "../../../domain/money";
import type { Deps } from "../../../ports/deps";
import type { HistoryEntry } from "../../../ports/solana-rpc";
import { toPaidAmounts, toPulled } from "../amounts";
import { listReadPayments, type UnsavedListing } from "./spending-progress";
import type { createSpendingReader, SpendingReading } from "./spending-reader";

type SpendingItem = DataOf<typeof getSpendingContract>["items"][number];

/** Number of signatures listed for a page if the listing lacks the newest ones. A node returns no more in one call. */
const MAX_PAGE_SIGNATURES = 1_000;

interface PageSource {
  /** The transactions that may be payments, newest first. */
  entries: HistoryEntry[];
  /** The signature below which the next page starts if this one lists all entries; null if none follow. */
  nextBefore: string | null;
  /** Number of node calls made. */
  callCount: number;
}

/** Lists the transactions that a page may show: those that have not been read, and the payments among the others. */
export async function listPageEntries(
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

/** Reads the slot of a transaction; null if the node does not know it. */
async function readSlot({ rpc }: Deps, signature: string): Promise<number | null> {
  const { states } = await rpc.readSignatureStates([signature], true);
  return states[0]?.slot ?? null;
}

/**
 * Reads the newest payments for one page. Uses at most half of the node calls that are left.
 * @returns `nextBefore`: the signature below which the next page starts; null if every entry was read, or none
 */
export async function readPage(
  reader: ReturnType<typeof createSpendingReader>,
  entries: HistoryEntry[],
  limit: number,
) {
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
