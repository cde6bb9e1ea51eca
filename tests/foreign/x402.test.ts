import { copyFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { startTemporaryAppForFile } from "../support/app/app-for-file";
import { bundlePrograms } from "../support/app/bundle";
import { installForeignPrograms } from "../support/app/foreign-programs";
import { runNode } from "../support/app/process";
import { readLamports, setTargetRpc } from "../support/chain/chain";
import { buyFromMarket, readTokenBalances } from "../support/chain/tokens";
import { createWallet, deriveServiceWallet, fund, get, readData } from "../support/client/client";
import { createFolderForFile } from "../support/store/temp-folder";

/* Runs the examples of an agent and a shop. They use x402's packages, which have their own lock file. */

const app = await startTemporaryAppForFile("x402", {});
const rpcUrl = await app.waitForLine((line) => /"sandboxRpc":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(line)?.[1]);
setTargetRpc(rpcUrl);
const folder = createFolderForFile();
let examples: Record<"agent" | "shop", string>;

beforeAll(async () => {
  const { folder } = await installForeignPrograms("x402");
  const entryPoints = { agent: join(folder, "x402.ts"), shop: join(folder, "x402-shop.ts") };
  await copyFile("examples/x402.ts", entryPoints.agent);
  await copyFile("examples/x402-shop.ts", entryPoints.shop);
  const compiler = runNode(["node_modules/typescript-7/bin/tsc", "--noEmit", "-p", folder]);
  expect([await compiler.exitCode, compiler.lines]).toEqual([0, []]);
  examples = await bundlePrograms("x402-examples", entryPoints);
});

const env = { ROUNDUP_URL: app.url, RPC_URL: rpcUrl, NODE_NO_WARNINGS: "1" };

async function startShop(price: string): Promise<string> {
  const shop = runNode([examples.shop, price], { env: { ...env, PORT: "0" } });
  onTestFinished(async () => void (await shop.stop()));
  return shop.waitForLine((line) => /^sells answers at (\S+)$/.exec(line)?.[1]);
}

/** Creates an agent's wallet with USDC, little SOL, and a key file. */
async function createAgent() {
  const wallet = await createWallet();
  await fund(wallet.address, 1);
  await buyFromMarket(wallet, ASSETS.USDC.mint, 980_000_000);
  const keypair = join(folder, `${wallet.address}.json`);
  await writeFile(keypair, JSON.stringify([...wallet.keys.secretKey]));
  const serviceWallet = await deriveServiceWallet(wallet);
  const run = async (shopUrl: string, callCount: number) => {
    const program = runNode([examples.agent, shopUrl, String(callCount)], { env: { ...env, KEYPAIR: keypair } });
    return { exitCode: await program.exitCode, lines: program.lines };
  };
  return { ...wallet, serviceWallet: serviceWallet.address, run };
}

const readUsdc = async (address: string) => (await readTokenBalances(address))[ASSETS.USDC.mint];

test("an agent saves the change of its x402 payments in USDC by allowance, and each payment once", async () => {
  const { address, serviceWallet, run } = await createAgent();
  const shopUrl = await startShop("$0.25");
  const paidCalls = [1, 2, 3, 4, 5].map((call) => `call ${call}: 42`);
  const usdcBefore = (await readUsdc(address))!;
  for (const runCount of [1, 2]) {
    expect(await run(shopUrl, 5)).toEqual({
      exitCode: 0,
      lines: [
        ...paidCalls,
        ...(runCount === 1 ? ["allowance of $10: done"] : []),
        "payments to save: 5, together $1.25",
        expect.stringMatching(/^change: \$\d+\.\d+, of it \$\d+\.\d+ fee$/),
        "saving: done",
      ],
    });
    expect(await readUsdc(address)).toBe(usdcBefore - BigInt(runCount) * 2_000_000n);
    const { items } = await readData(get(`/api/activity/${serviceWallet}`));
    // The first transaction is the allowance's.
    expect(items).toHaveLength(1 + runCount);
  }
  expect(await run(shopUrl, 0)).toEqual({ exitCode: 0, lines: ["payments to save: 0, together $0.00"] });
});

test("an agent signs no call above its limit", async () => {
  const { address, run } = await createAgent();
  const shopUrl = await startShop("$0.51");
  const readBalances = async () => [await readLamports(address), await readUsdc(address)];
  const balances = await readBalances();
  const { exitCode, lines } = await run(shopUrl, 1);
  expect([exitCode, lines.join("\n")]).toEqual([1, expect.stringContaining("spend")]);
  expect(await readBalances()).toEqual(balances);
});
