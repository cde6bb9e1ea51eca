import { expect, test } from "vitest";
import { type Cache, createCache } from "../../../../lib/clients/process/cache";
import { type QuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createManualClock } from "../../../support/fakes/manual-clock";

/** Creates a cache whose loads end when the test resolves them. */
function createTestCache(ttlMs: number, refreshAfterMs = ttlMs) {
  const clock = createManualClock();
  const loads: { resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];
  const load = () =>
    new Promise<string>((resolve, reject) => {
      loads.push({ resolve, reject });
    });
  const joins: unknown[] = [];
  const cache = createCache<string>({ ttlMs, maxEntries: 100, clock, onJoin: (...users) => joins.push(users[1]) });
  const read = (user = SERVICE_ITSELF) => cache.get("a", load, user, refreshAfterMs);
  /** Reads a key, and answers the load that this read starts. */
  const loadValue = (value: string) => {
    const reading = read();
    loads.at(-1)!.resolve(value);
    return reading;
  };
  return { clock, loads, joins, cache, read, loadValue };
}

test.each([
  ["succeeds", "resolve"],
  ["fails", "reject"],
] as const)(
  "a load after an invalidation gives the value, even if the earlier load %s later",
  async (_caseName, end) => {
    const { cache, loads, read, loadValue } = createTestCache(1_000);
    const earlierLoad = read();
    cache.invalidate("a");
    expect(await loadValue("new")).toBe("new");
    loads[0]![end]("old");
    expect(await earlierLoad.catch((error) => error)).toBe("old");
    expect(await read()).toBe("new");
    expect(loads).toHaveLength(2);
  },
);

/** Creates a cache whose value "old" of `a` is 500 ms old. A read of a value of this age starts a refresh. */
async function createAgedCache() {
  const agedCache = createTestCache(1_000, 500);
  await agedCache.loadValue("old");
  await agedCache.clock.advance(499);
  expect(await agedCache.read()).toBe("old");
  expect(agedCache.loads).toHaveLength(1);
  await agedCache.clock.advance(1);
  return agedCache;
}

test.each([
  ["invalidate", (cache: Cache<string>) => cache.invalidate("a")],
  ["invalidateWhere for the value", (cache: Cache<string>) => cache.invalidateWhere((_, value) => value === "old")],
  ["invalidateWhere for loads in flight", (cache: Cache<string>) => cache.invalidateWhere((_, value) => !value)],
])("the cache drops the result of a refresh that was in flight at %s", async (_caseName, invalidate) => {
  const { cache, clock, loads, read, loadValue } = await createAgedCache();
  await read();
  invalidate(cache);
  loads[1]!.resolve("stale");
  await clock.advance(500);
  expect(await loadValue("new")).toBe("new");
  expect(loads).toHaveLength(3);
});

test("the cache does not extend a value's life when the clock is set back", async () => {
  const { clock, loads, read } = createTestCache(1_000);
  const firstLoad = read();
  await clock.advance(-3_600_000);
  expect(read()).toBe(firstLoad);
  loads[0]!.resolve("one");
  await firstLoad;
  await clock.advance(-1);
  void read();
  expect(loads).toHaveLength(2);
});

test("a caller joins a load in flight, and none once the value is there, however long it is served", async () => {
  const { joins, read, loadValue } = createTestCache(Infinity);
  const earlierCaller: QuotaUser = { priority: "other", kind: "address", id: "earlier" };
  void read();
  void read(earlierCaller);
  await loadValue("value");
  expect(joins).toContain(earlierCaller);
  const joinCount = joins.length;
  await read({ ...earlierCaller, id: "later" });
  expect(joins).toHaveLength(joinCount);
});
