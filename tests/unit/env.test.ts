import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv as parseDotenv } from "node:util";
import { parseCIDR } from "ipaddr.js";
import { describe, expect, test } from "vitest";
import { toSharedStore } from "../../lib/domain/shared-store-settings";
import {
  ENV_NAMES,
  EnvError,
  expandPaths,
  findDeployment,
  listReadUrls,
  parseEnv,
  parseOperatorEnv,
  readSecretFiles,
} from "../../lib/env";
import { toTestWallet } from "../support/fixtures/test-wallets";
import { createFolderForFile } from "../support/store/temp-folder";

const exampleVariables = parseDotenv(readFileSync(new URL("../../.env.example", import.meta.url), "utf8"));

const collectors = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => toTestWallet(`collector ${number}`).address);
const STATIC_KEY = "static-key-0123456789abcdef01234";

const mainnetVariables = {
  NETWORK: "mainnet-beta",
  SOLANA_RPC_URL: "https://rpc.example.com/?api-key=secret",
  FEE_COLLECTORS: collectors.join(","),
  WALLET_ORIGIN: "https://roundup.example",
};
const vercelVariables = {
  ...mainnetVariables,
  VERCEL: "1",
  CLIENT_IP: "vercel",
  KV_REST_API_URL: "https://kv.example.com",
  KV_REST_API_TOKEN: "token",
  CRON_SECRET: "cron-secret-0123",
};

const vercelConfig = JSON.parse(readFileSync(new URL("../../vercel.json", import.meta.url), "utf8"));

/** Returns the message with which a configuration is refused. */
function parseRefusal(settings: Record<string, string | undefined>): string {
  try {
    parseEnv(settings);
  } catch (error) {
    expect(error).toBeInstanceOf(EnvError);
    return (error as EnvError).message;
  }
  return expect.unreachable("was accepted");
}

describe(".env.example", () => {
  test("lists exactly the names that the service and the operator's command read", () => {
    expect(Object.keys(exampleVariables).sort()).toEqual([...ENV_NAMES, "OPERATOR_FILE"].sort());
  });

  test("lists the same names as docs/configuration.md", () => {
    const table = readFileSync(new URL("../../docs/configuration.md", import.meta.url), "utf8");
    const documentedNames = [...table.matchAll(/^\| (`[A-Z_]+`(?:, `[A-Z_]+`)*) \|/gm)].flatMap(([, names]) =>
      names!.match(/\w+/g),
    );
    expect(documentedNames.sort()).toEqual(Object.keys(exampleVariables).sort());
  });

  test("contains the default values", () => {
    const { OPERATOR_FILE, ...webVariables } = exampleVariables;
    expect(parseEnv(webVariables)).toEqual(parseEnv({}));
    expect(parseOperatorEnv({ OPERATOR_FILE })).toEqual(parseOperatorEnv({}));
  });
});

describe("the default settings", () => {
  test("name the network in the folder and in the prefix, so that no network opens another network's store", () => {
    const readStore = (settings: object) => {
      const { DATA_DIR, REDIS_PREFIX } = parseEnv({ ...settings });
      return [DATA_DIR, REDIS_PREFIX];
    };
    expect(readStore({})).toEqual([".data/sandbox", "roundup:sandbox:"]);
    for (const NETWORK of ["mainnet", "mainnet-beta"])
      expect(readStore({ ...mainnetVariables, NETWORK })).toEqual([".data/mainnet-beta", "roundup:mainnet-beta:"]);
    const settings = { DATA_DIR: "/data", REDIS_PREFIX: "one:" };
    expect(readStore({ ...mainnetVariables, ...settings })).toEqual(["/data", "one:"]);
  });

  test("replace the empty value of every variable", () => {
    expect(parseEnv(Object.fromEntries([...ENV_NAMES, "VERCEL"].map((name) => [name, ""])))).toEqual(parseEnv({}));
  });
});

