/** A new result clears a cache that already holds `maxEntries`. Results must not be undefined, and are read-only. */
export function memoize<T>(maxEntries: number, compute: (key: string) => T): (key: string) => T {
  const results = new Map<string, T>();
  return (key) => {
    let value = results.get(key);
    if (value === undefined) {
      value = compute(key);
      if (results.size >= maxEntries) results.clear();
      results.set(key, value);
    }
    return value;
  };
}
