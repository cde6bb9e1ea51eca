import type { Json } from "./json";

/** Keys are printable ASCII up to 512 characters; a value is any JSON. Each method is atomic by itself. */
export interface KvStore {
  get<T extends Json>(key: string): Promise<T | null>;
  /** One answer per key, in order. */
  getMany<T extends Json>(keys: string[]): Promise<(T | null)[]>;
  /** @param ttlMs the entry is gone after this long; absent: it stays */
  set(key: string, value: Json, ttlMs?: number): Promise<void>;
  /** @returns whether this call was the one that wrote it (an expired entry counts as absent) */
  setIfAbsent(key: string, value: Json, ttlMs?: number): Promise<boolean>;
  /**
   * Writes `value` if what lies there is exactly `expected`, as a get answered it; null, of either: nothing lies there.
   * @param ttlMs the entry is gone after this long; absent: it stays
   * @returns whether it did
   */
  replace(key: string, expected: Json, value: Json, ttlMs?: number): Promise<boolean>;
  /** @returns whether there was a live entry to delete */
  delete(key: string): Promise<boolean>;
  /** Adds to an integer counter that starts at 0; `ttlMs` counts from the counter's first write. @returns the new value */
  increment(key: string, by: number, ttlMs?: number): Promise<number>;
  /** Resolves when the store has taken a write. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