describe("the settings of the nodes", () => {
  const urls = ["https://a.example/?key=secret", "https://b.example"];

  test("name several nodes in order or a single one, and the list replaces the single one", () => {
    expect(listReadUrls(parseEnv({ SOLANA_RPC_URLS: urls.join(" , ") }))).toEqual(urls);
    expect(listReadUrls(parseEnv({ SOLANA_RPC_URL: urls[0] }))).toEqual([urls[0]]);
    expect(listReadUrls(parseEnv({ ...mainnetVariables, SOLANA_RPC_URLS: urls[1] }))).toEqual([urls[1]]);
    expect(parseOperatorEnv({ SOLANA_RPC_URLS: urls.join(",") }).rpcUrl).toBe(urls[0]);
  });

  test("are refused by the position of an invalid node, never by its URL", () => {
    const refusal = parseRefusal({ SOLANA_RPC_URLS: `${urls[1]},secret.example/?key=secret` });
    expect(refusal).toContain("SOLANA_RPC_URLS: address 2");
    expect(refusal).not.toContain("secret");
  });
});

describe("the parser of single settings", () => {
  const otherBounds = parseEnv({}).PRICE_BOUNDS;
  test.each<[keyof ReturnType<typeof parseEnv>, string, unknown]>([
    ["CLIENT_IP", "vercel", { kind: "vercel" }],
    ["CLIENT_IP", "proxy:1", { kind: "proxy", hops: 1 }],
    [
      "CLIENT_IP",
      "proxy:2@10.0.0.0/8+::1",
      { kind: "proxy", hops: 2, peers: ["10.0.0.0/8", "::1/128"].map(parseCIDR) },
    ],
    ["PAUSE", "invest, save", ["save", "invest"]],
    ["PRICE_BOUNDS", "SOL:1.5-9000", { ...otherBounds, SOL: { min: 1.5, max: 9_000 } }],
    ["SENDS_PER_SECOND", "0.5", 0.5],
    ["JUPITER_CALLS_PER_SECOND", "0.25", 0.25],
    ["API_KEYS", STATIC_KEY, [{ name: null, key: STATIC_KEY }]],
  ])("parses %s=%s", (name, text, value) => {
    expect(parseEnv({ [name]: text })[name]).toEqual(value);
  });

  test.each([
    ["NETWORK", "devnet"],
    ["PORT", "65536"],
    ["CLIENT_IP", "proxy"],
    ["CLIENT_IP", "proxy:0"],
    ["CLIENT_IP", "proxy:10"],
    ["CLIENT_IP", "proxy:1@"],
    ["CLIENT_IP", "proxy:1@10.0.0.0/8,fd00::/8"],
    ["CLIENT_IP", "proxy:1@10.0.0.0/33"],
    ["CLIENT_IP", "vercel@10.0.0.0/8"],
    ["WALLET_ORIGIN", "roundup.example"],
    ["SOLANA_RPC_URL", "ftp://example.com"],
    ["SOLANA_SEND_URLS", "ftp://rpc.example.com"],
    ["SENDS_PER_SECOND", "0"],
    ["JUPITER_URL", "not a url"],
    ["KV_REST_API_URL", "redis://localhost"],
    ["SANDBOX_FEES", "free"],
    ["SANDBOX_SLOT_MS", "49"],
    ["API_KEYS", `${STATIC_KEY},${STATIC_KEY.slice(1)}`],
    ["API_KEYS", `shop:${STATIC_KEY.slice(1)}`],
    ["API_KEYS", `my shop:${STATIC_KEY}`],
    ["PAUSE", "withdraw"],
    ["PAUSE_REASON", "two\nlines"],
    ["PAUSE_REASON", "x".repeat(201)],
    ["PRICE_BOUNDS", "SOL:10"],
    ["PRICE_BOUNDS", "SOL:20-10"],
    ["PRICE_BOUNDS", "SOL:1-1e99"],
    ["PRICE_BOUNDS", "DOGE:1-2"],
  ])("refuses %s=%s and names the setting", (name, value) => {
    expect(parseRefusal({ [name]: value })).toContain(`${name}: `);
  });

  test("reports all errors at once, and repeats no value", () => {
    const secret = "do-not-print-me";
    const wrongVariables = {
      NETWORK: secret,
      PORT: secret,
      LOG_LEVEL: secret,
      CLIENT_IP: secret,
      SOLANA_RPC_URL: secret,
      KV_REST_API_URL: secret,
      SANDBOX_PRICES: secret,
    };
    const message = parseRefusal(wrongVariables);
    for (const name of Object.keys(wrongVariables)) expect(message).toContain(`${name}: `);
    expect(message).not.toContain(secret);
    const crossRefusal = parseRefusal({ API_KEYS: secret, FEE_COLLECTORS: secret, NETWORK: "mainnet" });
    expect(crossRefusal).toMatch(/API_KEYS: .*FEE_COLLECTORS: .*SOLANA_RPC_URL: /);
    expect(crossRefusal).not.toContain(secret);
  });
});

