import { describe, expect, test } from "vitest";
import { MAINNET_GENESIS } from "../../lib/clients/solana/nodes/nodes";
import { createRefusalError } from "../../lib/clients/store/store-failure";
import { ASSETS } from "../../lib/domain/assets";
import { EnvError, parseEnv } from "../../lib/env";
import { createUpstreamError } from "../../lib/errors";
import { checkChain, checkOrigin, checkStore, checkStoreFormat, checkStoreNetwork } from "../../lib/start-checks";
import { createFakeDeps, createOutage, failCalls } from "../support/fakes/fake-deps";
import { createStagedNodes, refuseConnection, type StagedNode } from "../support/fakes/staged-nodes";
import { toTestWallet } from "../support/fixtures/test-wallets";
import { createMintAccount } from "../support/worlds/staged-mainnet";

const setMainnet = (deps = createFakeDeps()) =>
  Object.assign(deps, { network: "mainnet-beta", deployment: "https://roundup.example" } as const);

/** Creates the notices for the operator, which keep the sent texts. */
function createNotices() {
  const sentTexts: string[] = [];
  return { sentTexts, notices: { send: (text: string) => void sentTexts.push(text), listen: () => {} } };
}

describe("the network of the store", () => {
  const checkNetwork = (deps: ReturnType<typeof createFakeDeps>, settings: Record<string, string> = {}) =>
    checkStoreNetwork({ env: parseEnv(settings), deps });
  const withNetwork = (network: "sandbox" | "mainnet-beta") => Object.assign(createFakeDeps(), { network });

  test.each([
    ["sandbox", "mainnet-beta"],
    ["mainnet-beta", "sandbox"],
  ] as const)("is %s after its first start there, so that %s is refused", async (first, second) => {
    const deps = withNetwork(first);
    await checkNetwork(deps);
    await checkNetwork(deps);
    const refusal = `belongs to ${first}, and NETWORK is ${second}; name another one in DATA_DIR, or set NETWORK=${first}`;
    await expect(checkNetwork({ ...deps, network: second })).rejects.toThrow(refusal);
    await checkNetwork(deps);
  });

  test.each([
    [{ REDIS_URL: "redis://:secret@h", REDIS_PREFIX: "one:" }, "REDIS_PREFIX: the store under the prefix one:"],
    [{ KV_REST_API_URL: "https://secret", KV_REST_API_TOKEN: "secret" }, "KV_REST_API_URL: the store at that address"],
  ] as const)("is refused by the setting that names the store: %j", async (settings, sentence) => {
    const deps = withNetwork("mainnet-beta");
    await checkNetwork(deps);
    const refusal = await checkNetwork({ ...deps, network: "sandbox" }, settings).catch((error) => error);
    expect(refusal).toBeInstanceOf(EnvError);
    expect(refusal.message).toContain(`${sentence} belongs to mainnet-beta`);
    expect(refusal.message).not.toContain("secret");
  });
});

describe("the format of the store", () => {
  test("is recorded at the first start, so that later starts accept it", async () => {
    const deps = createFakeDeps();
    await checkStoreFormat(deps);
    await checkStoreFormat(deps);
    expect(await deps.kv.get("store-format")).toBe(1);
  });

  test("keeps a program from starting on a store that a newer program has written", async () => {
    const deps = createFakeDeps();
    await deps.kv.set("store-format", 2);
    await expect(checkStoreFormat(deps)).rejects.toThrow(
      /^The store has format 2, .* newer program, or restore a backup/,
    );
    expect(await deps.kv.get("store-format")).toBe(2);
  });
});

describe("the origin that service wallets depend on", () => {
  test("is recorded at mainnet's first start, so that a start with another origin is refused", async () => {
    const deps = setMainnet();
    await checkOrigin(deps);
    await checkOrigin(deps);
    await expect(checkOrigin({ ...deps, deployment: "https://other.example" })).rejects.toThrow(
      /^WALLET_ORIGIN: .*https:\/\/roundup\.example.*move everybody's savings wallet/,
    );
    await checkOrigin(deps);
  });

  test("lets only one of two processes start when they start at the same time with different origins", async () => {
    const deps = setMainnet();
    const originChecks = ["https://a.example", "https://b.example"].map((deployment) =>
      checkOrigin({ ...deps, deployment }),
    );
    const outcomes = await Promise.allSettled(originChecks);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });
});

test("nothing starts while the store does not answer", async () => {
  const deps = Object.assign(setMainnet(), { beforeCall: failCalls("kv") });
  const checks = [checkStoreNetwork({ env: parseEnv({}), deps }), checkOrigin(deps), checkStoreFormat(deps)];
  for (const check of checks)
    await expect(check).rejects.toThrow(
      expect.objectContaining({
        constructor: EnvError,
        message: expect.stringMatching(/^(WALLET_ORIGIN: t|T)he store does not answer/),
      }),
    );
});

