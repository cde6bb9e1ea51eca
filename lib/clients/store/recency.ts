/** What stands in an order of use. */
export interface RecencyLinks<T> {
  newer: T | null;
  older: T | null;
}

/** Members in the order of their use. */
export interface Recency<T> {
  /** The one used longest ago. */
  least(): T | null;
  /** As the one used last; it must not be in it. */
  add(member: T): void;
  /** It must be in it. */
  remove(member: T): void;
}

/**
 * Order of use as a linked list. A Map re-inserted on each use would do the same, but finding its first key after many
 * deletions walks over the holes they left, which costs a flood of new addresses microseconds each. And each use would
 * bring its next table nearer: V8 keeps the old ones, with all that was in them, until the next full collection.
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
      // What has been forgotten must not keep its neighbours.
      member.newer = null;
      member.older = null;
    },
  };
}