test.each([
  ["~/data", "/home/ada/data"],
  ["~", "/home/ada"],
  ["~ada/data", "~ada/data"],
  ["a/~/b", "a/~/b"],
])("paths in settings may begin with a tilde for the home folder: %s", (path, expectedPath) => {
  const names = ["DATA_DIR", "OPERATOR_FILE", "API_KEYS_FILE", "REDIS_URL_FILE"];
  const settings = Object.fromEntries(names.map((name) => [name, path]));
  const expanded = Object.fromEntries(names.map((name) => [name, expectedPath]));
  expect(expandPaths({ ...settings, PAUSE_REASON: "~/", UNSET: undefined }, "/home/ada")).toEqual({
    ...expanded,
    PAUSE_REASON: "~/",
  });
});

describe("secrets in files", () => {
  const folder = createFolderForFile();
  const writeSecret = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };

  test("are read in place of the variable, for the service and the operator's command", () => {
    const settings = readSecretFiles({
      JUPITER_API_KEY_FILE: writeSecret("jupiter", "jupiter-key\n"),
      API_KEYS_FILE: writeSecret("keys", `# shop\nshop:${STATIC_KEY}\n${STATIC_KEY}2\n`),
      SOLANA_RPC_URL_FILE: writeSecret("node", "https://rpc.example/?key=k\n"),
    });
    const { JUPITER_API_KEY, API_KEYS, SOLANA_RPC_URL } = parseEnv(settings);
    expect([JUPITER_API_KEY, SOLANA_RPC_URL]).toEqual(["jupiter-key", "https://rpc.example/?key=k"]);
    expect(API_KEYS.map(({ name }) => name)).toEqual(["shop", null]);
    expect(parseOperatorEnv(settings).rpcUrl).toBe("https://rpc.example/?key=k");
  });

  test.each([
    [{ HERMES_API_KEY_FILE: "/nowhere/key" }, "HERMES_API_KEY_FILE: the file cannot be read (ENOENT)."],
    [{ HERMES_API_KEY_FILE: writeSecret("empty", " \n") }, "HERMES_API_KEY_FILE: the file is empty."],
    [
      { HERMES_API_KEY_FILE: "a", HERMES_API_KEY: "b" },
      "HERMES_API_KEY_FILE: set either it or HERMES_API_KEY, not both.",
    ],
  ])("are refused with the variable's name: %j", (settings, sentence) => {
    expect(() => readSecretFiles(settings)).toThrow(new EnvError(sentence));
  });
});

test.each([
  ["seven", collectors.slice(1), "must be 8"],
  ["nine", [...collectors, toTestWallet("ninth collector").address], "must be 8"],
  ["the same twice", [...collectors.slice(1), collectors[1]!], "distinct"],
  ["one that is not an address", [...collectors.slice(1), "nonsense"], "distinct wallet addresses"],
  ["one off the curve", [...collectors.slice(1), "2dn9kGAgRHTRB4J6Ppgh2PxDKPXTT4fyi3g1UGgHpvGQ"], "wallet addresses"],
  ["one of small order", [...collectors.slice(1), "1".repeat(32)], "wallet addresses"],
])("FEE_COLLECTORS: refuses %s", (_caseName, addresses, reason) => {
  expect(parseRefusal({ FEE_COLLECTORS: addresses.join(",") })).toMatch(new RegExp(`FEE_COLLECTORS: .*${reason}`));
});

