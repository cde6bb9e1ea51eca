import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { openVercelStore } from "../../../lib/clients/store/kv-vercel";
import type { Json } from "../../../lib/ports/json";
import type { KvStore } from "../../../lib/ports/kv-store";
import { connectResp, type RespClient } from "../../support/store/resp";
import { startUpstashBridge } from "../../support/store/upstash-bridge";

const bridge = await startUpstashBridge();
if (!bridge) console.warn("skipped: the shared store's tests need redis-server (Debian: apt-get install redis-server)");

let resp: RespClient;
beforeAll(async () => {
  if (bridge) resp = await connectResp(bridge.redisPort);
});

const scratch = mkdtempSync(join(tmpdir(), "roundup-kv-"));
afterAll(async () => {
  resp?.close();
  await bridge?.stop();
  rmSync(scratch, { recursive: true, force: true });
});

let now = 1_700_000_000_000;
const clock = { now: () => now };

interface Subject {
  open(): KvStore;
  /** Lets `ms` pass, after which `gone` holds, and did not before. */
  pass(ms: number, gone: () => Promise<boolean>): Promise<void>;
}

const embedded: Subject = {
  open: () => openLmdbStore({ path: join(scratch, "contract"), clock }),
  async pass(ms, gone) {
    now += ms - 1;
    expect(await gone()).toBe(false);
    now += 1;
    expect(await gone()).toBe(true);
  },
};

const shared: Subject = {
  open: () => openVercelStore({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 }),
  // The store's clock is the real one, so it is what every entry has left that is shortened.
  async pass(ms, gone) {
    expect(await gone()).toBe(false);
    const [keys] = await resp.send([["KEYS", "*"]]);
    for (const key of (keys as Buffer[]).map(String)) {
      const [left] = await resp.send([["PTTL", key]]);
      if (Number(left) > 0) await resp.send([["PEXPIRE", key, String(Number(left) - ms)]]);
    }
    expect(await gone()).toBe(true);
  },
};

/** Enough to be still there when looked at, however busy the machine. */
const SHORT_TTL_MS = 30_000;

