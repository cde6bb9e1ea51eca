import { DAY_MS, LONGEST_MONTH_MS } from "../../domain/time";
import type { Storage } from "../../sdk/platform";
import type { Activity, PageRequest } from "../../sdk/reads";

/** A node may show a transaction late or incompletely until it is this old. Younger ones are read again each time. */
const UNSETTLED_AGE_MS = 10 * 60_000;
const PAGE_SIZE = 50;
/** Maximum number of pages per call. */
const MAX_PAGES = 10;

/** A period of a limit: the last 24 hours, or the calendar month in local time, as on the page. */
export type LimitPeriod = "day" | "month";

/** How far back the reader reads. It reads more than a month, so that a change of the time zone leaves no gap. */
const READ_MS: Record<LimitPeriod, number> = { day: DAY_MS, month: LONGEST_MONTH_MS };

export type DatedItem = Activity["items"][number] & { time: string };

/**
 * Types that count only if the service wallet paid the network fee, which proves that it signed. Otherwise a stranger
 * could use up the limits by burning junk tokens in the wallet.
 */
const SIGNED_TYPES = new Set<string>(["swap", "withdrawal"]);

/**
 * Returns whether an item counts as moved. Deposits do not, because strangers make them. The user's wallet pays for a
 * saving, so its fee proves nothing.
 */
const isCounted = ({ type, status, networkFeeLamports }: DatedItem) =>
  status === "confirmed" && (type === "round_up" || (SIGNED_TYPES.has(type) && networkFeeLamports !== null));

/** The counted part of the activity, as far as it has been read. */
interface ActivityPart {
  /** `items` is complete up to and including this transaction; null when nothing has been read yet. */
  readTo: string | null;
  /** Newest first. */
  items: DatedItem[];
}

/** An unfinished read, which continues with the page before the transaction `before`. */
interface UnfinishedRead extends ActivityPart {
  before: string | null;
}

interface StoredPeriod extends ActivityPart {
  /** The read that has not reached `readTo` yet. */
  walk: UnfinishedRead | null;
}

const NOTHING_READ: StoredPeriod = { readTo: null, items: [], walk: null };
const createEmptyRead = (): UnfinishedRead => ({ readTo: null, before: null, items: [] });

/** The one method of a client that this file needs. */
export interface ActivityReader {
  activity(request: PageRequest): Promise<Pick<Activity, "items" | "nextBefore">>;
}

/**
 * Returns the movements of a service wallet in the last 24 hours, or for a month in the last 32 days, newest first; null
 * while more pages must be read. Progress is stored even when a call fails, and the next call resumes there. Otherwise a
 * stranger's dust could make the history too long to ever finish, and savings would stop. @throws {ApiError}
 */
export async function readMoves(
  period: LimitPeriod,
  reader: ActivityReader,
  storage: Storage,
  serviceWallet: string,
  nowMs: number,
): Promise<DatedItem[] | null> {
  const key = `roundup-${period}:${serviceWallet}`;
  let stored = parseStoredPeriod(await storage.get(key));
  const storeProgress = (newlyStored: StoredPeriod) => {
    stored = newlyStored;
    return storage.set(key, JSON.stringify(newlyStored));
  };
  const isRecent = ({ time }: DatedItem) => Date.parse(time) > nowMs - READ_MS[period];
  let currentRead = stored.walk ?? createEmptyRead();
  let isFromNewest = stored.walk === null;
  let recentItems: DatedItem[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextBefore } = await reader.activity({ limit: PAGE_SIZE, before: currentRead.before ?? undefined });
    const datedItems = items.map((item) => ({ ...item, time: item.time ?? new Date(nowMs).toISOString() }));
    // The page ends at the part that an earlier read has covered, or before the period.
    const endIndex = datedItems.findIndex((item) => item.txSignature === stored.readTo || !isRecent(item));
    for (const item of endIndex < 0 ? datedItems : datedItems.slice(0, endIndex)) {
      // This item and all older ones are settled, so a later read ends here.
      if (currentRead.readTo === null && Date.parse(item.time) < nowMs - UNSETTLED_AGE_MS)
        currentRead.readTo = item.txSignature;
      if (isCounted(item)) (currentRead.readTo === null ? recentItems : currentRead.items).push(item);
    }
    if (endIndex < 0 && nextBefore !== null) {
      currentRead.before = nextBefore;
      await storeProgress({ ...stored, walk: currentRead });
      continue;
    }
    const mergedItems = mergeItems(currentRead.items, stored.items.filter(isRecent));
    await storeProgress({ readTo: currentRead.readTo ?? stored.readTo, items: mergedItems, walk: null });
    if (isFromNewest) return mergeItems(recentItems, mergedItems);
    // This read began in an earlier call. Read once more from the newest transaction, because others may have landed since.
    [currentRead, isFromNewest, recentItems] = [createEmptyRead(), true, []];
  }
  return null;
}

function mergeItems(newerItems: DatedItem[], olderItems: DatedItem[]): DatedItem[] {
  return [...new Map([...newerItems, ...olderItems].map((item) => [item.txSignature, item])).values()];
}

/** Parses stored progress. Damaged text counts as no progress, because the chain has all the data. */
function parseStoredPeriod(text: string | null): StoredPeriod {
  try {
    return { ...NOTHING_READ, ...JSON.parse(text ?? "{}") };
  } catch {
    return NOTHING_READ;
  }
}
