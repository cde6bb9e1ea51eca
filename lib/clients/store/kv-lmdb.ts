import { statfs } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Database, RootDatabase } from "lmdb";
import { STORE_KEYS } from "../../domain/store-keys";
import { AppError } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";
import { findProgramFolder } from "../process/program-folder";
import { createMarkerWriter, refuseLostStore } from "./kv-lmdb-check";
import { checkKey, checkTtl, encodeJson, toMemberKey } from "./kv-rules";
import { createStoreError, withTimeout } from "./store-failure";

/** Entries checked in one slice of the sweep: about 1 ms of the event loop. */
const SLICE_SIZE = 500;
/** The pause between the slices of one pass, ms. */
const SLICE_PAUSE_MS = 1_000;
/** The pause after a slice in which most entries had expired, ms. It allows 10,000 removals a second. */
const BUSY_SLICE_PAUSE_MS = 50;
/** The pause between two passes, ms. */
const PASS_PAUSE_MS = 60_000;

interface LmdbStoreOptions {
  /** The store's directory, created when missing. It must be on a local disk, not on a network drive. */
  path: string;
  clock: Pick<Clock, "now">;
  /** Time limit of one write, ms; 5,000 when absent. */
  writeTimeoutMs?: number;
  /** `ping` fails when the disk has less free space than this; 1 MiB when absent. */
  minFreeBytes?: number;
}

/** A write usually takes milliseconds. On a full disk, or behind a process that holds the lock, some never end. */
const WRITE_TIMEOUT_MS = 5_000;
/** The free space below which the disk counts as full. Small writes may still fit into the file, larger ones not. */
const MIN_FREE_BYTES = 1_048_576;

interface LmdbStore extends KvStore {
  /** Makes one pass over the whole store. @returns the number of expired entries removed */
  sweep: ReturnType<typeof createSweep>;
}

interface Entry {
  /** Ms since the epoch; 0 means never. */
  expiresAt: number;
  json: string;
}

const LMDB_OPTIONS = {
  // Text instead of the default msgpack, so that a stored value is exactly its JSON.
  encoding: "string",
  cache: false,
  // No batches: when a batch's commit fails, lmdb rejects a promise that no code can reach, which ends the process.
  eventTurnBatching: false,
  // Flush within the transaction. An overlapping flush has a lock of its own, and lmdb-js 3.5.6 (mdb_mutex_failed)
  // confuses it with the writers' lock. After a process is killed during such a flush, the next write of another
  // process may fail, and so do all later ones (MDB_PANIC).
  overlappingSync: false,
} as const;

/**
 * Opens the embedded store. Several processes may open the same path.
 *
 * A write resolves once it is committed and flushed to disk, so neither a killed process nor a power failure loses an
 * acknowledged write. Concurrent writes share the flush. After upstream_timeout a write may still take effect.
 *
 * Expired entries are invisible at once. A background sweep removes them later and does not keep the process alive.
 * @throws when the path cannot be opened, or when it held a store whose file is gone
 */
export function openLmdbStore(options: LmdbStoreOptions): LmdbStore {
  const { path, clock, writeTimeoutMs = WRITE_TIMEOUT_MS, minFreeBytes = MIN_FREE_BYTES } = options;
  refuseLostStore(path);
  // Hidden from the bundler and the file tracer: deployments with a shared store have no native module.
  const { open }: typeof import("lmdb") = createRequire(join(findProgramFolder(), "package.json"))("lmdb");
  const db = open<string, string>({ path, ...LMDB_OPTIONS });
  const { readLiveEntry, write, read } = createCheckedAccess(db, options);
  const sweep = createSweep(db, clock, write);
  const stopSweeper = startSweeper(sweep);

  const store: LmdbStore = {
    get: <T extends Json>(key: string) => read(() => parseValue<T>(readLiveEntry(key)), [key]),
    // Reads within one turn of the event loop share a snapshot.
    getMany: <T extends Json>(keys: string[]) => read(() => keys.map((key) => parseValue<T>(readLiveEntry(key))), keys),
    async set(key, value, ttlMs) {
      const entry = createEntry(clock, encodeJson(value), ttlMs);
      await write(() => putEntry(db, key, entry), key);
    },
    async setIfAbsent(key, value, ttlMs) {
      const json = encodeJson(value);
      checkTtl(ttlMs);
      return write(() => {
        if (readLiveEntry(key)) return false;
        putEntry(db, key, createEntry(clock, json, ttlMs));
        return true;
      }, key);
    },
    async replace(key, expected, value, ttlMs) {
      checkTtl(ttlMs);
      const [expectedJson, json] = [encodeJson(expected), encodeJson(value)];
      return write(() => {
        if ((readLiveEntry(key)?.json ?? "null") !== expectedJson) return false;
        if (value === null) db.remove(key);
        else putEntry(db, key, createEntry(clock, json, ttlMs));
        return true;
      }, key);
    },
    delete: (key) =>
      write(() => {
        const existed = readLiveEntry(key) !== null;
        db.remove(key);
        return existed;
      }, key),
    addMember: (setName, member, value) => store.setIfAbsent(toMemberKey(setName, member), value),
    readMember: (setName, member) => store.get(toMemberKey(setName, member)),
    listMembers: <T extends Json>(setName: string) => read(() => readMembers<T>(db, setName), [toMemberKey(setName)]),
    removeMember: (setName, member) => store.delete(toMemberKey(setName, member)),
    async ping() {
      const { bavail, bsize } = await statfs(path);
      if (bavail * bsize < minFreeBytes) throw createStoreError("upstream_unavailable", "has no room on its disk");
      await write(() => putEntry(db, PROBE_KEY, createEntry(clock, "true", undefined)));
    },
    sweep,
    async close() {
      stopSweeper();
      // Without the time limit, a write that never ends would block closing. Acknowledged writes are on disk already.
      await withTimeout(db.close(), writeTimeoutMs).catch(() => {});
    },
  };
  return store;
}

