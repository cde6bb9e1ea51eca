import { afterAll, expect, test } from "vitest";
import { NotAsShown } from "../../lib/domain/not-as-shown";
import { verifySwaps } from "../../lib/sdk/verify/swap";
import { startTemporaryAppForFile } from "../support/app/app-for-file";
import { createCallerAddress, createWallet, get, post, readData } from "../support/client/client";
import { parseCall } from "../support/fakes/staged-rpc";
import { leaveUnanswered, startStagedServer } from "../support/fakes/staged-server";
import {
  BOUGHT_MINT,
  FAIR_PRICES,
  INPUT_LAMPORTS,
  MINIMUM_OUTPUT_UNITS,
  SLIPPAGE_BPS,
  TAKER,
} from "../support/fixtures/recorded-swap";
import { toTestWallet } from "../support/fixtures/test-wallets";
import { SWAP_ANSWER, SWAP_WALLET, stageMainnet } from "../support/worlds/staged-mainnet";

/* Starts the service on mainnet-beta, as `npm start` does, with upstreams that replay recorded mainnet answers. */

const ORIGIN = "https://roundup.example";
const upstreams = await stageMainnet(ORIGIN);
/** The node that the service calls first. Two nodes serve the same chain. */
const firstNode = await startStagedServer(upstreams.node.stage);
afterAll(() => Promise.all([upstreams.close(), firstNode.close()]));
const answerAtOnce = upstreams.market.stage;
/** Number of requests that the market has answered. During the start, each answer takes a second. */
let answeredCount = 0;
upstreams.market.stage = (...query) => {
  const answer = () => {
    answeredCount++;
    answerAtOnce(...query);
  };
  setTimeout(answer, 1_000);
};
const { SOLANA_RPC_URL, ...env } = upstreams.env;
const nodeSettings = { SOLANA_RPC_URLS: `${firstNode.url},${SOLANA_RPC_URL}`, RPC_CALLS_PER_SECOND: "10" };
const app = await startTemporaryAppForFile("mainnet", { ...env, ...nodeSettings });
const answeredBeforeItListened = answeredCount;
upstreams.market.stage = answerAtOnce;

test("the server listens only after it has read its first prices", () => {
  expect(answeredBeforeItListened).toBe(1);
});

test("the texts to sign contain the pinned origin", async () => {
  const [auth, derivation] = [await readData(get("/api/auth")), await readData(get("/api/wallet/derive"))];
  for (const { message } of [auth, derivation]) expect(message).toContain(`(${ORIGIN})`);
});

test("the server becomes ready on mainnet with no degraded part", async () => {
  const readyHealth = { ready: true, network: "mainnet-beta", degraded: [] };
  await expect.poll(async () => (await get("/api/health")).body?.data, { timeout: 60_000 }).toMatchObject(readyHealth);
});

test("the server warns at startup about the lower rate limit without a Jupiter API key", async () => {
  const warningPattern = /"level":40.*JUPITER_API_KEY is not set: .*30 calls a minute/;
  await app.waitForLine((line) => warningPattern.exec(line));
});

const swapRequest = { serviceWalletPubkey: TAKER, targetAsset: "USDC", slippageBps: SLIPPAGE_BPS } as const;

test("the client verifies a build of the recorded swap", async () => {
  const { headers } = await createWallet();
  const build = await readData(post("/api/swap/build", swapRequest, { headers }));
  expect(build).toMatchObject({ ready: true, reason: null, swappableLamports: Number(INPUT_LAMPORTS) });
  const allocations = [{ asset: "USDC", pct: 100 }] as const;
  const terms = { wallet: TAKER, allocations, slippageBps: SLIPPAGE_BPS, prices: FAIR_PRICES };
  const [swap, ...extraSwaps] = verifySwaps(build, { network: "mainnet-beta", ...terms });
  expect(extraSwaps).toEqual([]);
  expect(swap).toMatchObject({ asset: "USDC", inputAmount: INPUT_LAMPORTS, minimumOutput: MINIMUM_OUTPUT_UNITS });
  // The client applied mainnet's rules: the same build fails under the sandbox's rules.
  expect(() => verifySwaps(build, { network: "sandbox", ...terms })).toThrow(NotAsShown);
});

test("the activity lists a recorded swap with its amounts, network fee and time", async () => {
  const { items, nextBefore } = await readData(get(`/api/activity/${SWAP_WALLET}`));
  expect(nextBefore).toBeNull();
  const { fee, preBalances, postBalances } = SWAP_ANSWER.meta;
  expect(items).toEqual([
    expect.objectContaining({
      txSignature: SWAP_ANSWER.transaction.signatures[0],
      type: "swap",
      status: "confirmed",
      slot: SWAP_ANSWER.slot,
      time: new Date(SWAP_ANSWER.blockTime * 1000).toISOString(),
      networkFeeLamports: fee,
      tokenAccountDepositLamports: 0,
      usdValue: null,
      amounts: [
        expect.objectContaining({ asset: "SOL", amount: String(postBalances[0]! - preBalances[0]! + fee) }),
        expect.objectContaining({ asset: "USDC", mint: BOUGHT_MINT, amount: "5227523", change: 5.227523 }),
      ],
    }),
  ]);
});

test("the server keeps answering other clients while one client exceeds the node's limit", async () => {
  const [reader, user, serviceWallet] = [createCallerAddress(), await createWallet(), await createWallet()];
  const wallets = Array.from({ length: 50 }, (_, i) => toTestWallet(`read ${i}`).address);
  // Each history takes a call. Balances that are read at the same moment share one.
  const floodAnswers = Promise.all(wallets.map((wallet) => get(`/api/activity/${wallet}`, { address: reader })));
  const body = { txValueUsd: 27.63, userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  expect((await post("/api/wrap", body, { headers: user.headers })).status).toBe(200);
  expect((await get(`/api/accumulator/${user.address}`)).status).toBe(200);
  expect((await get(`/api/accumulator/${serviceWallet.address}`, { headers: user.headers })).status).toBe(200);
  const answers = await floodAnswers;
  const refusals = answers.filter(({ status }) => status !== 200);
  expect(refusals.length).toBeGreaterThan(0);
  for (const { status, body, headers } of refusals) {
    expect([status, body?.code]).toEqual([503, "upstream_unavailable"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
  }
});

test("the server keeps reading and building while its first node hangs", async () => {
  const [user, serviceWallet] = [await createWallet(), await createWallet()];
  const body = { txValueUsd: 27.63, userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  const makeCalls = async (name: string) => {
    const reads = ["a", "b", "c"].map((label) => `/api/accumulator/${toTestWallet(`${name} ${label}`).address}`);
    const calls = [post("/api/wrap", body, { headers: user.headers }), ...reads.map((path) => get(path))];
    expect((await Promise.all(calls)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  };
  firstNode.stage = leaveUnanswered;
  await makeCalls("hung");
  await app.waitForLine((line) => line.includes("rpc 1 is failing"));
  const requestCount = firstNode.requests.length;
  await makeCalls("ejected");
  // The service calls the ejected node only for health checks.
  const laterMethods = firstNode.requests.slice(requestCount).map((request) => parseCall(request).method);
  expect(laterMethods.filter((method) => method !== "getSlot")).toEqual([]);
});
