export interface FairQueue<T> {
  size(): number;
  add(owner: string, item: T): void;
  /** Takes out what is next: the oldest of the owner who has not had a turn for longest. */
  next(): T | undefined;
  /** Takes out the newest of the owner who has most. */
  last(): T | undefined;
  /** Takes out all that match. */
  remove(matches: (item: T) => boolean): T[];
}

/** What waits, by whose it is: nobody's second comes before everybody's first. */
export function createFairQueue<T>(): FairQueue<T> {
  // Owners in the order of their turns; none without an item.
  const lines = new Map<string, T[]>();
  let size = 0;

  return {
    size: () => size,
    add(owner, item) {
      size++;
      const line = lines.get(owner);
      if (line) line.push(item);
      else lines.set(owner, [item]);
    },
    next() {
      for (const [owner, line] of lines) {
        lines.delete(owner);
        if (line.length > 1) lines.set(owner, line);
        size--;
        return line.shift();
      }
      return undefined;
    },
    last() {
      let longest: [owner: string, line: T[]] = ["", []];
      for (const one of lines) if (one[1].length > longest[1].length) longest = one;
      const [owner, line] = longest;
      if (line.length === 0) return undefined;
      if (line.length === 1) lines.delete(owner);
      size--;
      return line.pop();
    },
    remove(matches) {
      const gone: T[] = [];
      for (const [owner, line] of lines) {
        const kept = line.filter((item) => !matches(item) || !gone.push(item));
        if (kept.length === 0) lines.delete(owner);
        else lines.set(owner, kept);
      }
      size -= gone.length;
      return gone;
    },
  };
}
