import { expect, test } from "vitest";
import { type Cache, type CacheOptions, createCache } from "../../../../lib/clients/process/cache";
import { createManualClock } from "../../../support/fakes/manual-clock";

/** Creates a cache whose loads end when the test resolves them. */
function createTestCache({ ttlMs = 1000, maxEntries = 100, refreshAfterMs }: Partial<CacheOptions<string>> = {}) {
  const clock = createManualClock();
  const loads: { key: string; resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];
  const load = (key: string) =>
    new Promise<string>((resolve, reject) => {
      loads.push({ key, resolve, reject });
    });
  const cache = createCache({ ttlMs, maxEntries, refreshAfterMs, clock, load });
  /** Reads a key, and answers the load that this read starts. */
  const loadValue = (key: string, value: string) => {
    const read = cache.get(key);
    loads.at(-1)!.resolve(value);
    return read;
  };
  return { clock, loads, cache, loadValue };
}

test.each([
  ["succeeds", "resolve"],
  ["fails", "reject"],
] as const)(
  "a load after an invalidation gives the value, even if the earlier load %s later",
  async (_caseName, end) => {
    const { cache, loads, loadValue } = createTestCache();
    const earlierLoad = cache.get("a");
    cache.invalidate("a");
    expect(await loadValue("a", "new")).toBe("new");
    loads[0]![end]("old");
    expect(await earlierLoad.catch((error) => error)).toBe("old");
    expect(await cache.get("a")).toBe("new");
    expect(loads).toHaveLength(2);
  },
);

/** Creates a cache whose value "old" of `a` is 500 ms old. A read of a value of this age starts a refresh. */
async function createAgedCache() {
  const agedCache = createTestCache({ ttlMs: 1000, refreshAfterMs: 500 });
  await agedCache.loadValue("a", "old");
  await agedCache.clock.advance(499);
  expect(await agedCache.cache.get("a")).toBe("old");
  expect(agedCache.loads).toHaveLength(1);
  await agedCache.clock.advance(1);
  return agedCache;
}

test.each([
  ["invalidate", (cache: Cache<string>) => cache.invalidate("a")],
  ["invalidateWhere for the value", (cache: Cache<string>) => cache.invalidateWhere((_, value) => value === "old")],
  ["invalidateWhere for loads in flight", (cache: Cache<string>) => cache.invalidateWhere((_, value) => !value)],
])("the cache drops the result of a refresh that was in flight at %s", async (_caseName, invalidate) => {
  const { cache, clock, loads, loadValue } = await createAgedCache();
  await cache.get("a");
  invalidate(cache);
  loads[1]!.resolve("stale");
  await clock.advance(500);
  expect(await loadValue("a", "new")).toBe("new");
  expect(loads).toHaveLength(3);
});

test("the cache does not extend a value's life when the clock is set back", async () => {
  const { cache, clock, loads } = createTestCache({ ttlMs: 1000 });
  const firstLoad = cache.get("a");
  await clock.advance(-3_600_000);
  expect(cache.get("a")).toBe(firstLoad);
  loads[0]!.resolve("one");
  await firstLoad;
  await clock.advance(-1);
  void cache.get("a");
  expect(loads).toHaveLength(2);
});
