import { readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { SystemProgram, VersionedTransaction } from "@solana/web3.js";
import bs58 from "bs58";
import pMap from "p-map";
import nacl from "tweetnacl";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createLinkProof } from "../../lib/sdk/sign/service-wallet";
import { type App, sandboxRpc } from "../support/app/app";
import { startAppForFile } from "../support/app/app-for-file";
import { bundlePrograms } from "../support/app/bundle";
import { listenOnFreePort } from "../support/app/listen";
import { type RunningProcess, runNode } from "../support/app/process";
import { type SandboxProgram, startSandboxProgram } from "../support/app/sandbox-program";
import {
  createWallet,
  fund,
  get,
  post,
  postSigned,
  readData,
  signText,
  signTransaction,
  type Wallet,
} from "../support/client/client";
import { createFolderForFile } from "../support/store/temp-folder";

/* Runs the programs in examples/ as processes against a service with its own chain, and counts transactions there. */

type Program = "sandbox" | "checkout" | "bot" | "backend";

const folder = createFolderForFile();
let programs: Record<Program, string>;
let sandbox: SandboxProgram;
let app: App;
const BACKEND_KEY = "k".repeat(40);
const CUSTOMER_COUNT = process.env.FAULT_HOURS ? 1_000 : 30;

const startService = async (port = "0") => {
  const settings = { ...sandbox.settings, CLIENT_IP: "", API_KEYS: `shop:${BACKEND_KEY}:10000`, PORT: port };
  app = await startAppForFile("examples", join(folder, "service"), settings);
};

beforeAll(async () => {
  programs = await bundlePrograms("examples", {
    sandbox: "lib/sandbox/main.ts",
    checkout: "examples/checkout.ts",
    bot: "examples/bot.ts",
    backend: "examples/backend.ts",
  });
  sandbox = await startSandboxProgram([programs.sandbox], join(folder, "chain"));
  await startService();
});
afterAll(async () => {
  await app?.stop();
  await sandbox?.stop();
});

/** Starts an example. Hides warnings, because Node 22 and later would print one about web3.js's `punycode`. */
const startExample = (name: Program, args: string[], env: Record<string, string>) =>
  runNode([programs[name], ...args], { env: { ROUNDUP_URL: app.url, NODE_NO_WARNINGS: "1", ...env } });

/** Runs an example to its end. @returns its output lines @throws Error with the lines if it fails */
async function runExample(...args: Parameters<typeof startExample>): Promise<string[]> {
  const example = startExample(...args);
  const code = await example.exitCode;
  if (code !== 0) throw new Error(`it ended with ${code}:\n${example.lines.join("\n")}`);
  return example.lines;
}

/** Creates a wallet with play money and its key file. */
async function createPayer(): Promise<Wallet & { keypair: string }> {
  const wallet = await createWallet();
  await fund(wallet.address, 1);
  const keypair = join(folder, `${wallet.address}.json`);
  await writeFile(keypair, JSON.stringify([...wallet.keys.secretKey]));
  return { ...wallet, keypair };
}

const readBalance = async (address: string) =>
  (await sandboxRpc<{ value: number }>(sandbox.url, "getBalance", [address])).value;

test("checkout: one transaction pays the shop and saves under the order's reference", async () => {
  const { headers, keypair } = await createPayer();
  const shop = (await createWallet()).address;
  const env = { RPC_URL: sandbox.url, KEYPAIR: keypair };
  const lines = await runExample("checkout", ["order-1001", shop, "50000000", "7.35"], env);
  const [, signature] = /^sold: (\w+)$/m.exec(lines.join("\n"))!;
  expect(await readBalance(shop)).toBe(50_000_000);
  const reference = await readData(get("/api/references/order-1001", { headers }));
  expect(reference).toMatchObject({ state: "confirmed", transactions: [signature], asBuilt: true });
});

