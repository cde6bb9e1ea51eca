import { setTimeout } from "node:timers/promises";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { signWithKey } from "../../lib/sdk/sign/transactions";
import { toBase64 } from "../../lib/solana/bytes";
import { buildSystemTransfer } from "../../lib/solana/system-instructions";
import { composeTransaction } from "../../lib/solana/transactions";
import * as service from "../e2e/support/service";
import { findSandboxUrl, sandboxRpc, startServerApp } from "../support/app/app";
import { startRedis } from "../support/store/redis-server";
import { CACHE_EXPIRY_MS, type Cost, type Meter, startMeter } from "./meter";
import type { Check } from "./report";

/** Number of strangers' transactions that name the user's wallets. */
const MENTION_COUNT = 46;
const PAYMENT_COUNT = 3;
/** After this time, ms, a process trusts balances that have not changed since it first read them. */
const BALANCES_STABLE_MS = 11_000;
/** After this time, ms, the service considers a transaction final. */
const FINAL_MS = 125_000;

/**
 * Counts the node calls and store commands of the requests that cost most, on Redis, and compares them with their
 * targets. The user has saved once, and strangers have mentioned both wallets since. `Cold` is the first request of a
 * process, for a wallet that another process has read; `warm` a later one.
 * @returns no checks, after logging the reason, when this machine has no redis-server
 */
export async function checkCalls(folder: string): Promise<Check[]> {
  const redis = await startRedis();
  if (!redis) {
    console.error("calls: not measured without redis-server");
    return [];
  }
  const sandboxApp = await startServerApp({ dataDir: `${folder}/calls-sandbox` });
  const rpc = await findSandboxUrl(sandboxApp);
  const meter = await startMeter(rpc, redis.port);
  const { feeCollectors } = await sandboxRpc<{ feeCollectors: string[] }>(rpc, "sandbox_info");
  const env = {
    SANDBOX_URL: meter.url,
    FEE_COLLECTORS: feeCollectors.join(","),
    REDIS_URL: `redis://127.0.0.1:${redis.port}`,
  };
  try {
    const runWithNewProcess = async <T>(name: string, work: (url: string) => Promise<T>): Promise<T> => {
      const app = await startServerApp({ dataDir: `${folder}/calls-${name}`, env });
      try {
        return await work(app.url);
      } finally {
        await app.stop();
      }
    };
    const { user, execute } = await runWithNewProcess("first", (url) => prepareUser(url, rpc, meter));
    const measureTwice = (name: string, path: string) =>
      runWithNewProcess<[Cost, Cost]>(name, async (url) => [
        await meter.measure(() => readPath(url, user, path)),
        await meter.measure(() => readPath(url, user, path)),
      ]);
    const [overviewCold, overviewWarm] = await runWithNewProcess<[Cost, Cost]>("overview", async (url) => {
      const cold = await meter.measure(() => readPath(url, user, buildOverviewPath(user)));
      await setTimeout(BALANCES_STABLE_MS);
      await readPath(url, user, buildOverviewPath(user));
      return [cold, await meter.measure(() => readPath(url, user, buildOverviewPath(user)))];
    });
    const [spendingCold, spendingWarm] = await measureTwice("spending", buildSpendingPath(user));
    const [, watch] = await measureTwice("watch", `${buildSpendingPath(user)}&limit=1`);
    const [portfolioCold, portfolioWarm] = await measureTwice("portfolio", buildPortfolioPath(user));
    return [
      createCheck("Signed overview, cold process", overviewCold, { rpc: 7, store: 6 }),
      createCheck("Signed overview, warm", overviewWarm, { rpc: 2, store: 6 }),
      createCheck("Spending with nothing new, cold process", spendingCold, { rpc: 3, store: 4 }),
      createCheck("Spending with nothing new, warm", spendingWarm, { rpc: 2, store: 4 }),
      createCheck("`watch`: a poll with nothing new", watch, { rpc: 2, store: 2 }),
      {
        name: "`watch`: signatures that its poll lists",
        target: "≤ 10",
        measured: `${watch.maxSignatureCount}`,
        isMet: watch.maxSignatureCount <= 10,
      },
      createCheck("Portfolio of a known wallet, cold process", portfolioCold, { rpc: 1, store: 3 }),
      createCheck("Portfolio of a known wallet, warm", portfolioWarm, { rpc: 1, store: 3 }),
      createCheck("Execute with a wallet's first mark", execute, { rpc: 4, store: 10 }),
    ];
  } finally {
    await meter.stop();
    await sandboxApp.stop();
    await redis.stop();
  }
}

