import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Database, RootDatabase } from "lmdb";
import type { Clock } from "../../ports/clock";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";
import { storeFailure, toStoreFailure, withTimeout } from "./kv-lmdb-failure";
import { createStoreMarker, refuseLostStore } from "./kv-lmdb-marker";
import { checkKey, checkStep, checkTtl, encodeJson } from "./kv-rules";

/** Entries looked at per slice of the sweep: about a millisecond of the event loop. */
const SWEEP_SLICE = 500;
/** Between the slices of one pass, ms. */
const SWEEP_STEP_MS = 1_000;
/** The same where most of a slice had expired: up to 10,000 entries a second are removed, more than are likely to be written. */
const SWEEP_HURRY_MS = 50;
/** Between two passes, ms. */
const SWEEP_REST_MS = 60_000;

export interface LmdbStoreOptions {
  /** Directory of the store, created when missing; on a local disk, not a network one. */
  path: string;
  /** Decides what has expired. */
  clock: Pick<Clock, "now">;
  /** Bound of one write, ms; 5,000 when absent. */
  writeTimeoutMs?: number;
  /** With less on its disk the store says that it fails; 1 MiB when absent. */
  leastFreeBytes?: number;
}

/** Of a write that takes milliseconds. On a full disk, and behind a process that holds the lock, some never end. */
const WRITE_TIMEOUT_MS = 5_000;
/** On a disk that is all but full small writes still find room in the file, others no more. */
const LEAST_FREE_BYTES = 1_048_576;

export interface LmdbStore extends KvStore {
  /** One whole pass over the store. @returns how many expired entries it removed */
  sweep(): Promise<number>;
}

interface Entry {
  /** Ms since the epoch; 0: never. */
  expires: number;
  json: string;
}

const OPTIONS = {
  // Text, not the default msgpack, so that a value is exactly the JSON it was.
  encoding: "string",
  cache: false,
  // No batches of lmdb's own: a commit that fails would reject a promise of theirs that nobody can reach, which ends the process.
  eventTurnBatching: false,
  // No flush beside the next transaction, under a lock of its own: after a process was killed in it, another one's next write may
  // fail, and all that follow (MDB_PANIC), as mdb_mutex_failed of lmdb-js 3.5.6 takes that lock for the writers'.
  overlappingSync: false,
} as const;

/**
 * The embedded store. Several processes may open the same path. A write resolves once it is committed and flushed to
 * disk, so neither a killed process nor lost power takes back an acknowledged one; concurrent writes share the flush.
 * After an upstream_timeout a write may still happen.
 * Expired entries are invisible at once and removed by a background sweep, which does not keep the process alive.
 * @throws when the path cannot be opened, or held a store whose file is gone: the boot must report it
 */
export function openLmdbStore(options: LmdbStoreOptions): LmdbStore {
  const { path, clock, writeTimeoutMs = WRITE_TIMEOUT_MS, leastFreeBytes = LEAST_FREE_BYTES } = options;
  refuseLostStore(path);
  // Loaded here, past the bundler and the file tracer: a function beside a shared store has no native module to load.
  const { open }: typeof import("lmdb") = createRequire(join(process.cwd(), "package.json"))("lmdb");
  const db = open<string, string>({ path, ...OPTIONS });
  const { live, write, run } = createAccess(db, options);
  const sweepSlice = createSweepSlice(db, () => clock.now(), write);
  const stopSweeper = startSweeper(sweepSlice);

  return {
    get: <T extends Json>(key: string) => run(() => decode<T>(live(key)), [key]),
    // Reads within one turn share a snapshot.
    getMany: <T extends Json>(keys: string[]) => run(() => keys.map((key) => decode<T>(live(key))), keys),
    async set(key, value, ttlMs) {
      const entry = newEntry(clock, encodeJson(value), ttlMs);
      await write(() => put(db, key, entry), key);
    },
    async setIfAbsent(key, value, ttlMs) {
      const json = encodeJson(value);
      checkTtl(ttlMs);
      return write(() => {
        if (live(key)) return false;
        put(db, key, newEntry(clock, json, ttlMs));
        return true;
      }, key);
    },
    async replace(key, expected, value, ttlMs) {
      checkTtl(ttlMs);
      const [known, json] = [encodeJson(expected), encodeJson(value)];
      return write(() => {
        if ((live(key)?.json ?? "null") !== known) return false;
        if (value === null) db.remove(key);
        else put(db, key, newEntry(clock, json, ttlMs));
        return true;
      }, key);
    },
    delete: (key) =>
      write(() => {
        const existed = live(key) !== null;
        db.remove(key);
        return existed;
      }, key),
    async increment(key, by, ttlMs) {
      checkStep(by);
      checkTtl(ttlMs);
      return write(() => {
        const entry = live(key) ?? newEntry(clock, "0", ttlMs);
        const value = toCounter(entry.json) + by;
        if (!Number.isSafeInteger(value)) throw storeFailure("upstream_invalid", "counter out of range");
        put(db, key, { ...entry, json: String(value) });
        return value;
      }, key);
    },
    async ping() {
      const { bavail, bsize } = await statfs(path);
      if (bavail * bsize < leastFreeBytes) throw storeFailure("upstream_unavailable", "has no room on its disk");
      await write(() => put(db, PROBE_KEY, newEntry(clock, "true", undefined)));
    },
    async sweep() {
      let { removed, next } = await sweepSlice(null);
      while (next !== null) {
        const slice = await sweepSlice(next);
        removed += slice.removed;
        next = slice.next;
      }
      return removed;
    },
    async close() {
      stopSweeper();
      // A write that never ends would hold it for ever; what was acknowledged is on disk already.
      await withTimeout(db.close(), writeTimeoutMs).catch(() => {});
    },
  };
}