function contract({ open, pass }: Subject) {
  let store: KvStore;
  let serial = 0;
  const fresh = () => `contract test ${process.pid} ${serial++}`;
  beforeAll(() => {
    store = open();
  });
  afterAll(() => store.close());

  test.each<Json>([
    "123",
    "true",
    "null",
    "",
    '"',
    "OK",
    "{}",
    "1:2",
    "\ud800",
    "é\u0000\ufeff😀",
    0,
    -1,
    1e21,
    1.5,
    2 ** 53,
  ])("a value comes back as it was: %j", async (value) => {
    const key = fresh();
    await store.set(key, value);
    expect(await store.get(key)).toStrictEqual(value);
    expect(await store.getMany([key])).toStrictEqual([value]);
  });

  test.each<Json>([
    true,
    false,
    null,
    [],
    {},
    [null, [1, "2"], { a: {} }],
    JSON.parse('{"__proto__":{"a":1},"":null}'),
  ])("a structure comes back as it was: %j", async (value) => {
    const key = fresh();
    expect(await store.setIfAbsent(key, value)).toBe(true);
    expect(JSON.stringify(await store.get(key))).toBe(JSON.stringify(value));
  });

  test("any JSON comes back as it was", async () => {
    const key = fresh();
    const property = fc.asyncProperty(fc.jsonValue({ stringUnit: "binary" }), async (generated) => {
      const value = JSON.parse(JSON.stringify(generated)) as Json;
      await store.set(key, value);
      expect(JSON.stringify(await store.get(key))).toBe(JSON.stringify(value));
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test("a large value and a key of 512 characters are kept; what was never written is null", async () => {
    const key = fresh().padEnd(512, "~");
    const value = { text: "x".repeat(200_000) };
    await store.set(key, value);
    expect(await store.get(key)).toEqual(value);
    expect(await store.get(`${key.slice(0, -1)}!`)).toBeNull();
  });

  test("what the port does not take is a bug of the caller, and nothing is written", async () => {
    const key = fresh();
    for (const wrong of ["", "x".repeat(513), "é", "a\nb"]) {
      await expect(store.get(wrong)).rejects.toThrow(RangeError);
      await expect(store.getMany([key, wrong])).rejects.toThrow(RangeError);
      await expect(store.set(wrong, 1)).rejects.toThrow(RangeError);
      await expect(store.setIfAbsent(wrong, 1)).rejects.toThrow(RangeError);
      await expect(store.delete(wrong)).rejects.toThrow(RangeError);
      await expect(store.increment(wrong, 1)).rejects.toThrow(RangeError);
    }
    for (const ttlMs of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(store.set(key, 1, ttlMs)).rejects.toThrow(RangeError);
      await expect(store.setIfAbsent(key, 1, ttlMs)).rejects.toThrow(RangeError);
      await expect(store.replace(key, null, 1, ttlMs)).rejects.toThrow(RangeError);
      await expect(store.increment(key, 1, ttlMs)).rejects.toThrow(RangeError);
    }
    for (const value of [undefined, Number.NaN, [Number.POSITIVE_INFINITY], { a: undefined }] as unknown as Json[]) {
      await expect(store.set(key, value)).rejects.toThrow(RangeError);
    }
    await expect(store.increment(key, 0.5)).rejects.toThrow(RangeError);
    expect(await store.get(key)).toBeNull();
  });

  test("setIfAbsent: of 100 at once one wins, and its value stays", async () => {
    const key = fresh();
    const wins = await Promise.all(Array.from({ length: 100 }, (_, index) => store.setIfAbsent(key, index)));
    expect(wins.filter(Boolean).length).toBe(1);
    expect(await store.get(key)).toBe(wins.indexOf(true));
  });

  test("replace: of 100 at once that saw the same one wins; who saw something else changes nothing", async () => {
    const key = fresh();
    const swap = async (seen: Json, base: number) => {
      const wins = await Promise.all(
        Array.from({ length: 100 }, (_, i) => store.replace(key, seen, { at: [base + i] })),
      );
      expect(wins.filter(Boolean).length).toBe(1);
      expect(await store.get(key)).toEqual({ at: [base + wins.indexOf(true)] });
    };
    await swap(null, 0);
    await swap(await store.get(key), 1_000);
    const others: Json[] = [null, {}, { at: ["1000"] }, 0];
    for (const seen of others) expect(await store.replace(key, seen, "wrong")).toBe(false);
    expect(await store.get(key)).not.toBe("wrong");
  });

  test("replace: by nothing, only what was seen is gone, and the next finds nothing there", async () => {
    const key = fresh();
    await store.set(key, { held: 1 });
    expect(await store.replace(key, { held: 2 }, null)).toBe(false);
    expect(await store.replace(key, { held: 1 }, null)).toBe(true);
    expect([await store.delete(key), await store.setIfAbsent(key, "next")]).toEqual([false, true]);
  });

  test("replace: an expired entry is none, and what it writes stays", async () => {
    const key = fresh();
    await store.set(key, "short", SHORT_TTL_MS);
    expect(await store.replace(key, null, "early")).toBe(false);
    await pass(SHORT_TTL_MS, async () => (await store.get(key)) === null);
    expect(await store.replace(key, "short", "late")).toBe(false);
    expect(await store.replace(key, null, "kept")).toBe(true);
    expect(await store.get(key)).toBe("kept");
  });

  test("replace: with a ttl what it writes expires, and without one the next stays", async () => {
    const [key, kept] = [fresh(), fresh()];
    for (const one of [key, kept]) expect(await store.replace(one, null, "short", SHORT_TTL_MS)).toBe(true);
    expect(await store.replace(kept, "short", "kept")).toBe(true);
    await pass(SHORT_TTL_MS, async () => (await store.get(key)) === null);
    expect(await store.get(kept)).toBe("kept");
  });

  test("an entry expires: get, getMany, delete and setIfAbsent all see it gone; set without a ttl stays", async () => {
    const [key, deleted, again, kept, held] = [fresh(), fresh(), fresh(), fresh(), fresh()];
    for (const short of [key, deleted, again]) await store.set(short, "short", SHORT_TTL_MS);
    await store.set(kept, "first", SHORT_TTL_MS);
    await store.set(kept, "kept");
    await store.set(held, "held", 600_000);
    await pass(SHORT_TTL_MS, async () => (await store.getMany([key, deleted, again])).every((value) => value === null));
    expect(await store.get(key)).toBeNull();
    expect(await store.delete(deleted)).toBe(false);
    expect(await store.setIfAbsent(again, "late", 60_000)).toBe(true);
    expect(await store.setIfAbsent(held, "early")).toBe(false);
    expect(await store.getMany([key, again, kept, held])).toEqual([null, "late", "kept", "held"]);
  });

  test("increment: 200 at once give 200 different values and the right sum", async () => {
    const key = fresh();
    const values = await Promise.all(Array.from({ length: 200 }, () => store.increment(key, 3, 60_000)));
    expect(values.sort((a, b) => a - b)).toEqual(Array.from({ length: 200 }, (_, index) => 3 * (index + 1)));
    expect(await store.get(key)).toBe(600);
    expect(await store.increment(key, -700)).toBe(-100);
    await store.set(key, 5);
    expect(await store.increment(key, 0)).toBe(5);
  });

  test("increment: the ttl counts from the first write, later ones do not move it; then it starts at 0 again", async () => {
    const [key, plain] = [fresh(), fresh()];
    await store.increment(key, 1, SHORT_TTL_MS);
    await store.increment(key, 1, 60_000);
    await store.increment(plain, 1);
    await store.increment(plain, 1, SHORT_TTL_MS);
    await pass(SHORT_TTL_MS, async () => (await store.get(key)) === null);
    expect(await store.increment(key, 1)).toBe(1);
    expect(await store.get(plain)).toBe(2);
  });

  test("increment of what is no counter, or beyond exact integers, fails and changes nothing", async () => {
    for (const value of ["5", 1.5, { a: 1 }, true, null, Number.MAX_SAFE_INTEGER] as Json[]) {
      const key = fresh();
      await store.set(key, value);
      await expect(store.increment(key, 1)).rejects.toMatchObject({ code: "upstream_invalid" });
      expect(await store.get(key)).toEqual(value);
    }
  });

  test("delete says whether there was something, to one of many", async () => {
    const key = fresh();
    expect(await store.delete(key)).toBe(false);
    await store.set(key, null);
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.delete(key)));
    expect(answers.filter(Boolean).length).toBe(1);
    expect(await store.get(key)).toBeNull();
  });

  test("getMany answers in the order asked, holes and repeats included", async () => {
    const keys = Array.from({ length: 50 }, fresh);
    await Promise.all(keys.map((key, index) => (index % 3 ? store.set(key, index) : null)));
    const asked = [...keys].reverse().concat(keys[1]!, keys[1]!, fresh());
    const expected = keys.map((_, index) => (index % 3 ? index : null)).reverse();
    expect(await store.getMany(asked)).toEqual([...expected, 1, 1, null]);
    expect(await store.getMany([])).toEqual([]);
  });

  test("ping resolves", () => expect(store.ping()).resolves.toBeUndefined());
}

describe("the embedded store", () => contract(embedded));
describe.skipIf(!bridge)("the shared store", () => contract(shared));
