import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openLmdbStore } from "../../../lib/clients/store/kv-lmdb";
import { createSharedStore } from "../../../lib/clients/store/kv-shared";
import { createVercelCommands } from "../../../lib/clients/store/kv-vercel";
import type { Json } from "../../../lib/ports/json";
import type { KvStore } from "../../../lib/ports/kv-store";
import { startCluster } from "../../support/store/redis-server";
import { openRedisStore } from "../../support/store/redis-store";
import { createFolderForFile } from "../../support/store/temp-folder";
import { connectRedis, startUpstashBridge } from "../../support/store/upstash-bridge";

const bridge = await startUpstashBridge();
if (!bridge) console.warn("skipped: the shared store's tests need redis-server (Debian: apt-get install redis-server)");

/** `npm run faults` runs the contract on a cluster too. */
const clusterNodes = bridge && process.env.FAULT_HOURS ? await startCluster(3) : [];

const folder = createFolderForFile();
afterAll(async () => {
  await bridge?.stop();
  for (const node of clusterNodes) await node.stop();
});

let nowMs = 1_700_000_000_000;
const clock = { now: () => nowMs };

/** Any code point except surrogates. With the unit "binary", fast-check would first list them all, for a second. */
const anyCharacter = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

interface StoreUnderTest {
  open(): KvStore;
  /** Lets `ms` pass. Expects `hasExpired` to become true after that time, and not before. */
  advance(ms: number, hasExpired: () => Promise<boolean>): Promise<void>;
}

const embeddedStore: StoreUnderTest = {
  open: () => openLmdbStore({ path: join(folder, "contract"), clock }),
  async advance(ms, hasExpired) {
    nowMs += ms - 1;
    expect(await hasExpired()).toBe(false);
    nowMs += 1;
    expect(await hasExpired()).toBe(true);
  },
};

/** Redis servers use the real clock. `advance` therefore shortens the remaining time of every entry. */
const createRedisSubject = (listPorts: () => number[], open: () => KvStore): StoreUnderTest => ({
  open,
  async advance(ms, hasExpired) {
    expect(await hasExpired()).toBe(false);
    for (const port of listPorts()) {
      const client = connectRedis(port);
      for (const key of await client.keys("*")) {
        const remainingMs = await client.pttl(key);
        if (remainingMs > 0) await client.pexpire(key, remainingMs - ms);
      }
      client.disconnect();
    }
    expect(await hasExpired()).toBe(true);
  },
});

function openCluster(): KvStore {
  const [seedNode, ...otherNodes] = clusterNodes.map(({ port }) => ({ host: "127.0.0.1", port }));
  return openRedisStore(seedNode!.port, { cluster: otherNodes }).kv;
}

/** Long enough for an entry to exist when it is read, however slow the machine. */
const SHORT_TTL_MS = 30_000;

