import type { Deps } from "../../ports/deps";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";

/**
 * Reads keys with one store command. Returns `deps` with a store whose first read of each key is answered from it.
 * Later reads, and reads after a write through the returned store, see the store itself.
 */
export async function readAhead(deps: Deps, keys: string[]): Promise<Deps> {
  const { kv } = deps;
  const values = await kv.getMany(keys);
  const ahead = new Map(keys.map((key, i) => [key, values[i] ?? null]));
  const get = async <T extends Json>(key: string): Promise<T | null> => {
    const value = ahead.get(key);
    return ahead.delete(key) ? (value as T | null) : kv.get<T>(key);
  };
  /** Returns a method that drops the value read ahead of the key that it writes. */
  const forgetFirst =
    <Rest extends unknown[], Result>(write: (key: string, ...rest: Rest) => Result) =>
    (key: string, ...rest: Rest): Result => {
      ahead.delete(key);
      return write(key, ...rest);
    };
  const methods: Partial<KvStore> = {
    get,
    getMany: <T extends Json>(wanted: string[]) => Promise.all(wanted.map((key) => get<T>(key))),
    set: forgetFirst(kv.set.bind(kv)),
    setIfAbsent: forgetFirst(kv.setIfAbsent.bind(kv)),
    replace: forgetFirst(kv.replace.bind(kv)),
    delete: forgetFirst(kv.delete.bind(kv)),
    increment: forgetFirst(kv.increment.bind(kv)),
  };
  // The ports of a request have their members on prototypes, which a spread would lose.
  const store: KvStore = Object.create(kv, Object.getOwnPropertyDescriptors(methods));
  return Object.create(deps, { kv: { value: store } });
}
