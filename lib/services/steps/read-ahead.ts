import type { Deps } from "../../ports/deps";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";

/**
 * Reads keys with one store command. Returns `deps` with a store that answers its first read of each key from the
 * values read here. Later reads, and reads after a write through the returned store, go to the store itself.
 */
export async function readAhead(deps: Deps, keys: string[]): Promise<Deps> {
  const { kv } = deps;
  const values = await kv.getMany(keys);
  const prefetched = new Map(keys.map((key, i) => [key, values[i] ?? null]));
  const get = async <T extends Json>(key: string): Promise<T | null> => {
    const value = prefetched.get(key);
    return prefetched.delete(key) ? (value as T | null) : kv.get<T>(key);
  };
  /** Returns a method that drops the value read ahead of the key that it writes. */
  const dropPrefetched =
    <Rest extends unknown[], Result>(write: (key: string, ...rest: Rest) => Result) =>
    (key: string, ...rest: Rest): Result => {
      prefetched.delete(key);
      return write(key, ...rest);
    };
  const methods: Partial<KvStore> = {
    get,
    getMany: <T extends Json>(wantedKeys: string[]) => Promise.all(wantedKeys.map((key) => get<T>(key))),
    set: dropPrefetched(kv.set.bind(kv)),
    setIfAbsent: dropPrefetched(kv.setIfAbsent.bind(kv)),
    replace: dropPrefetched(kv.replace.bind(kv)),
    delete: dropPrefetched(kv.delete.bind(kv)),
    increment: dropPrefetched(kv.increment.bind(kv)),
  };
  // The ports of a request have their members on prototypes, which a spread would lose.
  const prefetchedKv: KvStore = Object.create(kv, Object.getOwnPropertyDescriptors(methods));
  return Object.create(deps, { kv: { value: prefetchedKv } });
}
