import type { Activity } from "../../domain/activity";
import type { SavedInto } from "../../domain/built-saving";
import { EVENT_TYPES, type EventType } from "../../domain/events";
import { STORE_KEYS } from "../../domain/store-keys";
import { createFieldError } from "../../errors";
import type { Background } from "../../ports/background";
import type { Deps } from "../../ports/deps";
import type { KvStore } from "../../ports/kv-store";
import type { Caller } from "../../ports/request-context";

/*
 * Feeds of events.
 *
 * The invariant: a feed's event numbers (`sequence` in the API) have no gaps, and each signature has one number, even if
 * two processes write its event. One `replace` of a page writes an event at the first free number. A transaction is listed
 * as pending with the feed's head, so its event comes after that head. A writer reads all events from there to the first
 * free number, and stops at its own signature. Then the head is raised: it may lag behind the events, never lead them.
 */

/** The outcome of a transaction. */
export interface TransactionEvent extends Pick<Activity, "solChangeLamports" | "tokenChanges"> {
  type: EventType;
  /** When the service learned the outcome, ms since the epoch. */
  time: number;
  wallet: string;
  txSignature: string;
  reference: string | null;
  /** What the transaction saves with its reference; empty without a reference. */
  savings: SavedInto[];
}

export type FeedEvent = TransactionEvent & { sequence: number };

/** An event as stored, in a short form. `type` is the index in EVENT_TYPES; `wallet` is null if it is the feed's. */
type StoredEvent = [
  type: number,
  time: number,
  wallet: string | null,
  txSignature: string,
  reference: string | null | [text: string, ...savings: StoredSaving[]],
  solChangeLamports: string,
  ...tokenChanges: StoredTokenChange[],
];
/** Amounts of lamports: saved, fee. A saving in USDC adds those of USDC. */
type StoredSaving = [serviceWallet: string, saved: string, fee: string, ...usdc: string[]];
type StoredTokenChange = [mint: string, amount: string, decimals: number];

/**
 * Event N is at index N % PAGE_SIZE of page floor(N / PAGE_SIZE). A page shares one key, because a key takes as much space
 * as an event. Null stands for an event that has expired.
 */
type StoredPage = (StoredEvent | null)[];
const PAGE_SIZE = 8;
const toPage = (eventNumber: number) => Math.floor(eventNumber / PAGE_SIZE);
/** Maximum number of pages that an append reads with one store call. */
const MAX_PAGES_PER_READ = 64;

const WALLET_FEED = "wallet:";
export const toWalletFeed = (wallet: string) => `${WALLET_FEED}${wallet}`;

/** Returns the feed of a static key. Keys of one name share a feed, so the feed survives a replacement of the key. */
const toKeyFeed = ({ keyId, name }: Extract<Caller, { kind: "static-key" }>) =>
  name === undefined ? `key-id:${keyId}` : `key:${name}`;

export function toCallerFeed(caller: Caller): string {
  if (caller.kind === "static-key") return toKeyFeed(caller);
  if (caller.wallet === null) throw new RangeError("A public caller has no feed.");
  return toWalletFeed(caller.wallet);
}

export const listFeeds = (wallets: readonly string[], caller: Caller): string[] => [
  ...new Set([...wallets.map(toWalletFeed), toCallerFeed(caller)]),
];

const { toKey: toPageKey, ttlMs: EVENT_TTL_MS } = STORE_KEYS.event;
/** A head is the number of the last event. It never expires, because the numbers would start again. */
const { toKey: toHeadKey } = STORE_KEYS.feedHead;

/** The last append to each feed in this process. Each promise resolves to the number of an event of its feed. */
const lastAppends = new WeakMap<Background, Map<string, Promise<number>>>();

/**
 * Appends the event of a transaction, unless the feed has it. The caller then raises the feed's head. The appends of a
 * process to one feed take turns: in parallel they would all try the same number.
 * @param previousHead the feed's head from before the transaction became pending
 * @returns the number of the event
 */
