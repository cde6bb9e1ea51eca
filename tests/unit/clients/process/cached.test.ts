import { expect, test } from "vitest";
import { createCache } from "../../../../lib/clients/process/cached";
import { manualClock } from "../../../support/fakes/manual-clock";

/** A cache whose loads end when the test says so. */
function controlled({ ttlMs = 1000, maxEntries = 100 } = {}) {
  const clock = manualClock();
  const loads: { key: string; resolve: (value: string) => void; reject: (error: unknown) => void }[] = [];
  const load = (key: string) =>
    new Promise<string>((resolve, reject) => {
      loads.push({ key, resolve, reject });
    });
  return { clock, loads, cache: createCache({ ttlMs, maxEntries, clock, load }) };
}

test("500 concurrent reads of one key cost one load", async () => {
  const { cache, loads } = controlled();
  const reads = Array.from({ length: 500 }, () => cache.get("a"));
  expect(loads).toHaveLength(1);
  loads[0]!.resolve("one");
  expect(new Set(await Promise.all(reads))).toEqual(new Set(["one"]));
});

test("a value is kept for the ttl, counted from the end of its load, and not a millisecond longer", async () => {
  const { cache, clock, loads } = controlled({ ttlMs: 1000 });
  const first = cache.get("a");
  await clock.advance(5000);
  loads[0]!.resolve("one");
  await first;
  await clock.advance(999);
  expect(await cache.get("a")).toBe("one");
  expect(loads).toHaveLength(1);
  await clock.advance(1);
  void cache.get("a");
  expect(loads).toHaveLength(2);
});

test("a value is not kept for as long as the clock has been set back", async () => {
  const { cache, clock, loads } = controlled({ ttlMs: 1000 });
  const first = cache.get("a");
  await clock.advance(-3_600_000);
  expect(cache.get("a")).toBe(first);
  loads[0]!.resolve("one");
  await first;
  await clock.advance(-1);
  void cache.get("a");
  expect(loads).toHaveLength(2);
});

test("a failure reaches everyone who waited and is not cached", async () => {
  const { cache, loads } = controlled();
  const reads = [cache.get("a"), cache.get("a")];
  loads[0]!.reject(new Error("down"));
  const results = await Promise.allSettled(reads);
  expect(results.map((result) => result.status)).toEqual(["rejected", "rejected"]);
  const again = cache.get("a");
  loads[1]!.resolve("up");
  expect(await again).toBe("up");
});

test("a load that throws synchronously rejects", async () => {
  const load = () => {
    throw new Error("at once");
  };
  const cache = createCache({ ttlMs: 1, maxEntries: 1, clock: manualClock(), load });
  await expect(cache.get("a")).rejects.toThrow("at once");
});

test("invalidated in flight: later callers load anew, and the old result is not kept", async () => {
  const { cache, loads } = controlled();
  const before = cache.get("a");
  cache.invalidate("a");
  const after = cache.get("a");
  expect(loads).toHaveLength(2);
  loads[1]!.resolve("new");
  expect(await after).toBe("new");
  loads[0]!.resolve("old");
  expect(await before).toBe("old");
  expect(await cache.get("a")).toBe("new");
  expect(loads).toHaveLength(2);
});

test("invalidated in flight: the old load's failure does not drop the new value", async () => {
  const { cache, loads } = controlled();
  const before = cache.get("a");
  cache.invalidate("a");
  const after = cache.get("a");
  loads[1]!.resolve("new");
  await after;
  loads[0]!.reject(new Error("old"));
  await expect(before).rejects.toThrow("old");
  expect(await cache.get("a")).toBe("new");
  expect(loads).toHaveLength(2);
});

test("invalidateWhere sees keys and values, and undefined for a load in flight", async () => {
  const { cache, loads } = controlled();
  const a = cache.get("a");
  loads[0]!.resolve("1");
  await a;
  void cache.get("b");
  const seen: unknown[] = [];
  cache.invalidateWhere((key, value) => {
    seen.push([key, value]);
    return key === "b";
  });
  expect(seen).toEqual([
    ["a", "1"],
    ["b", undefined],
  ]);
  void cache.get("a");
  void cache.get("b");
  expect(loads.map((load) => load.key)).toEqual(["a", "b", "b"]);
});

test("bounded: above maxEntries the least recently used key is dropped", async () => {
  const { cache, loads } = controlled({ maxEntries: 2 });
  const read = async (key: string) => {
    const pending = cache.get(key);
    loads.at(-1)!.resolve(key);
    await pending;
  };
  await read("a");
  await read("b");
  await cache.get("a");
  await read("c");
  await cache.get("a");
  await cache.get("c");
  expect(loads).toHaveLength(3);
  void cache.get("b");
  expect(loads).toHaveLength(4);
});

test("bounded: expired entries are released as others come in", async () => {
  const { cache, clock, loads } = controlled({ ttlMs: 10 });
  for (const key of ["a", "b", "c"]) {
    const pending = cache.get(key);
    loads.at(-1)!.resolve(key);
    await pending;
  }
  await clock.advance(10);
  void cache.get("d");
  const keys: string[] = [];
  cache.invalidateWhere((key) => {
    keys.push(key);
    return false;
  });
  expect(keys).toEqual(["d"]);
});
