/** The links of an item in the order of use. */
export interface RecencyLinks<T> {
  newer: T | null;
  older: T | null;
}

/** A list of items in the order of their last use. */
export interface Recency<T> {
  /** Returns the least recently used item. */
  least(): T | null;
  /** Adds an item as the most recently used one. The item must not be in the list. */
  add(member: T): void;
  /** Removes an item, which must be in the list. */
  remove(member: T): void;
}

/**
 * Keeps an order of use as a linked list. A Map with re-insertion would be slower: finding its first key after many
 * deletions walks over the holes they left, which costs a flood of new addresses microseconds each. Each re-insertion
 * also brings the Map's next table nearer. V8 keeps the old tables, with all their entries, until the next full
 * collection.
 */
export function createRecency<T extends RecencyLinks<T>>(): Recency<T> {
  let most: T | null = null;
  let least: T | null = null;
  return {
    least: () => least,
    add(member) {
      member.older = most;
      if (most) most.newer = member;
      else least = member;
      most = member;
    },
    remove(member) {
      const { newer, older } = member;
      if (newer) newer.older = older;
      else most = older;
      if (older) older.newer = newer;
      else least = newer;
      // A removed item must not keep its neighbours in memory.
      member.newer = null;
      member.older = null;
    },
  };
}
