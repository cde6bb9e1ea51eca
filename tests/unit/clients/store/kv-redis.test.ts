import { execFile, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { inspect, promisify } from "node:util";
import { Redis } from "ioredis";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { systemClock, systemRandom } from "../../../../lib/clients/process/system";
import { createCallReserver } from "../../../../lib/clients/quota/tokens";
import { findEvictingPolicy } from "../../../../lib/clients/store/kv-redis";
import { openSharedStore } from "../../../../lib/clients/store/open-shared-store";
import { createKvRateLimiter } from "../../../../lib/clients/store/rate-limiter";
import { connectRedis } from "../../../../lib/clients/store/redis-connection";
import { KeyRefusedFault } from "../../../../lib/errors";
import { findFreePort } from "../../../support/app/app";
import { hasRedis, type RedisProcess, startRedis } from "../../../support/store/redis-server";
import { openRedisStore, type RedisStore } from "../../../support/store/redis-store";
import { createFolderForTest } from "../../../support/store/temp-folder";

/** The service's timeout is 500 ms. On a busy machine, a call without a fault may take as long. */
const TIMEOUT_MS = 2_000;
const POLL_OPTIONS = { timeout: 60_000, interval: 20 };

const isInstalled = await hasRedis("the failures of a Redis store");
let server: RedisProcess;
let admin: Redis;
let store: RedisStore;

beforeEach(async (context) => {
  if (!isInstalled) return context.skip();
  server = (await startRedis())!;
  admin = connectAdmin(server.port);
  store = openStore({ timeoutMs: TIMEOUT_MS });
  await waitUntilWritable();
});
afterEach(async () => {
  if (!isInstalled) return;
  admin.disconnect();
  await server.stop();
});

/** Opens a store that is closed after the test. */
function openStore(options: Parameters<typeof openRedisStore>[1]): RedisStore {
  const store = openRedisStore(server.port, options);
  onTestFinished(() => store.kv.close());
  return store;
}

const toAddress = (fields: { username?: string; password?: string } = {}) => {
  return { host: "127.0.0.1", port: server.port, db: 0, tls: false, ...fields };
};

/** Opens the store as the service does, with this user. It is closed after the test. */
function openServiceStore(user: { username?: string; password?: string }, prefix = "roundup:") {
  const servers = { address: toAddress(user), sentinels: [], cluster: [] };
  const settings = { kind: "redis", servers, prefix, waitReplicas: 0, timeoutMs: 20_000 } as const;
  const sharedStore = openSharedStore(settings, { clock: systemClock, random: systemRandom });
  onTestFinished(() => sharedStore.commands.close());
  return sharedStore;
}

function connectAdmin(port: number): Redis {
  return new Redis({ port, protocol: 2, retryStrategy: () => 20 }).on("error", () => {});
}

/** Returns the code of the call's failure, or "resolved". */
const readOutcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "resolved",
    (failure: { code: string }) => failure.code,
  );

const waitUntilWritable = ({ kv }: RedisStore = store) =>
  expect.poll(() => readOutcome(kv.ping()), POLL_OPTIONS).toBe("resolved");

const listOperations = ({ kv, commands }: RedisStore): Record<string, () => Promise<unknown>> => ({
  get: () => kv.get("key"),
  getMany: () => kv.getMany(["key", "other"]),
  set: () => kv.set("key", "value-7f3a"),
  setIfAbsent: () => kv.setIfAbsent("once", "value-7f3a"),
  replace: () => kv.replace("key", "value", "value-7f3a"),
  delete: () => kv.delete("key"),
  reserve: () => createCallReserver(commands)("rpc", { count: 1, gapMs: 10, burstMs: 100 }),
  ping: () => kv.ping(),
  take: async () => createKvRateLimiter(commands).take("198.51.100.7"),
});

async function expectUnavailable(names = Object.keys(listOperations(store))): Promise<void> {
  for (const name of names)
    expect(await readOutcome(listOperations(store)[name]!()), name).toBe("upstream_unavailable");
}

test("calls fail while the server is down and work after its restart", async () => {
  await server.kill();
  await expectUnavailable();
  await server.restart();
  await waitUntilWritable();
  expect(await store.kv.getMany(["key", "once"])).toEqual([null, null]);
});

test.each<[string, () => unknown, () => unknown]>([
  ["frozen", () => server.freeze(), () => server.thaw()],
  ["slow", () => admin.client("PAUSE", 600_000, "WRITE"), () => admin.client("UNPAUSE")],
])(
  "a %s server: calls time out, a timed-out write happens at most once, and calls work again afterwards",
  async (_state, stall, recover) => {
    await stall();
    const answers = await Promise.all(
      Object.values(listOperations(store)).map((operation) => readOutcome(operation())),
    );
    expect(new Set(answers)).toEqual(new Set(["upstream_timeout"]));
    await recover();
    await waitUntilWritable();
    expect([0, 4]).toContain(await admin.strlen("roundup:rate-calls:198.51.100.7"));
  },
);

