import type { z } from "zod";
import type { Json } from "../../ports/json";
import type { KvStore } from "../../ports/kv-store";
import { ignoreOutage } from "./store-failure";

export interface SharedValuesOptions<T> {
  kv: Pick<KvStore, "get" | "set">;
  /** The prefix of the keys in the store. */
  name: string;
  /** The shape of a value, which is JSON. A stored value of another shape is not used. */
  shape: z.ZodType<T>;
  /** Time to live in the store, ms. */
  keptMs: number;
}

/** Public data that instances share through the store. */
export interface SharedValues<T> {
  /** Returns null without a stored value of the expected shape, and while the store fails. */
  read(key: string): Promise<T | null>;
  /** Writes a value. Does nothing while the store fails. */
  write(key: string, value: T): Promise<void>;
}

/**
 * Shares what one instance has read from an upstream. Each value needs a time to live: a shared store never evicts, so
 * values without an end would fill it. Never share data of one caller in this way.
 */
export function createSharedValues<T>({ kv, name, shape, keptMs }: SharedValuesOptions<T>): SharedValues<T> {
  return {
    async read(key) {
      const stored = await kv.get(`${name}:${key}`).catch(ignoreOutage);
      return shape.safeParse(stored).data ?? null;
    },
    async write(key, value) {
      await kv.set(`${name}:${key}`, value as Json, keptMs).catch(ignoreOutage);
    },
  };
}