describe("a shared store at the start", () => {
  /** Returns the notices that the operator gets. */
  const runStoreCheck = async (findEvictingPolicy: () => Promise<string | null>, probe = async () => {}) => {
    const { notices, sentTexts } = createNotices();
    const env = parseEnv({ REDIS_URL: "redis://:secret@h" });
    await checkStore({ env, deps: createFakeDeps(), notices, storeChecks: { probe, findEvictingPolicy } });
    return sentTexts;
  };

  test("is refused if it drops records when its memory is full", async () => {
    await expect(runStoreCheck(async () => "allkeys-lru")).rejects.toThrow(
      /^REDIS_URL: .*allkeys-lru.*noeviction; not started/,
    );
    expect(await runStoreCheck(async () => null)).toEqual([]);
  });

  test("may keep its policy to itself, which only sends the operator a notice", async () => {
    expect(await runStoreCheck(() => Promise.reject(createOutage()))).toEqual([expect.stringMatching(/run INFO/)]);
  });

  test.each([
    ["is down", createUpstreamError("upstream_unavailable", "store", "ECONNREFUSED"), "does not answer (ECONNREFUSED)"],
    ["refuses the password", createRefusalError("refuses the user name or the password"), "refuses the user name or"],
  ])("is refused if it %s", async (_caseName, error, sentence) => {
    const start = runStoreCheck(
      async () => null,
      () => Promise.reject(error),
    );
    await expect(start).rejects.toBeInstanceOf(EnvError);
    await expect(start).rejects.toThrow(`REDIS_URL: the store ${sentence}`);
  });
});

describe("the chain check at the start on mainnet", () => {
  const answerWith =
    (result: string): StagedNode =>
    () => ({ result });
  const answerMainnet = answerWith(MAINNET_GENESIS);

  /** Creates a runtime with two nodes to read from, `a` and `b`, and one to send to, `s`. */
  function createStart(stagedByHost: Record<"a" | "b" | "s", StagedNode>) {
    const deps = createFakeDeps();
    const collectors = Array.from({ length: 8 }, (_, i) => toTestWallet(`collector ${i}`).address).join(",");
    const env = parseEnv({
      NETWORK: "mainnet-beta",
      WALLET_ORIGIN: "https://a.example",
      FEE_COLLECTORS: collectors,
      SOLANA_RPC_URLS: "http://a/?key=secret,http://b/?key=secret",
      SOLANA_SEND_URLS: "http://s/?key=secret",
    });
    for (const { mint, decimals } of Object.values(ASSETS)) deps.chain.accounts.set(mint, createMintAccount(decimals));
    const [readUrls, sendUrls] = [env.SOLANA_RPC_URLS, env.SOLANA_SEND_URLS];
    const { nodes } = createStagedNodes(stagedByHost, { readUrls, sendUrls, genesisHash: MAINNET_GENESIS });
    return { env, deps, nodes, ...createNotices() };
  }

  test.each([
    ["SOLANA_RPC_URLS: address 2", { a: answerMainnet, b: answerWith("devnet"), s: answerMainnet }],
    ["SOLANA_SEND_URLS: address 1", { a: answerMainnet, b: answerMainnet, s: answerWith("devnet") }],
  ])("refuses to start when %s is on another network, without revealing the address", async (nodeName, staged) => {
    const refusal = await checkChain(createStart(staged)).catch((error) => error);
    expect(refusal).toBeInstanceOf(EnvError);
    expect(refusal.message).toBe(`${nodeName} is of another network than mainnet-beta; not started.`);
  });

  test("names a node that does not answer, and reads no mints when no read node answers", async () => {
    const startWithSilentNode = createStart({ a: answerMainnet, b: refuseConnection, s: answerMainnet });
    await checkChain(startWithSilentNode);
    expect(startWithSilentNode.sentTexts).toEqual([
      expect.stringMatching(/^SOLANA_RPC_URLS: address 2 does not say its network/),
    ]);
    const startWithoutNodes = createStart({ a: refuseConnection, b: refuseConnection, s: answerMainnet });
    await checkChain(startWithoutNodes);
    expect(startWithoutNodes.deps.calls).toEqual([]);
    expect(startWithoutNodes.sentTexts).toHaveLength(2);
  });

  test("refuses a mint with unexpected decimals, but only names a mint that cannot be read", async () => {
    const start = createStart({ a: answerMainnet, b: answerMainnet, s: answerMainnet });
    start.deps.chain.accounts.delete(ASSETS.USDT.mint);
    await checkChain(start);
    expect(start.sentTexts).toEqual([expect.stringContaining("USDT")]);
    start.deps.chain.accounts.set(ASSETS.ETH.mint, createMintAccount(18));
    await expect(checkChain(start)).rejects.toThrow(/^The mint of ETH has 18 decimals/);
  });
});
