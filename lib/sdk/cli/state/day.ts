import type { Activity, PageRequest } from "../../reads";
import type { Storage } from "../../world";

export const DAY_MS = 86_400_000;
/** A node may show a transaction late or incompletely for this long. Younger transactions are read again each time. */
const UNSURE_MS = 10 * 60_000;
const PAGE = 50;
/** Maximum number of pages per call. */
const PAGES = 10;

type Item = Activity["items"][number] & { time: string };

/**
 * Types that count only if the service wallet paid the network fee, which proves that it signed. Otherwise a stranger
 * could use up the daily limit by burning junk tokens in the wallet.
 */
const SIGNED = new Set<string>(["swap", "withdrawal"]);

/** Ignores deposits, because strangers make them. The user's wallet pays for a round-up, so its fee proves nothing. */
const isMove = ({ type, status, networkFeeLamports }: Item) =>
  status === "confirmed" && (type === "round_up" || (SIGNED.has(type) && networkFeeLamports !== null));

interface StoredDay {
  /** `items` is complete up to and including this transaction; null when nothing has been read yet. */
  readTo: string | null;
  /** Newest first. */
  items: Item[];
  /** The position and items of an unfinished read, which has not reached `readTo` yet. */
  walk: Walk | null;
}

interface Walk {
  readTo: string | null;
  before: string | null;
  items: Item[];
}

const NOTHING: StoredDay = { readTo: null, items: [], walk: null };
const createWalk = (): Walk => ({ readTo: null, before: null, items: [] });

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
  let stored = parse(await storage.get(key));
  const store = (next: StoredDay) => {
    stored = next;
    return storage.set(key, JSON.stringify(next));
  };
  const isRecent = ({ time }: Item) => Date.parse(time) > now - DAY_MS;
  let walk = stored.walk ?? createWalk();
  let fromNewest = stored.walk === null;
  let recentItems: Item[] = [];
  for (let page = 0; page < PAGES; page++) {
    const { items, nextBefore } = await reader.activity({ limit: PAGE, ...(walk.before && { before: walk.before }) });
    const dated = items.map((item) => ({ ...item, time: item.time ?? new Date(now).toISOString() }));
    const end = dated.findIndex((item) => item.txSignature === stored.readTo || !isRecent(item));
    for (const item of end < 0 ? dated : dated.slice(0, end)) {
      if (walk.readTo === null && Date.parse(item.time) < now - UNSURE_MS) walk.readTo = item.txSignature;
      if (isMove(item)) (walk.readTo === null ? recentItems : walk.items).push(item);
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
    [walk, fromNewest, recentItems] = [createWalk(), true, []];
  }
  return null;
}

function mergeItems(newer: Item[], older: Item[]): Item[] {
  return [...new Map([...newer, ...older].map((item) => [item.txSignature, item])).values()];
}

/** Parses stored progress. Damaged text counts as no progress, because the chain has all the data. */
function parse(text: string | null): StoredDay {
  try {
    return { ...NOTHING, ...JSON.parse(text ?? "{}") };
  } catch {
    return NOTHING;
  }
}