test("a full server refuses writes but still answers reads and deletes", async () => {
  await store.kv.set("key", "value");
  await admin.config("SET", "maxmemory", "1");
  await expectUnavailable(["set", "setIfAbsent", "replace", "reserve", "ping", "take"]);
  expect(await store.kv.getMany(["key", "once"])).toEqual(["value", null]);
  expect(await store.kv.get("key")).toBe("value");
  await admin.config("SET", "maxmemory", "0");
  await waitUntilWritable();
  expect(await store.kv.replace("key", "value", "next")).toBe(true);
});

test("a server that has become a replica answers no read and no write", async () => {
  await store.kv.set("key", "stale");
  const newPrimary = (await startRedis())!;
  onTestFinished(() => newPrimary.stop());
  await admin.replicaof("127.0.0.1", newPrimary.port);
  for (let round = 0; round < 3; round++) await expectUnavailable();
  await admin.replicaof("NO", "ONE");
  await waitUntilWritable();
});

test("a primary that has lost its required replicas answers no read and no write", async () => {
  await store.kv.set("key", "stale");
  await admin.config("SET", "min-replicas-to-write", "1");
  await expectUnavailable();
  await admin.config("SET", "min-replicas-to-write", "0");
  await waitUntilWritable();
  expect(await store.kv.get("key")).toBe("stale");
});

describe("writes that must be replicated", () => {
  const REPLICA_OPTIONS = { timeoutMs: 20_000, replicas: { count: 1, timeoutMs: 200 } };
  const replicatedWrites = ({ kv }: RedisStore) => [
    () => kv.set("set", "kept", undefined, "replicated"),
    () => kv.setIfAbsent("once", "kept", 60_000, "replicated"),
    () => kv.replace("swap", null, "kept", 60_000, "replicated"),
  ];

  test("fail as unavailable without a replica", async () => {
    const waitingStore = openStore(REPLICA_OPTIONS);
    for (const write of replicatedWrites(waitingStore)) expect(await readOutcome(write())).toBe("upstream_unavailable");
    expect(await waitingStore.kv.getMany(["set", "once", "swap"])).toEqual(["kept", "kept", "kept"]);
    expect(await readOutcome(waitingStore.kv.set("set", "other"))).toBe("resolved");
  });

  test("resolve once a replica has them", async () => {
    const replicaSettings = `--replicaof 127.0.0.1 ${server.port} --repl-diskless-sync-delay 0`;
    const replica = (await startRedis(replicaSettings.split(" ")))!;
    onTestFinished(() => replica.stop());
    await admin.config("SET", "repl-diskless-sync-delay", "0");
    // A replica on a busy machine needs up to this time.
    const waitingStore = openStore({ ...REPLICA_OPTIONS, replicas: { count: 1, timeoutMs: 3_000 } });
    const writeReplicated = () => readOutcome(waitingStore.kv.set("first", 1, undefined, "replicated"));
    await expect.poll(writeReplicated, POLL_OPTIONS).toBe("resolved");
    const replicaClient = connectAdmin(replica.port);
    onTestFinished(() => replicaClient.disconnect());
    for (const write of replicatedWrites(waitingStore)) expect(await readOutcome(write())).toBe("resolved");
    const names = ["set", "once", "swap"].map((key) => `roundup:${key}`);
    expect(await replicaClient.mget(names)).toEqual(['"kept"', '"kept"', '"kept"']);
    replica.freeze();
    expect(await writeReplicated()).toBe("upstream_unavailable");
    replica.thaw();
    await expect.poll(writeReplicated, POLL_OPTIONS).toBe("resolved");
  });
});

test.each(["allkeys-lru", "volatile-ttl"])("the eviction policy %s is found", async (policy) => {
  const connection = connectRedis({
    servers: { address: toAddress(), sentinels: [], cluster: [] },
    timeoutMs: 20_000,
    random: systemRandom,
  });
  onTestFinished(() => connection.close());
  expect(await findEvictingPolicy(connection)).toBeNull();
  await admin.config("SET", "maxmemory-policy", policy);
  expect(await findEvictingPolicy(connection)).toBe(policy);
});

