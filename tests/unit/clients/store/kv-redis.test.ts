import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { BREAKER_REST_MS, createBreaker } from "../../../../lib/clients/http/breaker";
import { findEvictingPolicy } from "../../../../lib/clients/store/kv-redis";
import { createKvRateLimiter } from "../../../../lib/clients/store/rate-limiter";
import { connectRedis } from "../../../../lib/clients/store/redis-connection";
import { findFreePort } from "../../../support/app/app";
import { hasRedis, type RedisProcess, startRedis } from "../../../support/store/redis-server";
import { openRedisStore, type RedisStore } from "../../../support/store/redis-store";

/** Longer than in the service, where it is 500 ms: on a busy machine, a call may take as long without any fault. */
const TIMEOUT_MS = 2_000;
const PATIENT = { timeout: 60_000, interval: 20 };

const isInstalled = await hasRedis("the failures of a Redis store");
let server: RedisProcess;
let admin: Redis;
let store: RedisStore;
let now = 0;

beforeEach(async (context) => {
  if (!isInstalled) return context.skip();
  server = (await startRedis())!;
  admin = connectAdmin(server.port);
  store = openStore({ timeoutMs: TIMEOUT_MS });
  await untilWritable();
});
afterEach(async () => {
  if (!isInstalled) return;
  admin.disconnect();
  await server.stop();
});

/** Opens a store that is closed after the test. */
function openStore(options: Parameters<typeof openRedisStore>[1], port = server.port): RedisStore {
  const store = openRedisStore(port, options);
  onTestFinished(() => store.kv.close());
  return store;
}

function connectAdmin(port: number): Redis {
  return new Redis({ port, protocol: 2, retryStrategy: () => 20 }).on("error", () => {});
}

const catchCode = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "resolved",
    (failure: { code: string }) => failure.code,
  );

const untilWritable = ({ kv }: RedisStore = store) => expect.poll(() => catchCode(kv.ping()), PATIENT).toBe("resolved");

const operations = ({ kv, commands }: RedisStore): Record<string, () => Promise<unknown>> => ({
  get: () => kv.get("key"),
  getMany: () => kv.getMany(["key", "other"]),
  set: () => kv.set("key", "value-7f3a"),
  setIfAbsent: () => kv.setIfAbsent("once", "value-7f3a"),
  replace: () => kv.replace("key", "value", "value-7f3a"),
  delete: () => kv.delete("key"),
  increment: () => kv.increment("count", 1),
  ping: () => kv.ping(),
  take: async () => createKvRateLimiter(commands).take("198.51.100.7"),
});

async function expectAll(code: string | RegExp, names?: string[]): Promise<void> {
  for (const [name, operation] of Object.entries(operations(store))) {
    if (names && !names.includes(name)) continue;
    expect(await catchCode(operation()), name).toMatch(code);
  }
}

test("calls fail while the server is down and work after its restart", async () => {
  await server.kill();
  await expectAll("upstream_unavailable");
  await server.restart();
  await untilWritable();
  expect(await store.kv.getMany(["key", "once", "count"])).toEqual([null, null, null]);
});

test.each<[string, () => unknown, () => unknown]>([
  ["frozen", () => server.freeze(), () => server.thaw()],
  ["slow", () => admin.client("PAUSE", 600_000, "WRITE"), () => admin.client("UNPAUSE")],
])(
  "%s: calls time out, a timed-out write happens at most once, and calls work again afterwards",
  async (_state, stall, release) => {
    await stall();
    const answers = await Promise.all(Object.values(operations(store)).map((operation) => catchCode(operation())));
    expect(new Set(answers)).toEqual(new Set(["upstream_timeout"]));
    await release();
    await untilWritable();
    expect([null, 1]).toContain(await store.kv.get("count"));
  },
);

