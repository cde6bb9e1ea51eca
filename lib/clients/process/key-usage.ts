import { type KeyUsage, sumUsage, toUsageDay, UNNAMED_KEY } from "../../domain/key-usage";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";

/** Counts wait this long for the next write, ms, so that a busy key costs two store commands per ten seconds. */
const WRITE_EVERY_MS = 10_000;

/** The number of tries of one write. Each failed try means that another instance has just written. */
const MAX_TRIES = 5;

export type KeyUsageCounter = ReturnType<typeof createKeyUsageCounter>;

/**
 * Counts the calls of static keys, by name and UTC day, in one record per day for all instances. A process that is
 * killed loses the counts of its last ten seconds. A write whose answer is lost may count twice.
 */
export function createKeyUsageCounter({ kv, clock }: { kv: KvStore; clock: Clock }) {
  /** Counts that are not written yet, by day. */
  const pendingCounts = new Map<string, Map<string, number>>();
  let timer: NodeJS.Timeout | undefined;
  let lastWrite: Promise<void> = Promise.resolve();

  function addCalls(day: string, name: string, callCount: number) {
    const counts = pendingCounts.get(day) ?? new Map<string, number>();
    pendingCounts.set(day, counts.set(name, (counts.get(name) ?? 0) + callCount));
  }

  async function writeCounts() {
    const days = [...pendingCounts];
    pendingCounts.clear();
    for (const [day, counts] of days) {
      const isWritten = await addToRecord(kv, day, Object.fromEntries(counts)).catch(() => false);
      if (!isWritten) for (const [name, callCount] of counts) addCalls(day, name, callCount);
    }
  }

  /** Adds the counts to the store. Counts that could not be written wait for the next write. Never rejects. */
  function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    lastWrite = lastWrite.then(writeCounts);
    return lastWrite;
  }

  return {
    /** Counts one call of a static key. @param name null for a key without a name */
    countCall(name: string | null): void {
      addCalls(toUsageDay(clock.now()), name ?? UNNAMED_KEY, 1);
      timer ??= setTimeout(write, WRITE_EVERY_MS).unref();
    },
    write,
  };
}

/** Adds calls to a day's record. @returns false if other instances wrote at each try */
async function addToRecord(kv: KvStore, day: string, addedUsage: KeyUsage): Promise<boolean> {
  const recordKey = STORE_KEYS.keyUsage.toKey(day);
  for (let tryCount = 0; tryCount < MAX_TRIES; tryCount++) {
    const storedUsage = await kv.get<KeyUsage>(recordKey);
    if (await kv.replace(recordKey, storedUsage, sumUsage(storedUsage ?? {}, addedUsage), STORE_KEYS.keyUsage.ttlMs))
      return true;
  }
  return false;
}