export async function appendEvent(
  deps: Deps,
  feed: string,
  event: TransactionEvent,
  previousHead: number,
): Promise<number> {
  const feedAppends = lastAppends.get(deps.background) ?? new Map<string, Promise<number>>();
  lastAppends.set(deps.background, feedAppends);
  const previousAppend = feedAppends.get(feed)?.catch(() => 0) ?? Promise.resolve(0);
  const currentAppend = previousAppend.then((lastNumber) => appendToFeed(deps, feed, event, previousHead, lastNumber));
  feedAppends.set(feed, currentAppend);
  try {
    return await currentAppend;
  } finally {
    if (feedAppends.get(feed) === currentAppend) feedAppends.delete(feed);
  }
}

/**
 * Writes the event at the first free number, or finds the number that it has.
 * @param knownNumber the number of an event that the feed is known to have; 0 if none is known
 */
async function appendToFeed(
  deps: Deps,
  feed: string,
  event: TransactionEvent,
  previousHead: number,
  knownNumber: number,
) {
  const firstFree = Math.max(previousHead, knownNumber) + 1;
  let page = toPage(previousHead + 1);
  // The first event of a page usually finds none, which saves a read.
  const isPageNew = firstFree === previousHead + 1 && (firstFree === 1 || firstFree % PAGE_SIZE === 0);
  let pages: (StoredPage | null)[] = isPageNew ? [null] : [];
  for (let pageCount = 1; ; pageCount = MAX_PAGES_PER_READ) {
    if (pages.length === 0) pages = await deps.kv.getMany(listPageKeys(feed, page * PAGE_SIZE, pageCount * PAGE_SIZE));
    const stored = pages.shift()!;
    const index = stored?.findIndex((other) => other?.[3] === event.txSignature) ?? -1;
    if (index >= 0) return page * PAGE_SIZE + index;
    if (page < toPage(firstFree) || stored?.length === PAGE_SIZE) {
      page++;
      continue;
    }
    const events = (stored ?? []).map((other) => keepUnlessExpired(deps, other));
    while (page * PAGE_SIZE + events.length < firstFree) events.push(null);
    const newPage = [...events, encodeEvent(feed, event)];
    if (await deps.kv.replace(toPageKey(feed, page), stored, newPage, EVENT_TTL_MS, "replicated"))
      return page * PAGE_SIZE + events.length;
    pages = [];
  }
}

const keepUnlessExpired = ({ clock }: Deps, event: StoredEvent | null | undefined) =>
  event && event[1] + EVENT_TTL_MS > clock.now() ? event : null;

/** Raises a feed's head, and never lowers it: a lower one would assign the numbers of expired events again. */
export async function raiseHead(kv: KvStore, feed: string, eventNumber: number): Promise<void> {
  // The head usually is the number before. Assuming it saves a read.
  let storedHead = eventNumber - 1;
  while (storedHead < eventNumber) {
    if (await kv.replace(toHeadKey(feed), storedHead === 0 ? null : storedHead, eventNumber)) return;
    storedHead = (await kv.get<number>(toHeadKey(feed))) ?? 0;
  }
}

const encodeEvent = (feed: string, event: TransactionEvent): StoredEvent => [
  EVENT_TYPES.indexOf(event.type),
  event.time,
  feed === toWalletFeed(event.wallet) ? null : event.wallet,
  event.txSignature,
  event.reference === null || event.savings.length === 0
    ? event.reference
    : [event.reference, ...event.savings.map(encodeSaving)],
  event.solChangeLamports.toString(),
  ...event.tokenChanges.map(({ mint, amount, decimals }): StoredTokenChange => [mint, amount.toString(), decimals]),
];

const encodeSaving = ({ serviceWallet, savedLamports, feeLamports, savedUsdc, feeUsdc }: SavedInto): StoredSaving => {
  const inSol = [serviceWallet, savedLamports.toString(), feeLamports.toString()] as const;
  return savedUsdc + feeUsdc === 0n ? [...inSol] : [...inSol, savedUsdc.toString(), feeUsdc.toString()];
};

