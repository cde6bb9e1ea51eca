import type { z } from "zod";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";
import { ignoreOutage } from "./store-failure";

interface SharedValuesOptions<T> {
  kv: Pick<KvStore, "get" | "set">;
  /** The prefix of the values' keys in the store. */
  keyPrefix: string;
  /** The schema of a value, which is JSON. A stored value that does not match is not used. */
  schema: z.ZodType<T>;
  /** Time to live in the store, ms. */
  ttlMs: number;
}

/** The longest JSON text of a value, in characters. A longer one is not shared. */
const MAX_VALUE_CHARACTERS = 16_384;

/**
 * Shares the values that one instance has read from an upstream with the other instances. A shared store evicts nothing
 * and also holds the claims. Any caller can choose which values are read, so a time to live and a size limit keep the
 * values from filling the store. Never share data of one caller in this way.
 */
export function createSharedValues<T>({ kv, keyPrefix, schema, ttlMs }: SharedValuesOptions<T>) {
  return {
    /** Returns the stored value; null when there is none that matches the schema, and while the store fails. */
    async read(key: string): Promise<T | null> {
      const storedValue = await kv.get(`${keyPrefix}:${key}`).catch(ignoreOutage);
      return schema.safeParse(storedValue).data ?? null;
    },
    /** Writes a value. Skips a value longer than MAX_VALUE_CHARACTERS, and does nothing while the store fails. */
    async write(key: string, value: T): Promise<void> {
      if (JSON.stringify(value).length > MAX_VALUE_CHARACTERS) return;
      await kv.set(`${keyPrefix}:${key}`, value as Json, ttlMs).catch(ignoreOutage);
    },
  };
}