const PROBE_KEY = "probe";

type Write = <T>(change: () => T, key?: string) => Promise<T>;

function createAccess(db: RootDatabase<string, string>, options: LmdbStoreOptions) {
  const { clock, writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const mark = createStoreMarker(options.path);

  /** The entry of `key` unless it is absent or expired. */
  function live(key: string): Entry | null {
    const stored = db.get(key);
    if (stored === undefined) return null;
    const entry = parseEntry(stored);
    return isExpired(entry, clock.now()) ? null : entry;
  }

  async function run<T>(read: () => T, keys: string[]): Promise<T> {
    for (const key of keys) checkKey(key);
    try {
      return read();
    } catch (cause) {
      throw toStoreFailure(cause);
    }
  }

  /** Runs `change` alone in a write transaction, across processes too. It must check before its first put: a throw does not undo. */
  const write: Write = async (change, key) => {
    if (key !== undefined) checkKey(key);
    try {
      const result = await withTimeout(db.transaction(change), writeTimeoutMs);
      mark();
      return result;
    } catch (cause) {
      throw toStoreFailure(cause);
    }
  };

  return { live, run, write };
}

/** Walks the store in small slices, pass after pass, on a timer that does not hold the process. */
function startSweeper(sweepSlice: SweepSlice) {
  let position: string | null = null;
  let stopped = false;
  let timer: NodeJS.Timeout;

  function schedule(delayMs: number): void {
    timer = setTimeout(tick, delayMs);
    timer.unref();
  }

  async function tick(): Promise<void> {
    // A failing store shows in the calls that need it; sweeping just tries again.
    const { removed, next } = await sweepSlice(position).catch(() => ({ removed: 0, next: null }));
    position = next;
    if (stopped) return;
    if (next === null) schedule(SWEEP_REST_MS);
    else schedule(removed > SWEEP_SLICE / 2 ? SWEEP_HURRY_MS : SWEEP_STEP_MS);
  }

  schedule(SWEEP_REST_MS);
  return function stop(): void {
    stopped = true;
    clearTimeout(timer);
  };
}

/** Removes what has expired among the entries after `from`. `next` is null where the store ends. */
type SweepSlice = (from: string | null) => Promise<{ removed: number; next: string | null }>;

function createSweepSlice(db: Database<string, string>, now: () => number, write: Write): SweepSlice {
  const removeExpired = (keys: string[]) =>
    write(() => {
      let removed = 0;
      for (const key of keys) {
        const stored = db.get(key);
        // Since it was seen it may have been written anew.
        if (stored === undefined || !isExpired(parseEntry(stored), now())) continue;
        db.remove(key);
        removed++;
      }
      return removed;
    });

  return async (from) => {
    const range = from === null ? {} : { start: from, exclusiveStart: true };
    const entries = [...db.getRange({ ...range, limit: SWEEP_SLICE })];
    const expired = entries.filter(({ value }) => isExpired(parseEntry(value), now())).map(({ key }) => key);
    const removed = expired.length > 0 ? await removeExpired(expired) : 0;
    return { removed, next: entries.length < SWEEP_SLICE ? null : entries.at(-1)!.key };
  };
}

function newEntry(clock: Pick<Clock, "now">, json: string, ttlMs: number | undefined): Entry {
  checkTtl(ttlMs);
  return { expires: ttlMs === undefined ? 0 : clock.now() + ttlMs, json };
}

function isExpired({ expires }: Entry, nowMs: number): boolean {
  return expires !== 0 && expires <= nowMs;
}

/** Stored as `<expires>:<json>`: one encoding of the value, the same text as the other store keeps. */
function put(db: Database<string, string>, key: string, { expires, json }: Entry): void {
  db.put(key, `${expires}:${json}`);
}

function parseEntry(stored: string): Entry {
  const colon = stored.indexOf(":");
  return { expires: Number(stored.slice(0, colon)), json: stored.slice(colon + 1) };
}

function decode<T extends Json>(entry: Entry | null): T | null {
  return entry && (JSON.parse(entry.json) as T);
}

function toCounter(json: string): number {
  if (!/^-?\d+$/.test(json)) throw storeFailure("upstream_invalid", "counter out of range");
  return Number(json);
}