const buildOverviewPath = ({ wallet, serviceWallet }: service.Saver) =>
  `/api/overview/${wallet}?serviceWallet=${serviceWallet.address}`;
const buildSpendingPath = ({ wallet, serviceWallet }: service.Saver) =>
  `/api/spending/${wallet}?serviceWallet=${serviceWallet.address}`;
const buildPortfolioPath = ({ serviceWallet }: service.Saver) => `/api/portfolio/${serviceWallet.address}`;

const readPath = (base: string, { credentials: headers }: service.Saver, path: string) =>
  service.callApi(path, { headers, base });

/** Creates a user with money, and with a service wallet that has invested once. */
async function createUser(base: string): Promise<service.Saver> {
  const user = service.createSaver();
  await service.registerServiceWallet(user, base);
  await service.fund(user.wallet, 5, base);
  await service.fund(user.serviceWallet.address, 1, base);
  await service.investSavings(user, "BTC", base);
  return user;
}

/**
 * Creates a user who has paid, saved the change and been named in strangers' transactions. Then reads the user's wallets
 * once.
 * @returns the user, and the cost of executing the saving
 */
async function prepareUser(base: string, rpc: string, meter: Meter): Promise<{ user: service.Saver; execute: Cost }> {
  const user = await createUser(base);
  const { keys, wallet, serviceWallet, credentials: headers } = user;
  const shop = bs58.encode(nacl.sign.keyPair().publicKey);
  for (let i = 1; i <= PAYMENT_COUNT; i++)
    await sendDirectly(rpc, keys, [buildSystemTransfer(wallet, shop, BigInt(30_500_000 * i))]);
  await setTimeout(CACHE_EXPIRY_MS);
  const { batches } = await readPath(base, user, buildSpendingPath(user));
  if (batches.length !== 1) throw new Error(`the spending has ${batches.length} batches, not 1`);
  const batch = { ...batches[0], userPubkey: wallet, serviceWalletPubkey: serviceWallet.address };
  const { unsigned } = await service.callApi("/api/wrap/batch", { body: batch, headers, base });
  const body = { signedTransaction: signWithKey(unsigned.base64, keys) };
  const execute = await meter.measure(async () => {
    const { confirmed } = await service.callApi("/api/swap/execute", { body, headers, base });
    if (!confirmed) throw new Error("the saving is not confirmed");
  });
  const stranger = nacl.sign.keyPair();
  const address = bs58.encode(stranger.publicKey);
  await service.fund(address, 1, base);
  for (let i = 1; i <= MENTION_COUNT; i++) {
    const buildMention = (mentioned: string) => buildSystemTransfer(address, address, BigInt(i), mentioned);
    await sendDirectly(rpc, stranger, [buildMention(wallet), buildMention(serviceWallet.address)]);
  }
  await setTimeout(FINAL_MS);
  for (const path of [buildSpendingPath(user), buildOverviewPath(user), buildPortfolioPath(user)])
    await readPath(base, user, path);
  return { user, execute };
}

/** Sends a transaction directly to the sandbox's node. */
async function sendDirectly(
  rpc: string,
  payer: nacl.SignKeyPair,
  instructions: ReturnType<typeof buildSystemTransfer>[],
) {
  const { value } = await sandboxRpc<{ value: { blockhash: string } }>(rpc, "getLatestBlockhash");
  const parts = { payer: bs58.encode(payer.publicKey), instructions, blockhash: value.blockhash };
  const signedTransaction = signWithKey(toBase64(composeTransaction(parts).bytes), payer);
  await sandboxRpc(rpc, "sendTransaction", [signedTransaction, { encoding: "base64" }]);
}

function createCheck(
  name: string,
  { rpcCallCount, storeCommandCount, trace }: Cost,
  limit: { rpc: number; store: number },
): Check {
  const isMet = rpcCallCount <= limit.rpc && storeCommandCount <= limit.store;
  if (!isMet) console.error(`${name}:\n  ${trace.join("\n  ")}`);
  return {
    name,
    target: `≤ ${limit.rpc} RPC, ≤ ${limit.store} store`,
    measured: `${rpcCallCount} RPC, ${storeCommandCount} store`,
    isMet,
  };
}
