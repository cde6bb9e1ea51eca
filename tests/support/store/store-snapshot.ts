import type { Json } from "../../../lib/ports/json";
import type { FakeDeps } from "../fakes/fake-deps";

/* Simulates data loss of a store: a flush, a failover to an old replica, or a restored disk. */

/** The value of each key at one moment. A key that did not exist has the value null or is absent. */
type Snapshot = Map<string, Json>;

const WRITE_METHODS = ["set", "setIfAbsent", "replace"];

/** Lists every key that holds a value and was ever written. Sets, such as the pending transactions, are not listed. */
function listValueKeys({ calls }: FakeDeps): string[] {
  const written = calls.filter(({ port, method }) => port === "kv" && WRITE_METHODS.includes(method));
  return [...new Set(written.map(({ args }) => args[0] as string))].sort();
}

/** Reads every value that was ever written. */
export async function takeSnapshot(deps: FakeDeps): Promise<Snapshot> {
  const keys = listValueKeys(deps);
  const values = await deps.kv.getMany<Json>(keys);
  return new Map(keys.map((key, i) => [key, values[i] ?? null]));
}

/**
 * Restores keys to their values in the snapshot.
 * @param isLost returns whether a key is restored; default: every key. `index` is the key's place in alphabetical order
 */
export async function rollBack(
  deps: FakeDeps,
  snapshot: Snapshot,
  isLost: (key: string, index: number) => boolean = () => true,
): Promise<void> {
  for (const [i, key] of listValueKeys(deps).entries()) {
    if (!isLost(key, i)) continue;
    const value = snapshot.get(key) ?? null;
    if (value === null) await deps.kv.delete(key);
    else await deps.kv.set(key, value);
  }
}

/** Deletes every value, as a flush of the store does. Sets keep their members. */
export const clearStore = (deps: FakeDeps) => rollBack(deps, new Map());
