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
  const store: KvStore = {
    get,
    getMany: <T extends Json>(wanted: string[]) => Promise.all(wanted.map((key) => get<T>(key))),
    set(key, ...rest) {
      ahead.delete(key);
      return kv.set(key, ...rest);
    },
    setIfAbsent(key, ...rest) {
      ahead.delete(key);
      return kv.setIfAbsent(key, ...rest);
    },
    replace(key, ...rest) {
      ahead.delete(key);
      return kv.replace(key, ...rest);
    },
    delete(key) {
      ahead.delete(key);
      return kv.delete(key);
    },
    increment(key, ...rest) {
      ahead.delete(key);
      return kv.increment(key, ...rest);
    },
    addMember: (...args) => kv.addMember(...args),
    readMember: (...args) => kv.readMember(...args),
    listMembers: (set) => kv.listMembers(set),
    removeMember: (...args) => kv.removeMember(...args),
    ping: () => kv.ping(),
    close: () => kv.close(),
  };
  // `deps` of a request has its members on its prototype, which a spread would lose.
  return Object.create(deps, { kv: { value: store } });
}
