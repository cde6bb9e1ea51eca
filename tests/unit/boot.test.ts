import { describe, expect, test } from "vitest";
import { checkChain, checkDeployment, checkFormat, checkStore } from "../../lib/boot";
import { MAINNET_GENESIS } from "../../lib/clients/solana/nodes/nodes";
import { ASSETS } from "../../lib/domain/assets";
import { EnvError, parseEnv } from "../../lib/env";
import { fakeDeps, outage } from "../support/fakes/fake-deps";
import { refuse, type StagedNode, stagedNodes } from "../support/fakes/staged-nodes";
import { testWallet } from "../support/fixtures/test-wallets";
import { mintAccount } from "../support/worlds/staged-mainnet";

const onMainnet = (deps = fakeDeps()) =>
  Object.assign(deps, { network: "mainnet-beta", deployment: "https://roundup.example" } as const);

describe("the format of the store", () => {
  test("is recorded at the first start, and a program that knows it starts again", async () => {
    const deps = fakeDeps();
    await checkFormat(deps);
    await checkFormat(deps);
    expect(await deps.kv.get("store-format")).toBe(1);
  });

  test("refuses a store that a newer program has written, and leaves its format", async () => {
    const deps = fakeDeps();
    await deps.kv.set("store-format", 2);
    await expect(checkFormat(deps)).rejects.toThrow(/^The store has format 2, .* newer program, or restore a backup/);
    expect(await deps.kv.get("store-format")).toBe(2);
  });

  test("must be readable before mainnet starts; a sandbox may start before its store", async () => {
    const silent = Object.assign(fakeDeps(), {
      before() {
        throw outage();
      },
    });
    await checkFormat(silent);
    await expect(checkFormat(onMainnet(silent))).rejects.toBeInstanceOf(EnvError);
  });
});

describe("the origin that service wallets depend on", () => {
  test("is recorded at mainnet's first start, and later starts must match it", async () => {
    const deps = onMainnet();
    await checkDeployment(deps);
    await checkDeployment(deps);
    await expect(checkDeployment({ ...deps, deployment: "https://other.example" })).rejects.toThrow(
      /^WALLET_ORIGIN: .*https:\/\/roundup\.example.*move everybody's service wallet/,
    );
    await checkDeployment(deps);
  });

  test("lets only one of two processes start when they start at once with two origins", async () => {
    const deps = onMainnet();
    const starts = ["https://a.example", "https://b.example"].map((deployment) =>
      checkDeployment({ ...deps, deployment }),
    );
    const outcomes = await Promise.allSettled(starts);
    expect(outcomes.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  test("refuses to start mainnet while the store cannot return the recorded origin", async () => {
    const deps = onMainnet();
    deps.before = () => {
      throw outage();
    };
    const refusal = checkDeployment(deps);
    await expect(refusal).rejects.toBeInstanceOf(EnvError);
    await expect(refusal).rejects.toThrow(/^WALLET_ORIGIN: the store does not answer/);
  });

  test("is not checked in a sandbox", async () => {
    const deps = fakeDeps();
    await checkDeployment(deps);
    expect(deps.calls).toEqual([]);
  });
});

describe("the shared store at the start", () => {
  const start = (findEvictingPolicy: () => Promise<string | null>) => {
    const given: string[] = [];
    const notices = { send: (text: string) => void given.push(text), take: () => [] };
    const runtime = { env: parseEnv({}), deps: fakeDeps(), notices, findEvictingPolicy };
    return checkStore(runtime as unknown as Parameters<typeof checkStore>[0]).then(() => given);
  };

  test("is refused if it drops records when its memory is full", async () => {
    await expect(start(async () => "allkeys-lru")).rejects.toThrow(
      /^REDIS_URL: .*allkeys-lru.*noeviction; not started/,
    );
    expect(await start(async () => null)).toEqual([]);
  });

  test("may be down at the start, and the operator gets a notice", async () => {
    expect(await start(() => Promise.reject(outage()))).toEqual([expect.stringMatching(/does not answer/)]);
  });
});

describe("the chain check at the start on mainnet", () => {
  const of =
    (result: string): StagedNode =>
    () => ({ result });
  const right = of(MAINNET_GENESIS);

  function world(staged: Record<string, StagedNode>, urls: Record<string, string>, deps = fakeDeps()) {
    const collectors = Array.from({ length: 8 }, (_, i) => testWallet(`collector ${i}`).address).join(",");
    const env = parseEnv({
      NETWORK: "mainnet-beta",
      WALLET_ORIGIN: "https://a.example",
      FEE_COLLECTORS: collectors,
      ...urls,
    });
    for (const { mint, decimals } of Object.values(ASSETS)) deps.chain.accounts.set(mint, mintAccount(decimals));
    const [readUrls, sendUrls] = [env.SOLANA_RPC_URLS, env.SOLANA_SEND_URLS];
    const { nodes } = stagedNodes(staged, { readUrls, sendUrls, genesisHash: MAINNET_GENESIS });
    const notices: string[] = [];
    return {
      env,
      deps,
      nodes,
      notices: { send: (text: string) => notices.push(text), listen: () => {} },
      given: notices,
    };
  }
  const two = {
    SOLANA_RPC_URLS: "http://a/?key=secret,http://b/?key=secret",
    SOLANA_SEND_URLS: "http://s/?key=secret",
  };

  test("reports nothing when all nodes are on mainnet and the mints are as expected", async () => {
    const start = world({ a: right, b: right, s: right }, two);
    await checkChain(start);
    expect(start.given).toEqual([]);
  });

  test.each([
    ["SOLANA_RPC_URLS: address 2", { a: right, b: of("devnet"), s: right }],
    ["SOLANA_SEND_URLS: address 1", { a: right, b: right, s: of("devnet") }],
  ])("refuses to start when %s is on another network, without revealing the address", async (named, staged) => {
    const refusal = await checkChain(world(staged, two)).catch((error) => error);
    expect(refusal).toBeInstanceOf(EnvError);
    expect(refusal.message).toBe(`${named} is of another network than mainnet-beta; not started.`);
  });

  test("names a node that does not answer and starts anyway, and checks nothing more without any node", async () => {
    const one = world({ a: right, b: refuse, s: right }, two);
    await checkChain(one);
    expect(one.given).toEqual([expect.stringMatching(/^SOLANA_RPC_URLS: address 2 does not say its network/)]);
    const none = world({ a: refuse, b: refuse, s: right }, two);
    await checkChain(none);
    expect(none.deps.calls).toEqual([]);
    expect(none.given).toHaveLength(2);
  });

  test("refuses to start when a mint has unexpected decimals, and names a mint that cannot be read", async () => {
    const start = world({ a: right, b: right, s: right }, two);
    start.deps.chain.accounts.delete(ASSETS.USDT.mint);
    await checkChain(start);
    expect(start.given).toEqual([expect.stringContaining("USDT")]);
    start.deps.chain.accounts.set(ASSETS.ETH.mint, mintAccount(18));
    await expect(checkChain(start)).rejects.toThrow(/^The mint of ETH has 18 decimals/);
  });
});
