/**
 * Returns `compute` with a cache of its results. The cache is cleared when it holds `maxEntries`. A result must not be
 * undefined, and it is shared: treat it as read-only.
 */
export function memoize<T>(maxEntries: number, compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    let value = known.get(key);
    if (value === undefined) {
      value = compute(key);
      if (known.size >= maxEntries) known.clear();
      known.set(key, value);
    }
    return value;
  };
}