test("bot: a second start saves no purchase twice", async () => {
  const { headers, keypair } = await createPayer();
  const purchases = [4.02, 27.03, 12.05].map((usd, i) => ({ reference: `purchase-${i}`, usd }));
  const purchasesFile = join(folder, "purchases.json");
  await writeFile(purchasesFile, JSON.stringify(purchases));
  const runBot = () => runExample("bot", [purchasesFile], { KEYPAIR: keypair, STATE: join(folder, "bot") });
  const savedLines = purchases.map(({ reference }) => `${reference}: done`);
  expect(await runBot()).toEqual([...savedLines, "invest: done"]);
  expect(await runBot()).toEqual([
    ...purchases.map(({ reference }) => `${reference}: elsewhere`),
    expect.stringMatching(/^invest: refused/),
  ]);
  for (const { reference } of purchases) {
    const { transactions } = await readData(get(`/api/references/${reference}`, { headers }));
    expect(transactions).toHaveLength(1);
  }
});

/** Creates the backend's orders, one for each customer, and the keys with which the customers' pages sign. */
async function createOrders(count: number) {
  const { link } = await readData(get("/api/wallet/derive"));
  const signers = new Map<string, nacl.SignKeyPair>();
  const orders = Array.from({ length: count }, (_, i) => {
    const [customer, service] = [nacl.sign.keyPair(), nacl.sign.keyPair()];
    const [id, wallet] = [`order-${i}`, bs58.encode(customer.publicKey)];
    signers.set(id, customer);
    const { publicKey: serviceWallet, proof } = createLinkProof(link, wallet, service);
    return { id, usd: 7.35, wallet, serviceWallet, proof };
  });
  const fundCustomer = ({ wallet }: { wallet: string }) =>
    sandboxRpc(sandbox.url, "requestAirdrop", [wallet, 1_000_000_000]);
  await pMap(orders, fundCustomer, { concurrency: 20 });
  return { orders, signers };
}

/** Starts the customers' pages. @param sign signs an order's transaction, or a different one */
async function startPages(sign: (order: string, transaction: string) => string) {
  const pages = createServer(async (request, response) => {
    const { order, transaction } = JSON.parse(await text(request));
    response.end(sign(order, transaction));
  });
  return { url: await listenOnFreePort(pages), close: () => pages.close() };
}

test(`backend: ${CUSTOMER_COUNT} customers have one saving and one event each, after three kills`, async () => {
  const { orders, signers } = await createOrders(CUSTOMER_COUNT);
  const [ordersFile, eventsFile] = [join(folder, "orders.json"), join(folder, "events.jsonl")];
  await writeFile(ordersFile, JSON.stringify(orders));
  let backend: RunningProcess;
  let serviceRestart: Promise<void> | undefined;
  const restartService = async () => {
    const { port } = new URL(app.url);
    await app.stop("SIGKILL");
    await startService(port);
  };
  const scaleToCustomers = (part: number) => Math.round(CUSTOMER_COUNT * part);
  let signatureCount = 0;
  const pages = await startPages((order, transaction) => {
    const number = ++signatureCount;
    if (number === scaleToCustomers(0.25) || number === scaleToCustomers(0.75)) backend.child.kill("SIGKILL");
    if (number === scaleToCustomers(0.5)) serviceRestart = restartService();
    return signTransaction(transaction, signers.get(order)!);
  });
  // Probe the service as a hosting platform does. A probe makes the service finish the savings of a killed process.
  const probeTimer = setInterval(() => get("/api/health?probe=ready").catch(() => {}), 1_000);
  let startCount = 0;
  let code: number | null = null;
  for (; code === null; startCount++) {
    backend = startExample("backend", [ordersFile, eventsFile], { ROUNDUP_KEY: BACKEND_KEY, PAGES_URL: pages.url });
    code = await backend.exitCode;
  }
  clearInterval(probeTimer);
  await serviceRestart;
  pages.close();
  expect([code, startCount], backend!.lines.join("\n")).toEqual([0, 3]);

  const eventLines = (await readFile(eventsFile, "utf8")).trim().split("\n");
  const recordedEvents = eventLines.map((line) => JSON.parse(line));
  expect(recordedEvents.map(({ sequence }) => sequence)).toEqual(recordedEvents.map((_, i) => i + 1));
  const confirmedEvents = recordedEvents.filter(({ type }) => type === "saving.confirmed");
  expect(confirmedEvents.map(({ reference }) => reference).sort()).toEqual(orders.map(({ id }) => id).sort());
  const savingsByOrder = await pMap(
    orders,
    async ({ serviceWallet }) => {
      const params = [serviceWallet, { commitment: "confirmed" }];
      type Entry = { signature: string; err: unknown };
      const entries = await sandboxRpc<Entry[]>(sandbox.url, "getSignaturesForAddress", params);
      return entries.filter(({ err }) => err === null).map(({ signature }) => signature);
    },
    { concurrency: 20 },
  );
  expect(savingsByOrder.map((signatures) => signatures.length)).toEqual(orders.map(() => 1));
  expect(savingsByOrder.flat().sort()).toEqual(confirmedEvents.map(({ txSignature }) => txSignature).sort());
}, 1_800_000);

