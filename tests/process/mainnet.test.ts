import { afterAll, beforeAll, expect, test } from "vitest";
import { NotAsShown } from "../../lib/domain/not-as-shown";
import { verifySwaps } from "../../lib/sdk/verify/swap";
import { type App, makeFolder, removeFolder } from "../support/app";
import { data, get, newAddress, newWallet, post } from "../support/client";
import { startOwnApp } from "../support/own-app";
import { BOUGHT, INPUT, MINIMUM, SLIPPAGE_BPS, TAKER } from "../support/recorded-swap";
import { type StagedMainnet, SWAP, SWAPPER, stageMainnet } from "../support/staged-mainnet";
import { testWallet } from "../support/test-wallets";

/** A start on mainnet-beta, as `npm start` does it, whose upstreams answer what mainnet's were recorded to answer. */

const ORIGIN = "https://roundup.example";
let upstreams: StagedMainnet;
let dataDir: string;
let app: App;
beforeAll(async () => {
  upstreams = await stageMainnet(ORIGIN);
  dataDir = await makeFolder();
  app = await startOwnApp("mainnet", dataDir, { ...upstreams.env, RPC_CALLS_PER_SECOND: "10" });
});
afterAll(async () => {
  await app.stop();
  await upstreams.close();
  await removeFolder(dataDir);
});

test("its texts name the origin that the store has pinned, its answers the network, and it is ready", async () => {
  const [auth, derivation] = [await data(get("/api/auth")), await data(get("/api/wallet/derive"))];
  for (const { message } of [auth, derivation]) expect(message).toContain(`(${ORIGIN})`);
  const ready = { ready: true, network: "mainnet-beta", degraded: [] };
  await expect.poll(async () => (await get("/api/health")).body?.data, { timeout: 60_000 }).toMatchObject(ready);
});

const asked = { serviceWalletPubkey: TAKER, targetAsset: "USDC", slippageBps: SLIPPAGE_BPS } as const;

test("the build of a recorded swap verifies in the client, with the figures it was recorded with", async () => {
  const { headers } = await newWallet();
  const build = await data(post("/api/swap/build", asked, { headers }));
  expect(build).toMatchObject({ ready: true, reason: null, swappableLamports: Number(INPUT) });
  const terms = { wallet: TAKER, legs: [{ asset: "USDC", pct: 100 }], slippageBps: SLIPPAGE_BPS } as const;
  const [swap, ...more] = verifySwaps(build, { network: "mainnet-beta", ...terms });
  expect(more).toEqual([]);
  expect(swap).toMatchObject({ asset: "USDC", inputAmount: INPUT, minimumOutput: MINIMUM });
  // It is mainnet's rules that it is held to.
  expect(() => verifySwaps(build, { network: "sandbox", ...terms })).toThrow(NotAsShown);
});

test("a recorded swap of SOL for USDC is read as that, with its amounts, its network fee and its time", async () => {
  const { items, nextBefore } = await data(get(`/api/activity/${SWAPPER}`));
  expect(nextBefore).toBeNull();
  const { fee, preBalances, postBalances } = SWAP.meta;
  expect(items).toEqual([
    expect.objectContaining({
      txSignature: SWAP.transaction.signatures[0],
      type: "swap",
      status: "confirmed",
      slot: SWAP.slot,
      time: new Date(SWAP.blockTime * 1000).toISOString(),
      networkFeeLamports: fee,
      tokenAccountDepositLamports: 0,
      usdValue: null,
      amounts: [
        expect.objectContaining({ asset: "SOL", amount: String(postBalances[0]! - preBalances[0]! + fee) }),
        expect.objectContaining({ asset: "USDC", mint: BOUGHT, amount: "5227523", change: 5.227523 }),
      ],
    }),
  ]);
});

test("while one client asks for more than the node may be asked, others build and read", async () => {
  const [reader, user, service] = [newAddress(), await newWallet(), await newWallet()];
  const wallets = Array.from({ length: 50 }, (_, n) => testWallet(`read ${n}`).address);
  const flood = Promise.all(wallets.map((wallet) => get(`/api/accumulator/${wallet}`, { address: reader })));
  const body = { txValueUsd: 27.63, userPubkey: user.address, serviceWalletPubkey: service.address };
  expect((await post("/api/wrap", body, { headers: user.headers })).status).toBe(200);
  expect((await get(`/api/accumulator/${user.address}`)).status).toBe(200);
  expect((await get(`/api/accumulator/${service.address}`, { headers: user.headers })).status).toBe(200);
  const answers = await flood;
  const refused = answers.filter(({ status }) => status !== 200);
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refused) {
    expect([status, body?.code]).toEqual([503, "upstream_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
});
