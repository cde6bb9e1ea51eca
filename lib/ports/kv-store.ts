import type { Json } from "./json";

/**
 * `replicated` asks that a write survives the loss of the store's primary server. The call then rejects with
 * upstream_unavailable while fewer replicas than configured have confirmed the write, and the write stays. Stores
 * without replicas ignore it.
 */
export type Durability = "replicated";

/** A key-value store. Keys are printable ASCII of 1 to 512 characters, values are any JSON. Each method is atomic. */
export interface KvStore {
  /** Returns the value of a key; null when it has none or its entry has expired. */
  get<T extends Json>(key: string): Promise<T | null>;
  /** Returns what `get` returns, one value per key and in the keys' order. */
  getMany<T extends Json>(keys: string[]): Promise<(T | null)[]>;
  /** Writes a value. @param ttlMs time to live; absent: the entry never expires */
  set(key: string, value: Json, ttlMs?: number, durability?: Durability): Promise<void>;
  /** Writes a value unless the key has one. @returns whether this call wrote it; an expired entry counts as absent */
  setIfAbsent(key: string, value: Json, ttlMs?: number, durability?: Durability): Promise<boolean>;
  /**
   * Writes `value` if the stored value is exactly `expected`, as `get` returned it. A null `expected` means that
   * there must be no entry; a null `value` deletes the entry.
   * @param ttlMs time to live; absent: the entry never expires
   * @returns whether this call wrote or deleted the entry
   */
  replace(key: string, expected: Json, value: Json, ttlMs?: number, durability?: Durability): Promise<boolean>;
  /** Deletes an entry. @returns whether there was one that had not expired */
  delete(key: string): Promise<boolean>;
  /**
   * Adds a member to a set, unless the set has a member of that name. Members never expire. Names follow the rules of
   * keys; the name of a set contains no vertical bar.
   * @returns whether this call added it
   */
  addMember(set: string, name: string, value: Json, durability?: Durability): Promise<boolean>;
  readMember<T extends Json>(set: string, name: string): Promise<T | null>;
  /** Returns all members of a set, by name. A set must stay small, because all its members are read at once. */
  listMembers<T extends Json>(set: string): Promise<Map<string, T>>;
  /** Removes a member of a set. @returns whether the set had it */
  removeMember(set: string, name: string): Promise<boolean>;
  /** Resolves when the store has accepted a write. @throws AppError upstream_* */
  ping(): Promise<void>;
  close(): Promise<void>;
}