describe("settings that depend on each other", () => {
  test.each(["SOLANA_RPC_URL", "FEE_COLLECTORS"])("include %s, which mainnet requires", (name) => {
    expect(parseRefusal({ ...mainnetVariables, [name]: "" })).toContain(`${name}: required on mainnet`);
  });

  test("are complete on Vercel with NETWORK and CLIENT_IP from vercel.json", () => {
    const { NETWORK: _network, CLIENT_IP: _header, ...ownVariables } = vercelVariables;
    expect(parseEnv({ ...ownVariables, ...vercelConfig.env })).toEqual(parseEnv(vercelVariables));
  });

  test("give the relay more time on Vercel than it takes", () => {
    // The relay follows a transaction for 25 s and has 5 s for everything else.
    expect(vercelConfig.functions["app/api/swap/execute/route.ts"].maxDuration).toBeGreaterThan(25 + 5);
  });

  test.each([
    ["NETWORK", "the sandbox", { NETWORK: "sandbox" }],
    ["CLIENT_IP", "the socket", { CLIENT_IP: "" }],
    ["CLIENT_IP", "a proxy", { CLIENT_IP: "proxy:1" }],
    ["KV_REST_API_URL", "the embedded store", { KV_REST_API_URL: "" }],
  ])("name %s as the fault when Vercel is configured with %s", (name, _caseName, settingChanges) => {
    expect(parseRefusal({ ...vercelVariables, ...settingChanges })).toContain(`${name}: `);
  });
});

describe("the deployment named in signed texts", () => {
  const getDeployment = (settings: Record<string, string>) => findDeployment(parseEnv(settings));
  const { WALLET_ORIGIN: _, ...variablesWithoutOrigin } = mainnetVariables;

  test("is the same in every sandbox, whatever its origin", () => {
    expect(getDeployment({})).toBe("sandbox, play money");
    expect(getDeployment({ WALLET_ORIGIN: "https://roundup.example" })).toBe("sandbox, play money");
  });

  test("is WALLET_ORIGIN on mainnet, or by default the origin of PUBLIC_URL", () => {
    const variables = { ...mainnetVariables, PUBLIC_URL: "https://www.roundup.example/start?x=1" };
    expect(getDeployment(variables)).toBe("https://roundup.example");
    expect(getDeployment({ ...variables, WALLET_ORIGIN: "" })).toBe("https://www.roundup.example");
  });

  test.each([
    ["https://Roundup.Example:443/", "https://roundup.example"],
    ["https://roundup.example:8443/app", "https://roundup.example:8443"],
    ["https://r\u00f6undup.example", "https://xn--rundup-wxa.example"],
  ])("normalises %s to one ASCII form", (configuredOrigin, origin) => {
    expect(getDeployment({ ...mainnetVariables, WALLET_ORIGIN: configuredOrigin })).toBe(origin);
  });

  test("is required on mainnet", () => {
    expect(parseRefusal(variablesWithoutOrigin)).toMatch(/WALLET_ORIGIN: required on mainnet-beta.*PUBLIC_URL/);
  });
});

