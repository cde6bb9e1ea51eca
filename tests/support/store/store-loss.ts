import type { Json } from "../../../lib/ports/json";
import type { FakeDeps } from "../fakes/fake-deps";

/** What a store loses: a flush, a failover to an old replica, a disk that is put back. */

/** What each key held; a key that was written later held nothing. */
type Snapshot = Map<string, Json>;

const WRITES = ["set", "setIfAbsent", "replace", "increment"];

/** Every key that was ever written. */
function keysOf({ calls }: FakeDeps): string[] {
  const written = calls.filter(({ port, method }) => port === "kv" && WRITES.includes(method));
  return [...new Set(written.map(({ args }) => args[0] as string))].sort();
}

export async function snapshotOf(deps: FakeDeps): Promise<Snapshot> {
  const keys = keysOf(deps);
  const values = await deps.kv.getMany<Json>(keys);
  return new Map(keys.map((key, i) => [key, values[i] ?? null]));
}

/** Puts keys back to what they held. @param isLost by the key, and its place among all of them */
export async function rollBack(
  deps: FakeDeps,
  to: Snapshot,
  isLost: (key: string, index: number) => boolean = () => true,
): Promise<void> {
  for (const [i, key] of keysOf(deps).entries()) {
    if (!isLost(key, i)) continue;
    const value = to.get(key) ?? null;
    if (value === null) await deps.kv.delete(key);
    else await deps.kv.set(key, value);
  }
}

export const flush = (deps: FakeDeps) => rollBack(deps, new Map());
