import type { Activity, PageRequest } from "../../reads";
import type { Storage } from "../../world";

export const DAY_MS = 86_400_000;
/** So long a node may show a transaction late, or without what it did: what is younger is read again each time. */
const UNSURE_MS = 10 * 60_000;
const PAGE = 50;
/** Of one look. */
const PAGES = 10;

type Item = Activity["items"][number] & { time: string };

/**
 * Count only where the service wallet paid the network, so that it signed. Otherwise a stranger could burn junk tokens out
 * of it, and a day's limit would be used up.
 */
const SIGNED = new Set<string>(["swap", "withdrawal"]);

/** Leaves deposits out: other people make them. Another wallet signs a round-up, so its network fee tells nothing. */
const isMove = ({ type, status, networkFeeLamports }: Item) =>
  status === "confirmed" && (type === "round_up" || (SIGNED.has(type) && networkFeeLamports !== null));

interface StoredDay {
  /** All that moved in the day up to this transaction is among the items; null: nothing is read yet. */
  readTo: string | null;
  /** Newest first. */
  items: Item[];
  /** A look that has not met `readTo` so far: where it is, and what it met. */
  walk: Walk | null;
}

interface Walk {
  readTo: string | null;
  before: string | null;
  items: Item[];
}

const NOTHING: StoredDay = { readTo: null, items: [], walk: null };
const newWalk = (): Walk => ({ readTo: null, before: null, items: [] });

export interface Reader {
  activity(request: PageRequest): Promise<Activity>;
}

/**
 * What moved in a service wallet in the last 24 hours, newest first; null while there is more than could be read so far. What
 * was read is kept, also where a call fails, and the next look goes on there: strangers' dust makes a day as long as they like,
 * and nobody's savings are to stand still for it.
 * @throws {ApiError}
 */
export async function movesOfADay(reader: Reader, storage: Storage, serviceWallet: string, now: number) {
  const key = `roundup-day:${serviceWallet}`;
  let kept = parse(await storage.get(key));
  const keep = (next: StoredDay) => {
    kept = next;
    return storage.set(key, JSON.stringify(next));
  };
  const isLately = ({ time }: Item) => Date.parse(time) > now - DAY_MS;
  let walk = kept.walk ?? newWalk();
  let fromNewest = kept.walk === null;
  let unsure: Item[] = [];
  for (let page = 0; page < PAGES; page++) {
    const { items, nextBefore } = await reader.activity({ limit: PAGE, ...(walk.before && { before: walk.before }) });
    const dated = items.map((item) => ({ ...item, time: item.time ?? new Date(now).toISOString() }));
    const end = dated.findIndex((item) => item.txSignature === kept.readTo || !isLately(item));
    for (const item of end < 0 ? dated : dated.slice(0, end)) {
      if (walk.readTo === null && Date.parse(item.time) < now - UNSURE_MS) walk.readTo = item.txSignature;
      if (isMove(item)) (walk.readTo === null ? unsure : walk.items).push(item);
    }
    if (end < 0 && nextBefore !== null) {
      walk.before = nextBefore;
      await keep({ ...kept, walk });
      continue;
    }
    const all = joined(walk.items, kept.items.filter(isLately));
    await keep({ readTo: walk.readTo ?? kept.readTo, items: all, walk: null });
    if (fromNewest) return joined(unsure, all);
    // More may have come since that look began.
    [walk, fromNewest, unsure] = [newWalk(), true, []];
  }
  return null;
}

function joined(newer: Item[], older: Item[]): Item[] {
  return [...new Map([...newer, ...older].map((item) => [item.txSignature, item])).values()];
}

/** A file that cannot be read is none: it is all on the chain. */
function parse(text: string | null): StoredDay {
  try {
    return { ...NOTHING, ...JSON.parse(text ?? "{}") };
  } catch {
    return NOTHING;
  }
}