test("the breaker keeps calls from a frozen server after one timeout", async () => {
  const guarded = openStore({ timeoutMs: TIMEOUT_MS, breaker: createBreaker("store", { now: () => now }) });
  await untilWritable(guarded);
  server.freeze();
  expect(await catchCode(guarded.kv.get("key"))).toBe("upstream_timeout");
  for (let call = 0; call < 20; call++)
    expect(await catchCode(guarded.kv.increment("count", 1))).toBe("upstream_unavailable");
  server.thaw();
  now += BREAKER_REST_MS;
  await expect
    .poll(() => {
      now += BREAKER_REST_MS;
      return catchCode(guarded.kv.ping());
    }, PATIENT)
    .toBe("resolved");
  expect(await guarded.kv.get("count")).toBeNull();
});

test("a full server refuses writes but still answers reads and deletes", async () => {
  await store.kv.set("key", "value");
  await admin.config("SET", "maxmemory", "1");
  await expectAll("upstream_unavailable", ["set", "setIfAbsent", "replace", "increment", "ping", "take"]);
  expect(await store.kv.getMany(["key", "once", "count"])).toEqual(["value", null, null]);
  expect(await store.kv.get("key")).toBe("value");
  await admin.config("SET", "maxmemory", "0");
  await untilWritable();
  expect(await store.kv.replace("key", "value", "next")).toBe(true);
});

test("a server that has become a replica answers no read and no write", async () => {
  await store.kv.set("key", "stale");
  const elsewhere = (await startRedis())!;
  onTestFinished(() => elsewhere.stop());
  await admin.replicaof("127.0.0.1", elsewhere.port);
  for (let round = 0; round < 3; round++) await expectAll("upstream_unavailable");
  await admin.replicaof("NO", "ONE");
  await untilWritable();
});

test("a primary that has lost its required replicas answers no read and no write", async () => {
  await store.kv.set("key", "stale");
  await admin.config("SET", "min-replicas-to-write", "1");
  await expectAll("upstream_unavailable");
  await admin.config("SET", "min-replicas-to-write", "0");
  await untilWritable();
  expect(await store.kv.get("key")).toBe("stale");
});

test("calls work on the old records after a restore from a snapshot", async () => {
  await store.kv.set("key", "old");
  await admin.save();
  await store.kv.set("key", "new");
  await store.kv.set("once", "new");
  await server.kill();
  await server.restart();
  await untilWritable();
  expect(await store.kv.getMany(["key", "once"])).toEqual(["old", null]);
});

test("scripts work after the server has forgotten them", async () => {
  await store.kv.increment("count", 1);
  await admin.script("FLUSH");
  expect(await store.kv.increment("count", 1)).toBe(2);
});

describe("writes that must be replicated", () => {
  const WAITS = { timeoutMs: 20_000, replicas: { count: 1, timeoutMs: 200 } };
  const replicatedWrites = ({ kv }: RedisStore) => [
    () => kv.set("set", "kept", undefined, "replicated"),
    () => kv.setIfAbsent("once", "kept", 60_000, "replicated"),
    () => kv.replace("swap", null, "kept", 60_000, "replicated"),
  ];

  test("fail as unavailable without a replica", async () => {
    const waitingStore = openStore(WAITS);
    for (const write of replicatedWrites(waitingStore)) expect(await catchCode(write())).toBe("upstream_unavailable");
    expect(await waitingStore.kv.getMany(["set", "once", "swap"])).toEqual(["kept", "kept", "kept"]);
    expect(await catchCode(waitingStore.kv.set("set", "other"))).toBe("resolved");
  });

  test("resolve once a replica has them", async () => {
    const replica = (await startRedis([
      "--replicaof",
      "127.0.0.1",
      String(server.port),
      "--repl-diskless-sync-delay",
      "0",
    ]))!;
    onTestFinished(() => replica.stop());
    await admin.config("SET", "repl-diskless-sync-delay", "0");
    // Long enough for a replica on a busy machine.
    const waitingStore = openStore({ ...WAITS, replicas: { count: 1, timeoutMs: 3_000 } });
    await expect
      .poll(() => catchCode(waitingStore.kv.set("first", 1, undefined, "replicated")), PATIENT)
      .toBe("resolved");
    const onReplica = connectAdmin(replica.port);
    onTestFinished(() => onReplica.disconnect());
    for (const write of replicatedWrites(waitingStore)) expect(await catchCode(write())).toBe("resolved");
    const names = ["set", "once", "swap"].map((key) => `roundup:${key}`);
    expect(await onReplica.mget(names)).toEqual(['"kept"', '"kept"', '"kept"']);
    replica.freeze();
    expect(await catchCode(waitingStore.kv.set("set", "again", undefined, "replicated"))).toBe("upstream_unavailable");
    replica.thaw();
    await expect
      .poll(() => catchCode(waitingStore.kv.set("set", "again", undefined, "replicated")), PATIENT)
      .toBe("resolved");
  });
});

