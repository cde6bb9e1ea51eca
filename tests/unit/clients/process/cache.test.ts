import { expect, test } from "vitest";
import { createCache } from "../../../../lib/clients/process/cache";
import { type QuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createManualClock } from "../../../support/fakes/manual-clock";

/** Creates a cache whose loads end when the test resolves them. */
function createTestCache(ttlMs: number) {
  const clock = createManualClock();
  const loads: { resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];
  const load = () =>
    new Promise<string>((resolve, reject) => {
      loads.push({ resolve, reject });
    });
  const joins: unknown[] = [];
  const cache = createCache<string>({ ttlMs, maxEntries: 100, clock, onJoin: (...users) => joins.push(users[1]) });
  const read = (user = SERVICE_ITSELF) => cache.get("a", load, user);
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
