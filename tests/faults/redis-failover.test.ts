import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, onTestFinished, test } from "vitest";
import { mapMethods } from "../../lib/clients/quota/quota-port";
import type { KvStore } from "../../lib/ports/kv-store";
import { createEmbeddedSandbox } from "../support/chain/embedded-sandbox";
import { hasRedis, type RedisProcess, startCluster, startRedis, startSentinel } from "../support/store/redis-server";
import { openRedisStore, type RedisStore } from "../support/store/redis-store";
import { MONEY_OPERATIONS } from "../support/worlds/fault-operations";
import { createFaultWorld } from "../support/worlds/fault-world";
import { runWithFaults } from "../support/worlds/run-with-faults";

/** Timeout of a call to the store, ms. The service has the same default. */
const TIMEOUT_MS = 500;
/** Real time for each staged second of a payment, ms. The client's ten minutes then outlast a failover. */
const STEP_MS = 100;
const WAIT_OPTIONS = { timeout: 60_000, interval: 50 };

const { FAULT_HOURS } = process.env;
const isInstalled = FAULT_HOURS !== undefined && (await hasRedis("the failovers of a Redis store"));
if (FAULT_HOURS === undefined)
  console.warn("skipped: a Redis failover and a Redis cluster; `npm run faults` runs them");

const stopAfterTest = <T extends RedisProcess>(server: T): T => {
  onTestFinished(() => server.stop());
  return server;
};

function openStore(options: Parameters<typeof openRedisStore>[1], port = 0): RedisStore {
  const store = openRedisStore(port, { timeoutMs: TIMEOUT_MS, ...options });
  onTestFinished(() => store.kv.close());
  return store;
}

/** Runs commands on one server, without the store. */
async function queryServer<Reply>(port: number, query: (client: Redis) => Promise<Reply>): Promise<Reply> {
  const client = new Redis({ port, protocol: 2 });
  return query(client).finally(() => client.disconnect());
}

/** Returns the value that was read, or the code of the failure. */
const readKey = (store: RedisStore, key: string) =>
  store.kv.get<string>(key).catch((failure: { code: string }) => failure.code);
/** Returns "written", or the code of the failure. */
const writeKey = (store: RedisStore, key: string, value: string, durability?: "replicated") =>
  store.kv.set(key, value, undefined, durability).then(
    () => "written",
    (failure: { code: string }) => failure.code,
  );

describe.skipIf(!isInstalled)("a store behind sentinels", () => {
  /** Starts a primary, its replicas and a sentinel. Resolves when a replica has the primary's data. */
  async function startGroup(replicaCount = 1, options: Parameters<typeof openStore>[0] = {}) {
    const primary = stopAfterTest((await startRedis(["--repl-diskless-sync-delay", "0"]))!);
    const startReplica = async () =>
      stopAfterTest((await startRedis(["--replicaof", "127.0.0.1", String(primary.port)]))!);
    await Promise.all(Array.from({ length: replicaCount }, startReplica));
    const sentinel = stopAfterTest(await startSentinel("primary", primary.port));
    const url = { host: "primary", port: 0, db: 0, tls: false };
    const store = openStore({ address: url, sentinels: [{ host: "127.0.0.1", port: sentinel.port }], ...options });
    const replicatedStore = openStore({ replicas: { count: 1, timeoutMs: 250 } }, primary.port);
    await expect.poll(() => writeKey(replicatedStore, "key", "first", "replicated"), WAIT_OPTIONS).toBe("written");
    // A sentinel promotes only a replica whose state it has read.
    await expect.poll(() => isReplicaKnown(sentinel.port), WAIT_OPTIONS).toBe(true);
    expect(await readKey(store, "key")).toBe("first");
    return { primary, store };
  }

  /** Returns whether the sentinel knows a replica that is connected to the primary. */
  async function isReplicaKnown(port: number): Promise<boolean> {
    const replicas = await queryServer(
      port,
      (client) => client.call("SENTINEL", "REPLICAS", "primary") as Promise<string[][]>,
    );
    return replicas.some((replica) => replica[replica.indexOf("master-link-status") + 1] === "ok");
  }

  test("applies no failed write after a replica has replaced a killed primary", async () => {
    const { primary, store } = await startGroup();
    await primary.kill();
    const outcomes: string[] = [];
    await expect
      .poll(async () => {
        outcomes.push(await writeKey(store, `try:${outcomes.length}`, "written"));
        return outcomes.at(-1);
      }, WAIT_OPTIONS)
      .toBe("written");
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome !== "written") expect(outcome).toMatch(/^upstream_(unavailable|timeout)$/);
      expect(await readKey(store, `try:${index}`)).toBe(outcome === "written" ? "written" : null);
    }
    expect(await readKey(store, "key")).toBe("first");
  });

  // A sentinel demotes a returning primary only after ten seconds.
  test("reads nothing from a primary that was frozen during the failover", async () => {
    const { primary, store } = await startGroup();
    const directStore = openStore({}, primary.port);
    expect(await readKey(directStore, "key")).toBe("first");
    primary.freeze();
    await expect.poll(() => writeKey(store, "key", "second"), WAIT_OPTIONS).toBe("written");
    primary.thaw();
    // Until the sentinel has demoted the old primary, it still acts as a primary.
    const isDemoted = async () => {
      expect(["second", "upstream_unavailable", "upstream_timeout"]).toContain(await readKey(store, "key"));
      const [role] = await queryServer(primary.port, (client) => client.role() as Promise<unknown[]>);
      return role === "slave";
    };
    await expect.poll(isDemoted, WAIT_OPTIONS).toBe(true);
    expect(await readKey(store, "key")).toBe("second");
    for (let call = 0; call < 5; call++) expect(await readKey(directStore, "key")).toMatch(/^upstream_/);
  });

  // The cases are every third store call of a top-up and of its retries.
  test.each([1, 4, 7, 10, 13])(
    "prevents a second payment of a top-up when the primary dies at store call %i",
    async (fatalCall) => {
      const { primary, store } = await startGroup(2, { replicas: { count: 1, timeoutMs: 250 } });
      let callCount = Number.NEGATIVE_INFINITY;
      const kv = mapMethods<KvStore>(store.kv, (call) => async (...args) => {
        if (++callCount === fatalCall) await primary.kill();
        return call(...args);
      });
      const world = await createFaultWorld(createEmbeddedSandbox(), kv);
      callCount = 0;
      const run = await runWithFaults(world, MONEY_OPERATIONS["top-up of a period"]!, [], () => setTimeout(STEP_MS));
      expect(run.violations).toEqual([]);
      expect(callCount).toBeGreaterThan(fatalCall);
    },
  );
});