test.each(["allkeys-lru", "volatile-ttl"])("the eviction policy %s is found", async (policy) => {
  const connection = connectRedis({
    servers: { address: { host: "127.0.0.1", port: server.port, db: 0, tls: false }, sentinels: [], cluster: [] },
    timeoutMs: 20_000,
    random: { bytes: (length) => new Uint8Array(length) },
  });
  onTestFinished(() => connection.close());
  expect(await findEvictingPolicy(connection)).toBeNull();
  await admin.config("SET", "maxmemory-policy", policy);
  expect(await findEvictingPolicy(connection)).toBe(policy);
});

describe("credentials", () => {
  test("a wrong password fails every call and appears neither in errors nor on the console", async () => {
    await admin.config("SET", "requirepass", "secret-right");
    onTestFinished(() => void vi.restoreAllMocks());
    const printed = [vi.spyOn(console, "log"), vi.spyOn(console, "warn"), vi.spyOn(console, "error")];
    const url = { host: "127.0.0.1", port: server.port, db: 0, tls: false };
    const wrongStore = openStore({ timeoutMs: TIMEOUT_MS, address: { ...url, password: "secret-wrong" } });
    for (const operation of Object.values(operations(wrongStore))) {
      const failure = await operation().catch((cause: unknown) => cause);
      expect(failure).toMatchObject({ code: expect.stringMatching(/^upstream_(unavailable|timeout)$/) });
      expect(inspect(failure, { depth: null })).not.toMatch(/secret|7f3a/);
    }
    for (const print of printed) expect(print).not.toHaveBeenCalled();
    await untilWritable(openStore({ address: { ...url, password: "secret-right" } }));
  });

  test("a Unix socket serves as well", async () => {
    const listening = (await startRedis(["--unixsocket", "redis.sock"]))!;
    onTestFinished(() => listening.stop());
    const url = { host: "", port: 0, path: `${listening.folder}/redis.sock`, db: 3, tls: false };
    const { kv } = openStore({ address: url });
    await kv.set("key", "value");
    expect(await kv.get("key")).toBe("value");
  });
});

describe("TLS", () => {
  const READ = `
    import { openRedisStore } from "./tests/support/store/redis-store";
    const { kv } = openRedisStore(0, { address: { host: "127.0.0.1", port: Number(process.argv[1]), db: 0, tls: true } });
    console.log(await kv.set("key", "value").then(() => kv.get("key"), (failure) => failure.code));
    await kv.close();
  `;

  test("a private certificate authority is accepted only with NODE_EXTRA_CA_CERTS", async (context) => {
    const folder = mkdtempSync(join(tmpdir(), "roundup-redis-tls-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
    const request = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=redis";
    const result = spawnSync("openssl", [
      ...request.split(" "),
      ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
    ]);
    if (result.status !== 0) context.skip("this machine has no openssl");
    const port = await findFreePort();
    const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate];
    const encrypted = await startRedis(["--tls-port", String(port), "--tls-auth-clients", "no", ...files]);
    onTestFinished(() => encrypted!.stop());
    const args = ["--import", "tsx", "--input-type=module", "-e", READ, String(port)];
    const readWithEnv = (env: Record<string, string>) =>
      promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } }).then(({ stdout }) =>
        stdout.trim(),
      );
    expect(await Promise.all([readWithEnv({}), readWithEnv({ NODE_EXTRA_CA_CERTS: certificate })])).toEqual([
      "upstream_unavailable",
      "value",
    ]);
  });
});