test("the priority fee defaults to the median of recent prices, and never exceeds what clients accept", () => {
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

describe("the operator's configuration", () => {
  test("names the file and the node that are set, or those of the sandbox", () => {
    const defaults = {
      operatorFile: ".data/operator.json",
      rpcUrl: "http://127.0.0.1:8899",
      priorityFee: { percentile: 50, maxLamports: 100_000n },
      network: "sandbox",
      store: { path: ".data/sandbox/store" },
    };
    expect(parseOperatorEnv({})).toEqual(defaults);
    expect(parseOperatorEnv({ NETWORK: "mainnet" })).toMatchObject({
      network: "mainnet-beta",
      store: { path: ".data/mainnet-beta/store" },
    });
    const [operatorFile, rpcUrl] = ["/safe/operator.json", "https://rpc.example.com"];
    const settings = { OPERATOR_FILE: operatorFile, SOLANA_RPC_URL: rpcUrl };
    expect(parseOperatorEnv(settings)).toEqual({ ...defaults, operatorFile, rpcUrl });
  });

  test("names the service's own store: the shared one when configured, else the one in the folder", () => {
    expect(parseOperatorEnv({ DATA_DIR: "/data" }).store).toEqual({ path: "/data/store" });
    const shared = { KV_REST_API_URL: "https://kv.example.com", KV_REST_API_TOKEN: "token", DATA_DIR: "/data" };
    const restStore = { kind: "rest", url: "https://kv.example.com", token: "token", timeoutMs: 2_000 };
    expect(parseOperatorEnv(shared).store).toEqual(restStore);
    expect(parseOperatorEnv({ REDIS_URL: "redis://10.0.0.1", DATA_DIR: "/data" }).store).toMatchObject({
      kind: "redis",
      servers: { address: { host: "10.0.0.1", port: 6379 } },
    });
    expect(() => parseOperatorEnv({ ...shared, REDIS_URL: "redis://10.0.0.1" })).toThrow(EnvError);
  });
});

describe("a Redis store", () => {
  const getStore = (settings: Record<string, string>) => toSharedStore(parseEnv(settings));
  const plainServer = { host: "10.0.0.1", port: 6379, db: 0, tls: false };

  test.each([
    ["redis://10.0.0.1", plainServer],
    ["redis://:p%40ss@10.0.0.1:6380/2", { ...plainServer, port: 6380, db: 2, password: "p@ss" }],
    [
      "rediss://user:pass@redis.example.com",
      { ...plainServer, host: "redis.example.com", tls: true, username: "user", password: "pass" },
    ],
    ["redis://[::1]:7000", { ...plainServer, host: "::1", port: 7000 }],
    [
      "unix:///run/redis.sock?db=1&password=p",
      { ...plainServer, host: "", port: 0, path: "/run/redis.sock", db: 1, password: "p" },
    ],
  ])("is named by %s", (REDIS_URL, address) => {
    expect(getStore({ REDIS_URL })).toEqual({
      kind: "redis",
      servers: { address, sentinels: [], cluster: [] },
      prefix: "roundup:sandbox:",
      waitReplicas: 0,
      timeoutMs: 500,
    });
  });

  test("may be found through sentinels with a password, or be a cluster", () => {
    const REDIS_URL = "redis://:pass@primary";
    expect(getStore({ REDIS_URL, REDIS_SENTINELS: ":secret@10.0.0.1, 10.0.0.2:7000" })).toMatchObject({
      servers: {
        address: { host: "primary" },
        sentinels: [
          { host: "10.0.0.1", port: 26379, password: "secret" },
          { host: "10.0.0.2", port: 7000 },
        ],
      },
    });
    expect(getStore({ REDIS_URL, REDIS_CLUSTER: "10.0.0.1,10.0.0.2:7000" })).toMatchObject({
      servers: { cluster: [{ port: 6379 }, { host: "10.0.0.2", port: 7000 }] },
    });
  });

  test.each([
    [{ REDIS_URL: "https://:secret@10.0.0.1" }, "REDIS_URL"],
    [{ REDIS_URL: "redis://:secret@10.0.0.1/zero" }, "REDIS_URL"],
    [{ REDIS_URL: "unix://secret" }, "REDIS_URL"],
    [{ REDIS_URL: "redis://h?password=secret" }, "REDIS_URL: has a part after the ? that does not count there"],
    [{ REDIS_URL: "redis://user@h/1?db=2&secret" }, "REDIS_URL: has a part after the ?"],
    [{ REDIS_URL: "unix:///run/redis.sock?pass=secret" }, "REDIS_URL: has a part after the ?"],
    [{ REDIS_URL: "redis://:se/cret@h" }, "REDIS_URL: is not a redis:, rediss: or unix: URL (a password with special"],
    [{ REDIS_URL: "redis://h", REDIS_CLUSTER: "a?password=secret" }, "REDIS_CLUSTER"],
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
  ])("is refused without its secrets: %j", (settings, name) => {
    const sentence = parseRefusal(settings as Record<string, string>);
    expect(sentence).toContain(name.includes(": ") ? name : `${name}: `);
    expect(sentence).not.toContain("secret");
  });
});
