import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseEnv as parseDotenv } from "node:util";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { afterAll, describe, expect, test } from "vitest";
import { toSharedStore } from "../../lib/domain/shared-store";
import {
  ENV_NAMES,
  EnvError,
  findDeployment,
  listReadUrls,
  listUnknownNames,
  parseCeilings,
  parseEnv,
  parseOperatorEnv,
  readSecretFiles,
} from "../../lib/env";

const example = parseDotenv(readFileSync(new URL("../../.env.example", import.meta.url), "utf8")) as Record<
  string,
  string
>;

const wallet = (fill: number) => bs58.encode(nacl.sign.keyPair.fromSeed(new Uint8Array(32).fill(fill)).publicKey);
const collectors = [1, 2, 3, 4, 5, 6, 7, 8].map(wallet);
const STATIC_KEY = "static-key-0123456789abcdef01234";

const mainnet = {
  NETWORK: "mainnet-beta",
  SOLANA_RPC_URL: "https://rpc.example.com/?api-key=secret",
  FEE_COLLECTORS: collectors.join(","),
  WALLET_ORIGIN: "https://roundup.example",
};
const vercel = {
  ...mainnet,
  VERCEL: "1",
  CLIENT_IP: "vercel",
  KV_REST_API_URL: "https://kv.example.com",
  KV_REST_API_TOKEN: "token",
};

const deployed = JSON.parse(readFileSync(new URL("../../vercel.json", import.meta.url), "utf8"));

/** Returns the sentence with which a configuration is refused. */
function refused(source: Record<string, string | undefined>): string {
  try {
    parseEnv(source);
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError);
    return (error as EnvError).message;
  }
  return expect.unreachable("was accepted");
}

