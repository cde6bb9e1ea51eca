import type { z } from "zod";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";
import { ignoreOutage } from "./store-failure";

/** The store of several instances. Undefined: this instance is the only one, and shares nothing. */
export type SharedKv = Pick<KvStore, "get" | "set"> | undefined;

interface SharedValuesOptions<T> {
  kv: SharedKv;
  family: { toKey: (key: string) => string; ttlMs: number };
  /** The schema of a value, which is JSON. A stored value that does not match is not used. */
  schema: z.ZodType<T>;
}

/** The longest JSON text of a value, in characters. A longer one is not shared. */
const MAX_VALUE_CHARACTERS = 16_384;
/** A value with a longer key is not shared, because a store takes keys of up to 512 characters. */
const MAX_KEY_CHARACTERS = 400;

/**
 * Shares what one instance has read from an upstream with the others. A shared store evicts nothing and also holds the
 * claims, and any caller can choose which values are read. So a time to live and a size limit keep the values from
 * filling it. Never share data of one caller in this way.
 */
export function createSharedValues<T>({ kv, family, schema }: SharedValuesOptions<T>) {
  const findStore = (key: string) => (key.length <= MAX_KEY_CHARACTERS ? kv : undefined);
  return {
    /** Returns the stored value; null when there is none that matches the schema, and while the store fails. */
    async read(key: string): Promise<T | null> {
      const storedValue = await findStore(key)?.get(family.toKey(key)).catch(ignoreOutage);
      return schema.safeParse(storedValue).data ?? null;
    },
    async write(key: string, value: T): Promise<void> {
      const store = findStore(key);
      if (!store || JSON.stringify(value).length > MAX_VALUE_CHARACTERS) return;
      await store.set(family.toKey(key), value as Json, family.ttlMs).catch(ignoreOutage);
    },
  };
}
