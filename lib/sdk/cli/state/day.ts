import { DAY_MS } from "../../../domain/prices/price-history";
import type { Activity, PageRequest } from "../../reads";
import type { Storage } from "../../world";

/** A node may show a transaction late or incompletely for this long. Younger transactions are read again each time. */
const UNSURE_MS = 10 * 60_000;
const PAGE_SIZE = 50;
/** Maximum number of pages per call. */
const MAX_PAGES = 10;

type DatedItem = Activity["items"][number] & { time: string };

/**
 * Types that count only if the service wallet paid the network fee, which proves that it signed. Otherwise a stranger
 * could use up the daily limit by burning junk tokens in the wallet.
 */
const SIGNED_TYPES = new Set<string>(["swap", "withdrawal"]);

/** Ignores deposits, because strangers make them. The user's wallet pays for a round-up, so its fee proves nothing. */
const isCounted = ({ type, status, networkFeeLamports }: DatedItem) =>
  status === "confirmed" && (type === "round_up" || (SIGNED_TYPES.has(type) && networkFeeLamports !== null));

interface ReadActivity {
  /** `items` is complete up to and including this transaction; null when nothing has been read yet. */
  readTo: string | null;
  /** Newest first. */
  items: DatedItem[];
}

/** An unfinished read, which continues with the page before the transaction `before`. */
interface UnfinishedRead extends ReadActivity {
  before: string | null;
}

interface StoredDay extends ReadActivity {
  /** The read that has not reached `readTo` yet. */
  walk: UnfinishedRead | null;
}

const NOTHING_READ: StoredDay = { readTo: null, items: [], walk: null };
const startRead = (): UnfinishedRead => ({ readTo: null, before: null, items: [] });

/** Reads the activity of a service wallet. */
export interface ActivityReader {
  activity(request: PageRequest): Promise<Pick<Activity, "items" | "nextBefore">>;
}

/**
 * Returns the movements of a service wallet in the last 24 hours, newest first; null while more pages must be read.
 * Progress is stored even when a call fails, and the next call resumes there. Otherwise a stranger's dust could make
 * the history too long to ever finish, and savings would stop.
 * @throws {ApiError}
 */
export async function readDayMoves(reader: ActivityReader, storage: Storage, serviceWallet: string, now: number) {
  const key = `roundup-day:${serviceWallet}`;
  let stored = parseStoredDay(await storage.get(key));
  const store = (next: StoredDay) => {
    stored = next;
    return storage.set(key, JSON.stringify(next));
  };
  const isRecent = ({ time }: DatedItem) => Date.parse(time) > now - DAY_MS;
  let walk = stored.walk ?? startRead();
  let fromNewest = stored.walk === null;
  let recentItems: DatedItem[] = [];
  for (let page = 0; page < MAX_PAGES; page++) {
    const { items, nextBefore } = await reader.activity({
      limit: PAGE_SIZE,
      ...(walk.before && { before: walk.before }),
    });
    const dated = items.map((item) => ({ ...item, time: item.time ?? new Date(now).toISOString() }));
    const end = dated.findIndex((item) => item.txSignature === stored.readTo || !isRecent(item));
    for (const item of end < 0 ? dated : dated.slice(0, end)) {
      if (walk.readTo === null && Date.parse(item.time) < now - UNSURE_MS) walk.readTo = item.txSignature;
      if (isCounted(item)) (walk.readTo === null ? recentItems : walk.items).push(item);
    }
    if (end < 0 && nextBefore !== null) {
      walk.before = nextBefore;
      await store({ ...stored, walk });
      continue;
    }
    const all = mergeItems(walk.items, stored.items.filter(isRecent));
    await store({ readTo: walk.readTo ?? stored.readTo, items: all, walk: null });
    if (fromNewest) return mergeItems(recentItems, all);
    // New transactions may have arrived since this read began, so read once more from the newest.
    [walk, fromNewest, recentItems] = [startRead(), true, []];
  }
  return null;
}

function mergeItems(newer: DatedItem[], older: DatedItem[]): DatedItem[] {
  return [...new Map([...newer, ...older].map((item) => [item.txSignature, item])).values()];
}

/** Parses stored progress. Damaged text counts as no progress, because the chain has all the data. */
function parseStoredDay(text: string | null): StoredDay {
  try {
    return { ...NOTHING_READ, ...JSON.parse(text ?? "{}") };
  } catch {
    return NOTHING_READ;
  }
}
