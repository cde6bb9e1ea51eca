import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type App, makeFolder, removeFolder, sandboxRpc } from "../support/app/app";
import { startOwnApp } from "../support/app/own-app";
import { type RunningProcess, runNode } from "../support/app/process";
import { data, fund, get, newWallet, type Wallet } from "../support/client/client";

/** Runs the programs in examples/ as processes, against a service with its own chain, and counts on that chain. */

let folder: string;
let sandbox: RunningProcess;
let rpc: string;
let app: App;

beforeAll(async () => {
  folder = await makeFolder();
  const args = ["--import", "tsx", "lib/sandbox/main.ts", "--port", "0", "--prices", "fixed", "--data-dir"];
  sandbox = runNode([...args, join(folder, "chain")]);
  rpc = await sandbox.find((line) => /^SANDBOX_URL=(.+)$/.exec(line)?.[1]);
  const collectors = await sandbox.find((line) => /^FEE_COLLECTORS=(.+)$/.exec(line)?.[1]);
  const env = { SANDBOX_URL: rpc, FEE_COLLECTORS: collectors, CLIENT_IP: "" };
  app = await startOwnApp("examples", join(folder, "service"), env);
});
afterAll(async () => {
  await app?.stop();
  await sandbox?.stop();
  await removeFolder(folder);
});

const startExample = (name: string, args: string[], env: Record<string, string>) =>
  runNode(["--import", "tsx", `examples/${name}.ts`, ...args], { env: { ROUNDUP_URL: app.url, ...env } });

/** Runs an example to its end. @returns its lines @throws Error with them if it fails */
async function runExample(...args: Parameters<typeof startExample>): Promise<string[]> {
  const example = startExample(...args);
  const code = await example.ended;
  if (code !== 0) throw new Error(`it ended with ${code}:\n${example.lines.join("\n")}`);
  return example.lines;
}

/** Creates a wallet with play money and its key file. */
async function newPayer(): Promise<Wallet & { keypair: string }> {
  const wallet = await newWallet();
  await fund(wallet.address, 1);
  const keypair = join(folder, `${wallet.address}.json`);
  await writeFile(keypair, JSON.stringify([...wallet.keys.secretKey]));
  return { ...wallet, keypair };
}

const balanceOf = async (address: string) => (await sandboxRpc<{ value: number }>(rpc, "getBalance", [address])).value;

test("checkout: one transaction, sent past the service, pays the shop and saves under the order's reference", async () => {
  const { headers, keypair } = await newPayer();
  const shop = (await newWallet()).address;
  const settings = { RPC_URL: rpc, KEYPAIR: keypair };
  const lines = await runExample("checkout", ["order-1001", shop, "50000000", "7.35"], settings);
  const [, signature] = /^sold: (\w+)$/m.exec(lines.join("\n"))!;
  expect(await balanceOf(shop)).toBe(50_000_000);
  const found = await data(get("/api/references/order-1001", { headers }));
  expect(found).toMatchObject({ state: "confirmed", transactions: [signature] });
});

test("bot: a second start saves nothing twice", async () => {
  const { headers, keypair } = await newPayer();
  const bought = [4.02, 27.03, 12.05].map((usd, i) => ({ reference: `purchase-${i}`, usd }));
  const list = join(folder, "purchases.json");
  await writeFile(list, JSON.stringify(bought));
  const run = () => runExample("bot", [list], { KEYPAIR: keypair, STATE: join(folder, "bot") });
  const saved = bought.map(({ reference }) => `${reference}: done`);
  expect(await run()).toEqual([...saved, "invest: done"]);
  expect(await run()).toEqual([
    ...bought.map(({ reference }) => `${reference}: elsewhere`),
    expect.stringMatching(/^invest: refused/),
  ]);
  for (const { reference } of bought) {
    const { transactions } = await data(get(`/api/references/${reference}`, { headers }));
    expect(transactions).toHaveLength(1);
  }
});