describe(".env.example", () => {
  test("lists exactly the names that are read, and the operator's one", () => {
    expect(Object.keys(example).sort()).toEqual([...ENV_NAMES, "OPERATOR_FILE"].sort());
  });

  test("lists the same names as docs/configuration.md", () => {
    const table = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const listed = [...table.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(([, names]) =>
      names!.match(/\w+/g),
    );
    expect(listed.sort()).toEqual(Object.keys(example).sort());
  });

  test("contains the default values", () => {
    const { OPERATOR_FILE, ...web } = example;
    expect(parseEnv(web)).toEqual(parseEnv({}));
    expect(parseOperatorEnv({ OPERATOR_FILE })).toEqual(parseOperatorEnv({}));
  });
});

describe("defaults", () => {
  test("are a sandbox on this machine only, with clients identified by their socket", () => {
    expect(parseEnv({})).toMatchObject({
      NETWORK: "sandbox",
      HOST: "127.0.0.1",
      PORT: 3000,
      CLIENT_IP: { kind: "socket" },
      FEE_COLLECTORS: [],
      API_KEYS: [],
      SANDBOX_PORT: 8899,
      SANDBOX_PRICES: "walk",
    });
  });

  test("apply to empty values, for every name", () => {
    expect(parseEnv(Object.fromEntries([...ENV_NAMES, "VERCEL"].map((name) => [name, ""])))).toEqual(parseEnv({}));
  });

  test("ignore unknown names", () => {
    expect(parseEnv({ PATH: "/bin", NODE_ENV: "test", OPERATOR_FILE: "x" })).toEqual(parseEnv({}));
  });
});

describe("nodes", () => {
  const urls = ["https://a.example/?key=secret", "https://b.example"];

  test("accepts several nodes in order or a single one, and mainnet needs one of the two", () => {
    expect(listReadUrls(parseEnv({ SOLANA_RPC_URLS: urls.join(" , ") }))).toEqual(urls);
    expect(listReadUrls(parseEnv({ SOLANA_RPC_URL: urls[0] }))).toEqual([urls[0]]);
    expect(listReadUrls(parseEnv({ ...mainnet, SOLANA_RPC_URLS: urls[1] }))).toEqual([urls[1]]);
    expect(parseOperatorEnv({ SOLANA_RPC_URLS: urls.join(",") }).rpcUrl).toBe(urls[0]);
  });

  test("names an invalid node by its position and never by its URL", () => {
    const said = refused({ SOLANA_RPC_URLS: `${urls[1]},secret.example/?key=secret` });
    expect(said).toContain("SOLANA_RPC_URLS: address 2");
    expect(said).not.toContain("secret");
  });

  test("accepts a number of sends per second, or no limit", () => {
    expect(parseEnv({}).SENDS_PER_SECOND).toBeNull();
    expect(parseEnv({ SENDS_PER_SECOND: "0.5" }).SENDS_PER_SECOND).toBe(0.5);
  });
});

describe("single values", () => {
  test("splits lists at commas and ignores the spaces around them", () => {
    expect(parseEnv({ API_KEYS: ` ${STATIC_KEY}1, ,shop:${STATIC_KEY}2,` }).API_KEYS).toEqual([
      { name: null, key: `${STATIC_KEY}1` },
      { name: "shop", key: `${STATIC_KEY}2` },
    ]);
  });

  test.each([
    ["vercel", { kind: "vercel" }],
    ["proxy:1", { kind: "proxy", hops: 1 }],
    ["proxy:9", { kind: "proxy", hops: 9 }],
  ])("parses CLIENT_IP=%s", (text, source) => {
    expect(parseEnv({ CLIENT_IP: text }).CLIENT_IP).toEqual(source);
  });

  test.each([
    ["NETWORK", "devnet"],
    ["PORT", "abc"],
    ["PORT", "65536"],
    ["PORT", "80.5"],
    ["LOG_LEVEL", "loud"],
    ["CLIENT_IP", "proxy"],
    ["CLIENT_IP", "proxy:0"],
    ["CLIENT_IP", "proxy:10"],
    ["CLIENT_IP", "x-forwarded-for"],
    ["CLIENT_IP", "vercel "],
    ["WALLET_ORIGIN", "roundup.example"],
    ["WALLET_ORIGIN", "data:text/plain,x"],
    ["PUBLIC_URL", "roundup.example"],
    ["SOLANA_RPC_URL", "ftp://example.com"],
    ["SOLANA_RPC_URLS", "https://rpc.example.com,rpc.example.com"],
    ["SOLANA_SEND_URLS", "ftp://rpc.example.com"],
    ["SENDS_PER_SECOND", "0"],
    ["SENDS_PER_SECOND", "many"],
    ["JUPITER_URL", "not a url"],
    ["HERMES_URL", "file:///etc/passwd"],
    ["KV_REST_API_URL", "redis://localhost"],
    ["SANDBOX_URL", "8899"],
    ["SANDBOX_PORT", "99999"],
    ["SANDBOX_PRICES", "random"],
    ["API_KEYS", `${STATIC_KEY},${STATIC_KEY.slice(1)}`],
    ["API_KEYS", `shop:${STATIC_KEY.slice(1)}`],
    ["API_KEYS", `my shop:${STATIC_KEY}`],
    ["FEE_COLLECTORS", "abc"],
    ["PAUSE", "withdraw"],
    ["PAUSE_REASON", "two\nlines"],
    ["PAUSE_REASON", "x".repeat(201)],
    ["PRICE_BOUNDS", "SOL:10"],
    ["PRICE_BOUNDS", "SOL:20-10"],
    ["PRICE_BOUNDS", "SOL:0-10"],
    ["PRICE_BOUNDS", "SOL:1-1e99"],
    ["PRICE_BOUNDS", "DOGE:1-2"],
  ])("refuses %s=%s and names the setting", (name, value) => {
    expect(refused({ [name]: value })).toContain(`${name}: `);
  });

  test("changes only the assets that PRICE_BOUNDS names", () => {
    const { SOL, ...others } = parseEnv({ PRICE_BOUNDS: "SOL:1.5-9000" }).PRICE_BOUNDS;
    const { SOL: _, ...defaults } = parseEnv({}).PRICE_BOUNDS;
    expect(SOL).toEqual({ min: 1.5, max: 9_000 });
    expect(others).toEqual(defaults);
  });

  test("parses PAUSE as a list of paused parts", () => {
    expect(parseEnv({}).PAUSE).toEqual([]);
    expect(parseEnv({ PAUSE: "invest, save", PAUSE_REASON: "maintenance" })).toMatchObject({
      PAUSE: ["save", "invest"],
      PAUSE_REASON: "maintenance",
    });
  });

  test("accepts a static key of exactly 32 characters", () => {
    expect(STATIC_KEY).toHaveLength(32);
    expect(parseEnv({ API_KEYS: STATIC_KEY }).API_KEYS).toEqual([{ name: null, key: STATIC_KEY }]);
  });

  test("reports all errors at once, and repeats no value", () => {
    const secret = "do-not-print-me";
    const wrong = {
      NETWORK: secret,
      PORT: secret,
      LOG_LEVEL: secret,
      CLIENT_IP: secret,
      SOLANA_RPC_URL: secret,
      KV_REST_API_URL: secret,
      SANDBOX_PRICES: secret,
    };
    const message = refused(wrong);
    for (const name of Object.keys(wrong)) expect(message).toContain(`${name}: `);
    expect(message).not.toContain(secret);
    const crossed = refused({ API_KEYS: secret, FEE_COLLECTORS: secret, NETWORK: "mainnet" });
    expect(crossed).toMatch(/API_KEYS: .*FEE_COLLECTORS: .*SOLANA_RPC_URL: /);
    expect(crossed).not.toContain(secret);
  });
});

describe("secrets in files", () => {
  const folder = mkdtempSync(join(tmpdir(), "env-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test("are read in place of the variable, for the service and the operator's command", () => {
    const source = readSecretFiles({
      JUPITER_API_KEY_FILE: file("jupiter", "jupiter-key\n"),
      API_KEYS_FILE: file("keys", `# shop\nshop:${STATIC_KEY}\n${STATIC_KEY}2\n`),
      SOLANA_RPC_URL_FILE: file("node", "https://rpc.example/?key=k\n"),
    });
    const { JUPITER_API_KEY, API_KEYS, SOLANA_RPC_URL } = parseEnv(source);
    expect([JUPITER_API_KEY, SOLANA_RPC_URL]).toEqual(["jupiter-key", "https://rpc.example/?key=k"]);
    expect(API_KEYS.map(({ name }) => name)).toEqual(["shop", null]);
    expect(parseOperatorEnv(source).rpcUrl).toBe("https://rpc.example/?key=k");
  });

  test.each([
    [{ HERMES_API_KEY_FILE: "/nowhere/key" }, "HERMES_API_KEY_FILE: the file cannot be read (ENOENT)."],
    [{ HERMES_API_KEY_FILE: file("empty", " \n") }, "HERMES_API_KEY_FILE: the file is empty."],
    [
      { HERMES_API_KEY_FILE: "a", HERMES_API_KEY: "b" },
      "HERMES_API_KEY_FILE: set either it or HERMES_API_KEY, not both.",
    ],
  ])("are refused with the variable's name: %j", (source, sentence) => {
    expect(() => readSecretFiles(source)).toThrow(new EnvError(sentence));
  });
});

test("a name that only looks like a setting is reported, and another program's name is not", () => {
  const wrong = ["SOLANA_RPC_ULR", "JUPITER_KEY", "API_KEY", "PAUSE_REASONS", "KV_TIMEOUT"];
  const fine = ["PATH", "HOME", "npm_config_cache", "JUPITER_API_KEY_FILE", "OPERATOR_FILE", "SANDBOX_PORT"];
  const foreign = ["API_SERVICE_HOST", "API_PORT_80_TCP", "KV_URL", "KV_REST_API_READ_ONLY_TOKEN"];
  const source = Object.fromEntries([...wrong, ...fine, ...foreign, ...ENV_NAMES].map((name) => [name, "x"]));
  expect(listUnknownNames(source)).toEqual(wrong);
});

describe("fee collectors", () => {
  test("accepts eight distinct wallets, in order", () => {
    expect(parseEnv({ FEE_COLLECTORS: collectors.join(" , ") }).FEE_COLLECTORS).toEqual(collectors);
  });

  test.each([
    ["seven", collectors.slice(1), "must be 8"],
    ["nine", [...collectors, wallet(9)], "must be 8"],
    ["the same twice", [...collectors.slice(1), collectors[1]!], "distinct"],
    ["one that is no address", [...collectors.slice(1), "nonsense"], "distinct wallet addresses"],
    ["one off the curve", [...collectors.slice(1), "2dn9kGAgRHTRB4J6Ppgh2PxDKPXTT4fyi3g1UGgHpvGQ"], "wallet addresses"],
    ["one of small order", [...collectors.slice(1), "1".repeat(32)], "wallet addresses"],
  ])("refuses %s", (_what, list, why) => {
    expect(refused({ FEE_COLLECTORS: list.join(",") })).toMatch(new RegExp(`FEE_COLLECTORS: .*${why}`));
  });
});

describe("settings that depend on each other", () => {
  test("treats mainnet as mainnet-beta, with the same requirements", () => {
    expect(parseEnv({ ...mainnet, NETWORK: "mainnet" })).toEqual(parseEnv(mainnet));
    expect(refused({ NETWORK: "mainnet" })).toBe(refused({ NETWORK: "mainnet-beta" }));
  });

  test.each(["SOLANA_RPC_URL", "FEE_COLLECTORS"])("refuses mainnet without %s", (name) => {
    expect(refused({ ...mainnet, [name]: "" })).toContain(`${name}: required on mainnet`);
  });

  test("refuses a store's address without its token", () => {
    expect(refused({ KV_REST_API_URL: "https://kv.example.com" })).toContain("KV_REST_API_TOKEN: ");
    expect(parseEnv({ KV_REST_API_URL: "https://kv.example.com", KV_REST_API_TOKEN: "token" })).toMatchObject({
      KV_REST_API_TOKEN: "token",
    });
  });

  test("sets the network and the header in vercel.json, and gives the relay more time than it takes", () => {
    const { NETWORK: _network, CLIENT_IP: _header, ...own } = vercel;
    expect(parseEnv({ ...own, ...deployed.env })).toEqual(parseEnv(vercel));
    expect(deployed.functions["app/api/swap/execute/route.ts"].maxDuration).toBeGreaterThan(25 + 5);
  });

  test.each([
    ["NETWORK", "the sandbox", { NETWORK: "sandbox" }],
    ["CLIENT_IP", "the socket", { CLIENT_IP: "" }],
    ["CLIENT_IP", "a proxy", { CLIENT_IP: "proxy:1" }],
    ["KV_REST_API_URL", "the embedded store", { KV_REST_API_URL: "" }],
  ])("refuses on Vercel: %s for %s", (name, _what, change) => {
    expect(refused({ ...vercel, ...change })).toContain(`${name}: `);
  });
});

describe("the deployment named in signed texts", () => {
  const deployment = (source: Record<string, string>) => findDeployment(parseEnv(source));
  const { WALLET_ORIGIN: _, ...unnamed } = mainnet;

  test("is the same in every sandbox, whatever its origin", () => {
    expect(deployment({})).toBe("sandbox, play money");
    expect(deployment({ WALLET_ORIGIN: "https://roundup.example" })).toBe("sandbox, play money");
  });

  test("is the origin on mainnet, by default that of PUBLIC_URL", () => {
    const both = { ...mainnet, PUBLIC_URL: "https://www.roundup.example/start?x=1" };
    expect(deployment(both)).toBe("https://roundup.example");
    expect(deployment({ ...both, WALLET_ORIGIN: "" })).toBe("https://www.roundup.example");
  });

  test.each([
    ["https://Roundup.Example:443/", "https://roundup.example"],
    ["https://roundup.example:8443/app", "https://roundup.example:8443"],
    ["https://r\u00f6undup.example", "https://xn--rundup-wxa.example"],
  ])("normalises %s to one ASCII form", (written, origin) => {
    expect(deployment({ ...mainnet, WALLET_ORIGIN: written })).toBe(origin);
  });

  test("is required on mainnet", () => {
    expect(refused(unnamed)).toMatch(/WALLET_ORIGIN: required on mainnet-beta.*PUBLIC_URL/);
  });
});

describe("the priority fee", () => {
  test("defaults to half the recent price per unit, and never exceeds what clients accept", () => {
    expect(parseEnv({})).toMatchObject({ PRIORITY_FEE_PERCENTILE: 50, PRIORITY_FEE_MAX_LAMPORTS: 100_000 });
    expect(parseEnv({ PRIORITY_FEE_MAX_LAMPORTS: "0" }).PRIORITY_FEE_MAX_LAMPORTS).toBe(0);
    for (const [name, value] of [
      ["PRIORITY_FEE_PERCENTILE", "101"],
      ["PRIORITY_FEE_MAX_LAMPORTS", "100001"],
    ] as const) {
      expect(() => parseEnv({ [name]: value })).toThrow(name);
      expect(() => parseOperatorEnv({ [name]: value })).toThrow(EnvError);
    }
  });
});

describe("the operator's configuration", () => {
  const priorityFee = { percentile: 50, maxLamports: 100_000n };

  test("uses its own file and node, or the sandbox's", () => {
    expect(parseOperatorEnv({})).toEqual({
      operatorFile: ".data/operator.json",
      rpcUrl: "http://127.0.0.1:8899",
      priorityFee,
      store: { path: ".data/store" },
    });
    const source = { OPERATOR_FILE: "/safe/operator.json", SOLANA_RPC_URL: "https://rpc.example.com" };
    expect(parseOperatorEnv(source)).toEqual({
      operatorFile: "/safe/operator.json",
      rpcUrl: "https://rpc.example.com",
      priorityFee,
      store: { path: ".data/store" },
    });
  });

  test("uses the service's own store: the shared one when configured, else the folder's", () => {
    expect(parseOperatorEnv({ DATA_DIR: "/data" }).store).toEqual({ path: "/data/store" });
    const shared = { KV_REST_API_URL: "https://kv.example.com", KV_REST_API_TOKEN: "token", DATA_DIR: "/data" };
    expect(parseOperatorEnv(shared).store).toEqual({
      kind: "rest",
      url: "https://kv.example.com",
      token: "token",
      timeoutMs: 2_000,
    });
    expect(parseOperatorEnv({ REDIS_URL: "redis://10.0.0.1", DATA_DIR: "/data" }).store).toMatchObject({
      kind: "redis",
      servers: { url: { host: "10.0.0.1", port: 6379 } },
    });
    expect(() => parseOperatorEnv({ ...shared, REDIS_URL: "redis://10.0.0.1" })).toThrow(EnvError);
  });
});

describe("a Redis store", () => {
  const storeOf = (source: Record<string, string>) => toSharedStore(parseEnv(source));
  const plain = { host: "10.0.0.1", port: 6379, db: 0, tls: false };

  test.each([
    ["redis://10.0.0.1", plain],
    ["redis://:p%40ss@10.0.0.1:6380/2", { ...plain, port: 6380, db: 2, password: "p@ss" }],
    [
      "rediss://user:pass@redis.example.com",
      { ...plain, host: "redis.example.com", tls: true, username: "user", password: "pass" },
    ],
    ["redis://[::1]:7000", { ...plain, host: "::1", port: 7000 }],
    [
      "unix:///run/redis.sock?db=1&password=p",
      { ...plain, host: "", port: 0, path: "/run/redis.sock", db: 1, password: "p" },
    ],
  ])("is named by %s", (REDIS_URL, url) => {
    expect(storeOf({ REDIS_URL })).toEqual({
      kind: "redis",
      servers: { url, sentinels: [], cluster: [] },
      prefix: "roundup:",
      waitReplicas: 0,
      timeoutMs: 500,
    });
  });

  test("is found through sentinels, which may have a password, or is a cluster", () => {
    const REDIS_URL = "redis://:pass@primary";
    expect(storeOf({ REDIS_URL, REDIS_SENTINELS: ":secret@10.0.0.1, 10.0.0.2:7000" })).toMatchObject({
      servers: {
        url: { host: "primary" },
        sentinels: [
          { host: "10.0.0.1", port: 26379, password: "secret" },
          { host: "10.0.0.2", port: 7000 },
        ],
      },
    });
    expect(storeOf({ REDIS_URL, REDIS_CLUSTER: "10.0.0.1,10.0.0.2:7000" })).toMatchObject({
      servers: { cluster: [{ port: 6379 }, { host: "10.0.0.2", port: 7000 }] },
    });
  });

  test("takes its prefix, replicas and time limit from the settings", () => {
    const own = { REDIS_PREFIX: "one:", REDIS_WAIT_REPLICAS: "2", KV_TIMEOUT_MS: "300" };
    expect(storeOf({ REDIS_URL: "redis://h", ...own })).toMatchObject({
      prefix: "one:",
      waitReplicas: 2,
      timeoutMs: 300,
    });
  });

  test.each([
    [{ REDIS_URL: "https://:secret@10.0.0.1" }, "REDIS_URL"],
    [{ REDIS_URL: "redis://:secret@10.0.0.1/zero" }, "REDIS_URL"],
    [{ REDIS_URL: "unix://secret" }, "REDIS_URL"],
    [{ REDIS_URL: "unix:///run/%secret" }, "REDIS_URL"],
    [{ REDIS_URL: "redis://h", REDIS_SENTINELS: "10.0.0.1,:secret@" }, "REDIS_SENTINELS"],
    [{ REDIS_URL: "redis://h", REDIS_CLUSTER: "http://:secret@10.0.0.1" }, "REDIS_CLUSTER"],
    [{ REDIS_URL: "redis://h", REDIS_CLUSTER: "a", REDIS_SENTINELS: "b" }, "REDIS_CLUSTER"],
    [{ REDIS_URL: "redis://h/1", REDIS_CLUSTER: "a" }, "REDIS_URL"],
    [{ REDIS_URL: "unix:///run/redis.sock", REDIS_SENTINELS: "b" }, "REDIS_URL"],
    [{ REDIS_URL: "redis://h", REDIS_PREFIX: "{tag}" }, "REDIS_PREFIX"],
    [
      { REDIS_URL: "redis://:secret@h", KV_REST_API_URL: "https://kv.example.com", KV_REST_API_TOKEN: "t" },
      "REDIS_URL",
    ],
    [{ REDIS_SENTINELS: "10.0.0.1" }, "REDIS_URL"],
    [{ REDIS_CLUSTER: "10.0.0.1" }, "REDIS_URL"],
    [{ REDIS_WAIT_REPLICAS: "1" }, "REDIS_URL"],
  ])("is refused without its secrets: %j", (source, name) => {
    const sentence = refused(source as Record<string, string>);
    expect(sentence).toContain(`${name}: `);
    expect(sentence).not.toContain("secret");
  });
});

describe("limits on upstream calls", () => {
  const of = (source: Record<string, string>) => Object.values(parseCeilings(parseEnv(source)));
  test.each([
    ["a sandbox has none unless it is told", {}, [null, null]],
    ["mainnet keeps to what Jupiter grants without a key", mainnet, [100, 0.5]],
    ["or with a free one", { ...mainnet, JUPITER_API_KEY: "key" }, [100, 1]],
    ["settings win", { ...mainnet, RPC_CALLS_PER_SECOND: "10", JUPITER_CALLS_PER_SECOND: "0.25" }, [10, 0.25]],
  ])("%s", (_what, source, expected) => {
    expect(of(source)).toEqual(expected);
  });

  test.each(["4", "many", "-1"])("refuses %s calls per second", (text) => {
    expect(refused({ RPC_CALLS_PER_SECOND: text })).toContain("RPC_CALLS_PER_SECOND");
  });
});