function testStoreContract({ open, advance }: StoreUnderTest) {
  let store: KvStore;
  let keyCount = 0;
  const createKey = () => `contract test ${process.pid} ${keyCount++}`;
  beforeAll(() => {
    store = open();
  });
  afterAll(() => store.close());

  const unusualTexts = ["123", "true", "null", "", '"', "OK", "{}", "1:2", "\ud800", "é\u0000\ufeff😀"];
  test.each<Json>([...unusualTexts, 0, -1, 1e21, 1.5, 2 ** 53])("returns a value unchanged: %j", async (value) => {
    const key = createKey();
    await store.set(key, value);
    expect(await store.get(key)).toStrictEqual(value);
    expect(await store.getMany([key])).toStrictEqual([value]);
  });

  test("returns any JSON value unchanged", async () => {
    const key = createKey();
    const property = fc.asyncProperty(fc.jsonValue({ stringUnit: anyCharacter }), async (generated) => {
      const value = JSON.parse(JSON.stringify(generated)) as Json;
      await store.set(key, value);
      expect(JSON.stringify(await store.get(key))).toBe(JSON.stringify(value));
    });
    await fc.assert(property, { numRuns: 30 });
  });

  test("stores a large value and a key of 512 characters", async () => {
    const key = createKey().padEnd(512, "~");
    const value = { text: "x".repeat(200_000) };
    await store.set(key, value);
    expect(await store.get(key)).toEqual(value);
    expect(await store.get(`${key.slice(0, -1)}!`)).toBeNull();
  });

  test("throws for invalid arguments and writes nothing", async () => {
    const key = createKey();
    for (const invalidKey of ["", "x".repeat(513), "é", "a\nb"]) {
      await expect(store.get(invalidKey)).rejects.toThrow(RangeError);
      await expect(store.getMany([key, invalidKey])).rejects.toThrow(RangeError);
      await expect(store.set(invalidKey, 1)).rejects.toThrow(RangeError);
      await expect(store.setIfAbsent(invalidKey, 1)).rejects.toThrow(RangeError);
      await expect(store.delete(invalidKey)).rejects.toThrow(RangeError);
    }
    for (const ttlMs of [0, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      await expect(store.set(key, 1, ttlMs)).rejects.toThrow(RangeError);
      await expect(store.setIfAbsent(key, 1, ttlMs)).rejects.toThrow(RangeError);
      await expect(store.replace(key, null, 1, ttlMs)).rejects.toThrow(RangeError);
    }
    for (const value of [undefined, Number.NaN, [Number.POSITIVE_INFINITY], { a: undefined }] as unknown as Json[]) {
      await expect(store.set(key, value)).rejects.toThrow(RangeError);
    }
    expect(await store.get(key)).toBeNull();
  });

  test("setIfAbsent lets one of 100 simultaneous calls win and keeps its value", async () => {
    const key = createKey();
    const outcomes = await Promise.all(Array.from({ length: 100 }, (_, index) => store.setIfAbsent(key, index)));
    expect(outcomes.filter(Boolean).length).toBe(1);
    expect(await store.get(key)).toBe(outcomes.indexOf(true));
  });

  test("replace lets one of 100 calls with the same expected value win", async () => {
    const key = createKey();
    const replaceOnce = async (expectedValue: Json, firstNumber: number) => {
      const outcomes = await Promise.all(
        Array.from({ length: 100 }, (_, i) => store.replace(key, expectedValue, { at: [firstNumber + i] })),
      );
      expect(outcomes.filter(Boolean).length).toBe(1);
      expect(await store.get(key)).toEqual({ at: [firstNumber + outcomes.indexOf(true)] });
    };
    await replaceOnce(null, 0);
    await replaceOnce(await store.get(key), 1_000);
    const wrongValues: Json[] = [null, {}, { at: ["1000"] }, 0];
    for (const expectedValue of wrongValues) expect(await store.replace(key, expectedValue, "wrong")).toBe(false);
    expect(await store.get(key)).not.toBe("wrong");
  });

  test("replace with null deletes only the expected value", async () => {
    const key = createKey();
    await store.set(key, { heldKey: 1 });
    expect(await store.replace(key, { heldKey: 2 }, null)).toBe(false);
    expect(await store.replace(key, { heldKey: 1 }, null)).toBe(true);
    expect([await store.delete(key), await store.setIfAbsent(key, "next")]).toEqual([false, true]);
  });

  test("replace treats an expired entry as absent", async () => {
    const key = createKey();
    await store.set(key, "short", SHORT_TTL_MS);
    expect(await store.replace(key, null, "early")).toBe(false);
    await advance(SHORT_TTL_MS, async () => (await store.get(key)) === null);
    expect(await store.replace(key, "short", "late")).toBe(false);
    expect(await store.replace(key, null, "kept")).toBe(true);
    expect(await store.get(key)).toBe("kept");
  });

  test("replace sets a ttl or removes it", async () => {
    const [key, keptKey] = [createKey(), createKey()];
    for (const expiringKey of [key, keptKey])
      expect(await store.replace(expiringKey, null, "short", SHORT_TTL_MS)).toBe(true);
    expect(await store.replace(keptKey, "short", "kept")).toBe(true);
    await advance(SHORT_TTL_MS, async () => (await store.get(key)) === null);
    expect(await store.get(keptKey)).toBe("kept");
  });

  test("an expired entry is absent for get, getMany, delete and setIfAbsent", async () => {
    const expiringKeys = [createKey(), createKey(), createKey()] as const;
    const [key, deletedKey, rewrittenKey] = expiringKeys;
    const [keptKey, heldKey] = [createKey(), createKey()];
    for (const expiringKey of expiringKeys) await store.set(expiringKey, "short", SHORT_TTL_MS);
    await store.set(keptKey, "first", SHORT_TTL_MS);
    await store.set(keptKey, "kept");
    await store.set(heldKey, "held", 600_000);
    const haveExpired = async () => (await store.getMany([...expiringKeys])).every((value) => value === null);
    await advance(SHORT_TTL_MS, haveExpired);
    expect(await store.get(key)).toBeNull();
    expect(await store.delete(deletedKey)).toBe(false);
    expect(await store.setIfAbsent(rewrittenKey, "late", 60_000)).toBe(true);
    expect(await store.setIfAbsent(heldKey, "early")).toBe(false);
    expect(await store.getMany([key, rewrittenKey, keptKey, heldKey])).toEqual([null, "late", "kept", "held"]);
  });

  test("delete returns true to exactly one of many simultaneous calls", async () => {
    const key = createKey();
    expect(await store.delete(key)).toBe(false);
    await store.set(key, null);
    const answers = await Promise.all(Array.from({ length: 20 }, () => store.delete(key)));
    expect(answers.filter(Boolean).length).toBe(1);
    expect(await store.get(key)).toBeNull();
  });

  test("getMany returns values in the requested order, with gaps and repeats", async () => {
    const keys = Array.from({ length: 50 }, createKey);
    await Promise.all(keys.map((key, index) => (index % 3 ? store.set(key, index) : null)));
    const requestedKeys = [...keys].reverse().concat(keys[1]!, keys[1]!, createKey());
    const expected = keys.map((_, index) => (index % 3 ? index : null)).reverse();
    expect(await store.getMany(requestedKeys)).toEqual([...expected, 1, 1, null]);
    expect(await store.getMany([])).toEqual([]);
  });

  test("a set keeps the first value of each member", async () => {
    const setName = createKey();
    await store.addMember(`${setName}0`, "a", "of another set");
    expect(await store.listMembers(setName)).toEqual(new Map());
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => store.addMember(setName, "a|b", { i })));
    expect(answers.filter(Boolean).length).toBe(1);
    expect(await store.addMember(setName, "null", null, "replicated")).toBe(true);
    const members = { "a|b": { i: answers.indexOf(true) }, null: null };
    expect(await store.listMembers(setName)).toEqual(new Map(Object.entries(members)));
    expect([await store.readMember(setName, "a|b"), await store.readMember(setName, "b")]).toEqual([
      members["a|b"],
      null,
    ]);
    expect([await store.removeMember(setName, "null"), await store.removeMember(setName, "null")]).toEqual([
      true,
      false,
    ]);
    expect([...(await store.listMembers(setName)).keys()]).toEqual(["a|b"]);
    expect(await store.addMember(setName, "null", 2)).toBe(true);
    await expect((async () => store.addMember(`${setName}|`, "a", 1))()).rejects.toThrow(RangeError);
  });

  test("ping resolves while the store accepts writes", () => expect(store.ping()).resolves.toBeUndefined());
}

const openOverHttp = () =>
  createSharedStore(createVercelCommands({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 }));
const openNatively = () => openRedisStore(bridge!.redisPort).kv;

describe("the embedded store", () => testStoreContract(embeddedStore));
describe.skipIf(!bridge).each([
  ["over HTTP", openOverHttp],
  ["on Redis", openNatively],
])("the shared store %s", (_caseName, open) => testStoreContract(createRedisSubject(() => [bridge!.redisPort], open)));
describe.skipIf(clusterNodes.length === 0)("the shared store on a Redis cluster", () =>
  testStoreContract(createRedisSubject(() => clusterNodes.map(({ port }) => port), openCluster)),
);
