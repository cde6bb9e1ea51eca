import type { DataOf, InputOf } from "../../../contracts/define";
import type { getSpendingContract } from "../../../contracts/get-spending";
import { type BatchPayment, toBatches } from "../../../domain/spending/batches";
import type { LeftOutReason } from "../../../domain/spending/spending";
import { STORE_KEYS } from "../../../domain/store-keys";
import { DAY_MS } from "../../../domain/time";
import type { Deps } from "../../../ports/deps";
import { deleteCursor, listUnsavedTransactions } from "./spending-list";
import { listPageEntries, readPage } from "./spending-page";
import { advanceProgress, countReasons, type SpendingProgress } from "./spending-progress";
import { createSpendingReader } from "./spending-reader";

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

/**
 * Returns a wallet's unsaved payments: a page of the newest ones, and batches that begin with the oldest. Stores the
 * progress of the batches for the next answer.
 * @throws AppError upstream_*
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