function readMembers<T extends Json>(db: RootDatabase<string, string>, setName: string): Map<string, T> {
  const prefix = toMemberKey(setName);
  // "}" follows the vertical bar, so the range holds the members of this set alone.
  const entries = [...db.getRange({ start: prefix, end: `${setName}}` })];
  return new Map(entries.map(({ key, value }) => [key.slice(prefix.length), parseValue<T>(parseEntry(value))!]));
}

const PROBE_KEY = STORE_KEYS.probe.toKey("write");

type Write = <T>(change: () => T, key?: string) => Promise<T>;

function createCheckedAccess(db: RootDatabase<string, string>, options: LmdbStoreOptions) {
  const { clock, writeTimeoutMs = WRITE_TIMEOUT_MS } = options;
  const writeMarker = createMarkerWriter(options.path);

  /** Returns the entry of `key`, or null when it is absent or expired. */
  function readLiveEntry(key: string): Entry | null {
    const stored = db.get(key);
    if (stored === undefined) return null;
    const entry = parseEntry(stored);
    return isExpired(entry, clock.now()) ? null : entry;
  }

  async function read<T>(readNow: () => T, keys: string[]): Promise<T> {
    for (const key of keys) checkKey(key);
    try {
      return readNow();
    } catch (cause) {
      throw toStoreError(cause);
    }
  }

  /** Runs `change` alone, across processes too. It must check before its first put: a throw does not roll back. */
  const write: Write = async (change, key) => {
    if (key !== undefined) checkKey(key);
    try {
      const result = await withTimeout(db.transaction(change), writeTimeoutMs);
      writeMarker();
      return result;
    } catch (cause) {
      throw toStoreError(cause);
    }
  };

  return { readLiveEntry, read, write };
}

/** Turns an error of lmdb into an AppError. A caller's bug (RangeError) is returned unchanged. */
function toStoreError(cause: unknown): Error {
  if (cause instanceof AppError || cause instanceof RangeError) return cause;
  // lmdb prints the reason to standard error. Handle its second promise too: unhandled, the rejection would end the
  // process.
  const { commitError } = cause as { commitError?: Promise<never> };
  commitError?.catch(() => {});
  return createStoreError("upstream_unavailable", commitError ? "cannot write" : "failed");
}

/** Sweeps the store pass after pass, on timers that do not keep the process alive. @returns a function that stops it */
function startSweeper(sweep: ReturnType<typeof createSweep>): () => void {
  const stop = new AbortController();
  const pause = (ms: number) => delay(ms, undefined, { ref: false, signal: stop.signal });
  const pauseAfterSlice = (removedCount: number) =>
    pause(removedCount > SLICE_SIZE / 2 ? BUSY_SLICE_PAUSE_MS : SLICE_PAUSE_MS);
  const sweepForEver = async () => {
    for (;;) {
      await pause(PASS_PAUSE_MS);
      // Ignore a failure and sweep again later. The calls that need the store report it.
      await sweep(pauseAfterSlice).catch(() => {});
    }
  };
  // It ends with the error of an aborted pause.
  sweepForEver().catch(() => {});
  return () => stop.abort();
}

/** Returns a function that makes one pass, and returns the number of expired entries that it has removed. */
function createSweep(db: Database<string, string>, clock: Pick<Clock, "now">, write: Write) {
  const removeExpired = (keys: string[]) =>
    write(() => {
      let removedCount = 0;
      for (const key of keys) {
        const stored = db.get(key);
        // The entry may have been written again since it was read.
        if (stored === undefined || !isExpired(parseEntry(stored), clock.now())) continue;
        db.remove(key);
        removedCount++;
      }
      return removedCount;
    });

  return async (afterSlice?: (removedCount: number) => Promise<void>): Promise<number> => {
    let [removedCount, lastKey] = [0, undefined as string | undefined];
    for (;;) {
      const range = lastKey === undefined ? {} : { start: lastKey, exclusiveStart: true };
      const entries = [...db.getRange({ ...range, limit: SLICE_SIZE })];
      const expiredEntries = entries.filter(({ value }) => isExpired(parseEntry(value), clock.now()));
      const removedInSlice = expiredEntries.length > 0 ? await removeExpired(expiredEntries.map(({ key }) => key)) : 0;
      removedCount += removedInSlice;
      if (entries.length < SLICE_SIZE) return removedCount;
      lastKey = entries.at(-1)!.key;
      await afterSlice?.(removedInSlice);
    }
  };
}

function createEntry(clock: Pick<Clock, "now">, json: string, ttlMs: number | undefined): Entry {
  checkTtl(ttlMs);
  return { expiresAt: ttlMs === undefined ? 0 : clock.now() + ttlMs, json };
}

const isExpired = ({ expiresAt }: Entry, nowMs: number) => expiresAt !== 0 && expiresAt <= nowMs;

/** Puts an entry as `<expiresAt>:<json>`. The JSON is the same text that the shared store keeps. */
function putEntry(db: Database<string, string>, key: string, { expiresAt, json }: Entry): void {
  db.put(key, `${expiresAt}:${json}`);
}

function parseEntry(stored: string): Entry {
  const colonIndex = stored.indexOf(":");
  return { expiresAt: Number(stored.slice(0, colonIndex)), json: stored.slice(colonIndex + 1) };
}

function parseValue<T extends Json>(entry: Entry | null): T | null {
  return entry && (JSON.parse(entry.json) as T);
}