describe("a connection", () => {
  test("with a wrong password fails every call and shows the password neither in errors nor on the console", async () => {
    await admin.config("SET", "requirepass", "secret-right");
    onTestFinished(() => void vi.restoreAllMocks());
    const consoleSpies = (["log", "warn", "error"] as const).map((method) => vi.spyOn(console, method));
    const wrongStore = openStore({ timeoutMs: TIMEOUT_MS, address: toAddress({ password: "secret-wrong" }) });
    for (const operation of Object.values(listOperations(wrongStore))) {
      const failure = await operation().catch((cause: unknown) => cause);
      expect(failure).toMatchObject({ code: expect.stringMatching(/^upstream_(unavailable|timeout)$/) });
      expect(inspect(failure, { depth: null })).not.toMatch(/secret|7f3a/);
    }
    for (const spy of consoleSpies) expect(spy).not.toHaveBeenCalled();
    await waitUntilWritable(openStore({ address: toAddress({ password: "secret-right" }) }));
  });

  test.each([
    ["a wrong password", { password: "wrong" }, "refuses the user name or the password"],
    ["an unknown user", { username: "unknown", password: "pw" }, "refuses the user name or the password"],
    ["no password", {}, "asks for a password"],
    ["a user who may not run scripts", { username: "no-scripts" }, "does not let its user run EVAL"],
    [
      "a user without a command of the scripts",
      { username: "no-hash" },
      "does not let its user run a command in a script",
    ],
    ["a user of other keys", { username: "other-keys" }, "does not let its user use keys with this prefix"],
  ])("with %s says what the server refuses, without any secret", async (_caseName, user, refusal) => {
    await admin.config("SET", "requirepass", "secret-right");
    for (const [name, ...rules] of [
      ["no-scripts", "~*", "+@all", "-@scripting"],
      ["no-hash", "~*", "+@all", "-hsetnx"],
      ["other-keys", "~other:*", "+@all"],
    ])
      await admin.call("ACL", "SETUSER", name!, "on", ">secret-user", ...rules);
    const password = "username" in user && user.username !== "unknown" ? "secret-user" : undefined;
    const failure = await openServiceStore({ password, ...user })
      .probe()
      .catch((error) => error);
    expect(failure).toMatchObject({ code: "upstream_unavailable", details: { cause: { failure: refusal } } });
    expect(failure.details.cause).toBeInstanceOf(KeyRefusedFault);
    expect(inspect(failure, { depth: null })).not.toContain("secret");
  });

  test("with all rights that operations.md names passes the probe, and leaves nothing in the store", async () => {
    const document = readFileSync("docs/operations.md", "utf8");
    const [, rules = ""] = /^ACL SETUSER roundup on ><password> (.+)$/m.exec(document) ?? [];
    await admin.call("ACL", "SETUSER", "roundup", "on", ">pw", ...rules.replaceAll("<network>", "sandbox").split(" "));
    const { probe, findEvictingPolicy } = openServiceStore({ username: "roundup", password: "pw" }, "roundup:sandbox:");
    await probe();
    expect(await findEvictingPolicy()).toBeNull();
    const keptKeys = async () => (await admin.keys("roundup:sandbox:*")).filter((key) => !key.includes("rate-calls:"));
    await expect.poll(keptKeys, POLL_OPTIONS).toEqual([]);
  });
});

const READ_PROGRAM = `
  import { openRedisStore } from "./tests/support/store/redis-store";
  const { kv } = openRedisStore(0, { address: { host: "127.0.0.1", port: Number(process.argv[1]), db: 0, tls: true } });
  console.log(await kv.set("key", "value").then(() => kv.get("key"), (failure) => failure.code));
  await kv.close();
`;

test("TLS: a private certificate authority is accepted only with NODE_EXTRA_CA_CERTS", async (context) => {
  const folder = createFolderForTest();
  const [key, certificate] = [join(folder, "key.pem"), join(folder, "certificate.pem")];
  const certificateRequest =
    "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=redis";
  const result = spawnSync("openssl", [
    ...certificateRequest.split(" "),
    ...["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
  ]);
  if (result.status !== 0) context.skip("this machine has no openssl");
  const port = await findFreePort();
  const files = ["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate];
  const tlsServer = await startRedis(["--tls-port", String(port), "--tls-auth-clients", "no", ...files]);
  onTestFinished(() => tlsServer!.stop());
  const args = ["--import", "tsx", "--input-type=module", "-e", READ_PROGRAM, String(port)];
  const readValueWithEnv = (env: Record<string, string>) =>
    promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } }).then(({ stdout }) =>
      stdout.trim(),
    );
  expect(await Promise.all([readValueWithEnv({}), readValueWithEnv({ NODE_EXTRA_CA_CERTS: certificate })])).toEqual([
    "upstream_unavailable",
    "value",
  ]);
});
