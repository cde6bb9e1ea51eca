import { toReadingKey } from "../../domain/store-keys";
import type { KvStore } from "../../ports/kv-store";

interface ReadingOrigin {
  network: string;
  /** The upstream that was read, for example the host of a market. Printable ASCII. */
  source: string;
}

/** Returns the part of a store that keeps what was read from one upstream of one network, and counts only for them. */
export function createReadingStore(kv: KvStore, { network, source }: ReadingOrigin): ReadingStore {
  const toKey = (key: string) => toReadingKey(network, source, key);
  return {
    get: (key) => kv.get(toKey(key)),
    getMany: (keys) => kv.getMany(keys.map(toKey)),
    set: (key, ...rest) => kv.set(toKey(key), ...rest),
    setIfAbsent: (key, ...rest) => kv.setIfAbsent(toKey(key), ...rest),
    replace: (key, ...rest) => kv.replace(toKey(key), ...rest),
    delete: (key) => kv.delete(toKey(key)),
  };
}

export type ReadingStore = Pick<KvStore, "get" | "getMany" | "set" | "setIfAbsent" | "replace" | "delete">;