/** Changes the first transfer of a transaction to one lamport. @returns the changed transaction, base64 */
function lowerToOneLamport(transaction: string): string {
  const changed = VersionedTransaction.deserialize(Buffer.from(transaction, "base64"));
  const { compiledInstructions, staticAccountKeys } = changed.message;
  const transfer = compiledInstructions.find(({ programIdIndex }) =>
    staticAccountKeys[programIdIndex]!.equals(SystemProgram.programId),
  )!;
  Buffer.from(transfer.data.buffer, transfer.data.byteOffset).writeBigUInt64LE(1n, 4);
  return Buffer.from(changed.serialize()).toString("base64");
}

test("backend: a page that signs one lamport, and a customer who saves a cent elsewhere, close no order", async () => {
  const { orders, signers } = await createOrders(3);
  const [hostilePage, hostileCustomer] = orders.map(({ id }) => id);
  const { wallet: userPubkey, serviceWallet: serviceWalletPubkey } = orders[1]!;
  const { message } = await readData(get("/api/auth"));
  const headers = { "x-wallet": userPubkey, "x-signature": signText(signers.get(hostileCustomer!)!, message) };
  const centOrder = { txValueUsd: 7.49, plan: "tree", reference: hostileCustomer, userPubkey, serviceWalletPubkey };
  const { transaction } = await readData(post("/api/wrap", centOrder, { headers }));
  await readData(postSigned(signTransaction(transaction!.base64, signers.get(hostileCustomer!)!), headers));

  const ordersFile = join(folder, "hostile-orders.json");
  await writeFile(ordersFile, JSON.stringify(orders));
  const pages = await startPages((order, requested) =>
    signTransaction(order === hostilePage ? lowerToOneLamport(requested) : requested, signers.get(order)!),
  );
  const env = { ROUNDUP_KEY: BACKEND_KEY, PAGES_URL: pages.url };
  const lines = await runExample("backend", [ordersFile, join(folder, "hostile-events.jsonl")], env);
  pages.close();
  const refusals = lines.filter((line) => line.includes(": refused: "));
  expect(refusals.sort()).toEqual([
    `${hostilePage}: refused: NotAsShown: The wallet changed the transaction that was shown, so it was not sent.`,
    `${hostileCustomer}: refused: the saving differs from the one that was built`,
  ]);
  const readState = async (order: string, wallet: string) =>
    (await readData(get(`/api/references/${order}?wallet=${wallet}`, { headers: { "x-api-key": BACKEND_KEY } }))).state;
  const states = await Promise.all(orders.map(({ id, wallet }) => readState(id, wallet)));
  expect(states).toEqual(["unknown", "confirmed", "confirmed"]);
});
