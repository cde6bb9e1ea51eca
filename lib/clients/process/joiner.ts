interface JoinerOptions<Item, Reply> {
  /** Runs the items and returns their replies, in order. */
  run: (items: Item[]) => Promise<Reply[]>;
  /** Calls its argument when the items that wait by then are to be run. */
  schedule: (runWaiting: () => void) => void;
  /** The largest sum of the sizes of items that are run together. A larger item runs alone. */
  maxSize: number;
  getSize: (item: Item) => number;
}

/** Returns a function that runs an item, together with those that come within the scheduled time. They fail together. */
export function createJoiner<Item, Reply>({ run, schedule, maxSize, getSize }: JoinerOptions<Item, Reply>) {
  let waiting: { item: Item; resolve(reply: Reply): void; reject(error: unknown): void }[] = [];
  let waitingSize = 0;

  const runWaiting = async () => {
    const joined = waiting;
    [waiting, waitingSize] = [[], 0];
    if (joined.length === 0) return;
    try {
      const replies = await run(joined.map(({ item }) => item));
      joined.forEach(({ resolve }, i) => void resolve(replies[i]!));
    } catch (error) {
      for (const { reject } of joined) reject(error);
    }
  };

  return (item: Item) =>
    new Promise<Reply>((resolve, reject) => {
      const size = getSize(item);
      if (waitingSize + size > maxSize) void runWaiting();
      if (waiting.length === 0) schedule(() => void runWaiting());
      waiting.push({ item, resolve, reject });
      waitingSize += size;
    });
}
