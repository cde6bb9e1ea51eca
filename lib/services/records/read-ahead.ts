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
  const prefetchedValues = new Map(keys.map((key, i) => [key, values[i] ?? null]));
  const getAhead = async <T extends Json>(key: string): Promise<T | null> => {
    const value = prefetchedValues.get(key);
    return prefetchedValues.delete(key) ? (value as T | null) : kv.get<T>(key);
  };
  /** Returns a method that writes a key and drops the value that was read ahead for it. */
  const dropPrefetchedValue =
    <OtherArgs extends unknown[], Result>(write: (key: string, ...otherArgs: OtherArgs) => Result) =>
    (key: string, ...otherArgs: OtherArgs): Result => {
      prefetchedValues.delete(key);
      return write(key, ...otherArgs);
    };
  const methods: Partial<KvStore> = {
    get: getAhead,
    getMany: <T extends Json>(requestedKeys: string[]) => Promise.all(requestedKeys.map((key) => getAhead<T>(key))),
    set: dropPrefetchedValue(kv.set.bind(kv)),
    setIfAbsent: dropPrefetchedValue(kv.setIfAbsent.bind(kv)),
    replace: dropPrefetchedValue(kv.replace.bind(kv)),
    delete: dropPrefetchedValue(kv.delete.bind(kv)),
  };
  // The ports of a request have their members on prototypes, which a spread would lose.
  const prefetchedKv: KvStore = Object.create(kv, Object.getOwnPropertyDescriptors(methods));
  return Object.create(deps, { kv: { value: prefetchedKv } });
}
