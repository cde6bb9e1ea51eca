import { checkKey, checkTtl, encodeJson, toMemberKey } from "../../../lib/clients/store/kv-rules";
import type { Clock } from "../../../lib/ports/clock";
import type { Json } from "../../../lib/ports/json";
import type { KvStore } from "../../../lib/ports/kv-store";

/** Creates a store in memory. It keeps values as JSON text, and entries expire by the clock. */
export function createMemoryStore(clock: Pick<Clock, "now">): KvStore {
  const entries = new Map<string, { json: string; expiresAt: number }>();
  const findLiveEntry = (key: string) => {
    checkKey(key);
    const entry = entries.get(key);
    return entry && entry.expiresAt > clock.now() ? entry : null;
  };
  const writeEntry = (key: string, json: string, ttlMs?: number) => {
    checkKey(key);
    checkTtl(ttlMs);
    entries.set(key, { json, expiresAt: ttlMs === undefined ? Number.POSITIVE_INFINITY : clock.now() + ttlMs });
  };
  const readEntry = <T extends Json>(key: string) => {
    const entry = findLiveEntry(key);
    return entry && (JSON.parse(entry.json) as T);
  };
  const store: KvStore = {
    get: async <T extends Json>(key: string) => readEntry<T>(key),
    getMany: async <T extends Json>(keys: string[]) => keys.map((key) => readEntry<T>(key)),
    set: async (key, value, ttlMs) => writeEntry(key, encodeJson(value), ttlMs),
    async setIfAbsent(key, value, ttlMs) {
      if (findLiveEntry(key)) return false;
      writeEntry(key, encodeJson(value), ttlMs);
      return true;
    },
    async replace(key, expected, value, ttlMs) {
      checkTtl(ttlMs);
      if ((findLiveEntry(key)?.json ?? "null") !== encodeJson(expected)) return false;
      if (value === null) entries.delete(key);
      else writeEntry(key, encodeJson(value), ttlMs);
      return true;
    },
    async delete(key) {
      return findLiveEntry(key) !== null && entries.delete(key);
    },
    addMember: (set, name, value) => store.setIfAbsent(toMemberKey(set, name), value),
    readMember: async (set, name) => readEntry(toMemberKey(set, name)),
    async listMembers<T extends Json>(set: string) {
      const prefix = toMemberKey(set);
      const keys = [...entries.keys()].filter((key) => key.startsWith(prefix));
      return new Map(keys.map((key) => [key.slice(prefix.length), readEntry<T>(key)!]));
    },
    removeMember: (set, name) => store.delete(toMemberKey(set, name)),
    async ping() {},
    async close() {},
  };
  return store;
}