const decodeSaving = ([serviceWallet, saved, fee, savedUsdc = "0", feeUsdc = "0"]: StoredSaving): SavedInto => ({
  serviceWallet,
  savedLamports: BigInt(saved),
  feeLamports: BigInt(fee),
  savedUsdc: BigInt(savedUsdc),
  feeUsdc: BigInt(feeUsdc),
});

function decodeEvent(feed: string, sequence: number, stored: StoredEvent): FeedEvent {
  const [type, time, wallet, txSignature, storedReference, solChangeLamports, ...tokens] = stored;
  const [reference, ...savings] = Array.isArray(storedReference) ? storedReference : ([storedReference] as const);
  return {
    sequence,
    type: EVENT_TYPES[type]!,
    time,
    wallet: wallet ?? feed.slice(WALLET_FEED.length),
    txSignature,
    reference,
    savings: savings.map(decodeSaving),
    solChangeLamports: BigInt(solChangeLamports),
    tokenChanges: tokens.map(([mint, amount, decimals]) => ({ mint, amount: BigInt(amount), decimals })),
  };
}

const listPageKeys = (feed: string, firstNumber: number, count: number) =>
  Array.from({ length: toPage(firstNumber + count - 1) - toPage(firstNumber) + 1 }, (_, i) =>
    toPageKey(feed, toPage(firstNumber) + i),
  );

/** Decodes consecutive events from `firstNumber` on, up to the first number that has none. */
function decodeEvents(deps: Deps, feed: string, pages: (StoredPage | null)[], firstNumber: number, limit: number) {
  const events: FeedEvent[] = [];
  for (let eventNumber = firstNumber; events.length < limit; eventNumber++) {
    const page = pages[toPage(eventNumber) - toPage(firstNumber)];
    const stored = keepUnlessExpired(deps, page?.[eventNumber % PAGE_SIZE]);
    if (!stored) break;
    events.push(decodeEvent(feed, eventNumber, stored));
  }
  return events;
}

async function readEvents(deps: Deps, feed: string, firstNumber: number, limit: number): Promise<FeedEvent[]> {
  const pages = await deps.kv.getMany<StoredPage>(listPageKeys(feed, firstNumber, limit));
  return decodeEvents(deps, feed, pages, firstNumber, limit);
}

/**
 * Returns events after number `after`, oldest first, and the number at which the next event of the feed is expected.
 * @throws AppError invalid_request if the feed has never had an event of that number
 */
export async function readFeed(deps: Deps, feed: string, after: number, limit: number) {
  const { kv } = deps;
  const keys = [toHeadKey(feed), ...listPageKeys(feed, after, limit + 1)];
  const [storedHead, ...storedPages] = await kv.getMany<StoredPage | number>(keys);
  const pages = storedPages as (StoredPage | null)[];
  const head = (storedHead as number | null) ?? 0;
  const isPreviousKept = decodeEvents(deps, feed, pages, after, 1).length > 0;
  // A restored store may hold fewer events than a reader has seen. Without the error, that reader would miss the new
  // events with the same numbers.
  if (after > head && !isPreviousKept)
    throw createFieldError("after", `is past the last event of this feed, which is ${head}`);
  // A write of the head may have failed. The event's number would be assigned again once it has expired.
  if (after > head) await raiseHead(kv, feed, after);
  const events = decodeEvents(deps, feed, pages.slice(toPage(after + 1) - toPage(after)), after + 1, limit);
  if (events.length > 0 || head <= after) return { events, nextSequence: after + events.length + 1 };
  // The events right after `after` have expired. They expire in order.
  const oldest = await findOldestEvent(deps, feed, after + 1, head + 1);
  const keptEvents = await readEvents(deps, feed, oldest, limit);
  return { events: keptEvents, nextSequence: oldest + keptEvents.length };
}

/**
 * Finds the number of the oldest event that has not expired, by binary search.
 * @param expiredNumber number of an expired event
 * @param endNumber a number past the last event
 */
async function findOldestEvent(deps: Deps, feed: string, expiredNumber: number, endNumber: number): Promise<number> {
  let [low, high] = [expiredNumber, endNumber];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await readEvents(deps, feed, middle, 1)).length > 0) high = middle;
    else low = middle;
  }
  return high;
}
