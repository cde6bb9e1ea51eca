import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { type App, START_ARGS, startServerApp } from "../support/app/app";
import { NO_CHAIN_SETTINGS } from "../support/app/app-for-file";
import { runNode } from "../support/app/process";
import { createWallet, get, post, readData, setTargetApp } from "../support/client/client";
import { answerJson, startStagedServer } from "../support/fakes/staged-server";
import { startRedis } from "../support/store/redis-server";
import { createFolderForFile } from "../support/store/temp-folder";
import { connectRedis } from "../support/store/upstash-bridge";
import { stageMainnet } from "../support/worlds/staged-mainnet";

/* Starts services of both networks on one store, as an operator does who tries the sandbox before mainnet. */

const upstreams = await stageMainnet("https://roundup.example");
/** A sandbox's market, which states a price that mainnet never had. */
const sandboxMarket = await startStagedServer(answerJson({ [ASSETS.SOL.mint]: { usdPrice: 19, decimals: 9 } }));
const redis = await startRedis();
const folder = createFolderForFile();
afterAll(() => Promise.all([upstreams.close(), sandboxMarket.close(), redis?.stop()]));

const NETWORK_SETTINGS = {
  sandbox: { ...NO_CHAIN_SETTINGS, SANDBOX_URL: sandboxMarket.url },
  "mainnet-beta": upstreams.env,
};
type Network = keyof typeof NETWORK_SETTINGS;

const startService = (network: Network, dataDir: string, env: Record<string, string> = {}): Promise<App> =>
  startServerApp({ dataDir: join(folder, dataDir), env: { ...NETWORK_SETTINGS[network], ...env } });

test("mainnet refuses a folder that a sandbox has used", async () => {
  const sandbox = await startService("sandbox", "folder");
  await sandbox.stop();
  const settings = { ...NETWORK_SETTINGS["mainnet-beta"], PORT: "0", DATA_DIR: join(folder, "folder") };
  const { exitCode, lines } = runNode(START_ARGS, { env: settings });
  expect(await exitCode).toBe(1);
  expect(lines).toEqual([expect.stringMatching(/^DATA_DIR: the store .* belongs to sandbox, and /)]);
  expect(lines[0]).toContain("name another one in DATA_DIR, or set NETWORK=sandbox; not started.");
});

describe.skipIf(!redis)("a sandbox and mainnet on one Redis with the default prefixes", () => {
  test("each serve their own price, and mainnet serves none that a sandbox has read", async () => {
    const env = { REDIS_URL: `redis://127.0.0.1:${redis!.port}` };
    const readPrice = async (app: App) => {
      setTargetApp(app.url);
      return get("/api/price");
    };
    const sandbox = await startService("sandbox", "shared-sandbox", env);
    expect(await readPrice(sandbox)).toMatchObject({ body: { data: { prices: { SOL: 19 }, source: "sandbox" } } });
    await sandbox.stop();
    // Even the sandbox's own records under mainnet's prefix must not count.
    const client = connectRedis(redis!.port);
    const [from, to] = ["roundup:sandbox:", "roundup:mainnet-beta:"];
    const names = (await client.keys(`${from}*`)).filter((key) => key !== `${from}network`);
    expect(names.filter((key) => key.endsWith("price-memory"))).toHaveLength(1);
    for (const key of names) await client.copy(key, to + key.slice(from.length));
    client.disconnect();
    const answer = upstreams.market.stage;
    upstreams.market.stage = answerJson({}, 503);
    const mainnet = await startService("mainnet-beta", "shared-mainnet", env);
    try {
      expect((await readPrice(mainnet)).status).toBe(503);
      const [user, serviceWallet] = [await createWallet(), await createWallet()];
      const topup = { amountUsd: 100, userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
      expect((await post("/api/topup", topup, { headers: user.headers })).status).toBe(503);
      upstreams.market.stage = answer;
      const readSource = async () => (await readPrice(mainnet)).body?.data;
      await expect.poll(readSource, { timeout: 30_000 }).toMatchObject({ source: "jupiter", stale: false });
      expect((await readData(get("/api/price"))).prices.SOL).not.toBe(19);
    } finally {
      await mainnet.stop();
    }
  });
});
