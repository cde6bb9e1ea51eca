/** Creates a queue in which owners take turns: every owner's first item comes before any owner's second. */
export function createFairQueue<T>() {
  /** The waiting items by owner, with owners in the order of their turns. An owner without items is removed. */
  const itemsByOwner = new Map<string, T[]>();
  let size = 0;

  return {
    getSize: () => size,
    add(owner: string, item: T): void {
      size++;
      const items = itemsByOwner.get(owner);
      if (items) items.push(item);
      else itemsByOwner.set(owner, [item]);
    },
    /** Removes and returns the oldest item of the owner whose last turn is longest ago. */
    takeNext(): T | undefined {
      for (const [owner, items] of itemsByOwner) {
        itemsByOwner.delete(owner);
        if (items.length > 1) itemsByOwner.set(owner, items);
        size--;
        return items.shift();
      }
      return undefined;
    },
    /** Removes and returns the newest item of the owner with most items. */
    removeLast(): T | undefined {
      let longest = { owner: "", items: [] as T[] };
      for (const [owner, items] of itemsByOwner) if (items.length > longest.items.length) longest = { owner, items };
      const { owner, items } = longest;
      if (items.length === 0) return undefined;
      if (items.length === 1) itemsByOwner.delete(owner);
      size--;
      return items.pop();
    },
    /** Removes and returns all items that match. */
    remove(matches: (item: T) => boolean): T[] {
      const removedItems: T[] = [];
      for (const [owner, items] of itemsByOwner) {
        removedItems.push(...items.filter(matches));
        const remainingItems = items.filter((item) => !matches(item));
        if (remainingItems.length === 0) itemsByOwner.delete(owner);
        else itemsByOwner.set(owner, remainingItems);
      }
      size -= removedItems.length;
      return removedItems;
    },
  };
}