describe.skipIf(!isInstalled)("a cluster of three nodes", () => {
  const WALLET = "7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU";

  async function startNodes(options: Parameters<typeof openStore>[0] = {}) {
    const nodes = (await startCluster(3)).map(stopAfterTest);
    const [firstNode, ...otherNodes] = nodes;
    const cluster = otherNodes.map(({ port }) => ({ host: "127.0.0.1", port }));
    return { nodes, store: openStore({ cluster, ...options }, firstNode!.port) };
  }
  const keys = Array.from({ length: 40 }, (_, index) => `key:${index}`);

  test("spreads keys over its nodes but keeps those of a wallet together", async () => {
    const { nodes, store } = await startNodes();
    const walletKeys = Array.from({ length: 10 }, (_, place) => `key-place:${WALLET}:${place}`);
    for (const key of [...keys, ...walletKeys]) await store.kv.set(key, key);
    expect(await store.kv.getMany([...keys, "absent", ...walletKeys, keys[0]!])).toEqual([
      ...keys,
      null,
      ...walletKeys,
      keys[0],
    ]);
    const namesByNode = await Promise.all(nodes.map(({ port }) => queryServer(port, (client) => client.keys("*"))));
    for (const names of namesByNode) expect(names.length).toBeGreaterThan(0);
    expect(namesByNode.filter((names) => names.some((name) => name.includes(WALLET)))).toHaveLength(1);
  });

  test("keeps concurrent atomic operations exact", async () => {
    const { store } = await startNodes();
    const repeatedKeys = keys.flatMap((key) => Array.from({ length: 5 }, () => key));
    const insertions = await Promise.all(repeatedKeys.map((key) => store.kv.setIfAbsent(`once:${key}`, true)));
    expect(insertions.filter(Boolean)).toHaveLength(keys.length);
    const replacements = await Promise.all(repeatedKeys.map((key) => store.kv.replace(key, null, "written")));
    expect(replacements.filter(Boolean)).toHaveLength(keys.length);
  });

  test("applies no failed write after a killed node has restarted", async () => {
    const { nodes, store } = await startNodes();
    await Promise.all(keys.map((key) => store.kv.set(key, "before")));
    await nodes[2]!.kill();
    // Writes of one turn share a command, and fail together. One after the other, each has its own outcome.
    const outcomes: string[] = [];
    for (const key of keys) outcomes.push(await writeKey(store, `try:${key}`, "written"));
    expect(new Set(outcomes).size).toBeGreaterThan(1);
    await nodes[2]!.restart();
    await expect
      .poll(() => Promise.all(keys.map((key) => writeKey(store, key, "after"))), WAIT_OPTIONS)
      .toEqual(keys.map(() => "written"));
    for (const [index, key] of keys.entries())
      if (outcomes[index] !== "written") expect(await readKey(store, `try:${key}`)).toBeNull();
  });

  test("refuses to confirm a replicated write that no replica has received", async () => {
    const { store } = await startNodes({ replicas: { count: 1, timeoutMs: 50 } });
    for (const key of keys.slice(0, 5)) {
      await expect(store.kv.setIfAbsent(key, "kept", 60_000, "replicated")).rejects.toMatchObject({
        code: "upstream_unavailable",
      });
      expect(await readKey(store, key)).toBe("kept");
    }
  });
});
