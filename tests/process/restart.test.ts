import { readdir, readFile, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lockDirectory } from "../../lib/sandbox/lock";
import { type App, findSandboxUrl, sandboxRpc } from "../support/app/app";
import { startAppForFile } from "../support/app/app-for-file";
import { buildSignedTransaction, buildTransfer, setTargetRpc } from "../support/chain/chain";
import { createWallet, deriveServiceWallet, fund, get, post, readData, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";
import { createFolderForFile } from "../support/store/temp-folder";

/* Checks that acknowledged writes survive every kind of process end, and that no process keeps running afterwards. */

/** The timeout is longer than any step of these tests takes on a slow machine. */
const WAIT_OPTIONS = { timeout: 100_000, interval: 50 };

const dataDir = join(createFolderForFile(), "data");
let app: App;
let sandbox: { url: string; pid: number };

/** A wallet with an API key, a service wallet and money, created before the server first ends. */
interface Customer {
  wallet: Wallet;
  apiKey: string;
  serviceWallet: string;
  lamports: number;
}

async function startServer(): Promise<void> {
  app = await startAppForFile("restart", dataDir);
  const url = await findSandboxUrl(app);
  sandbox = { url, pid: (await sandboxRpc<{ pid: number }>(url, "sandbox_info")).pid };
  setTargetRpc(url);
}

beforeAll(startServer);
afterAll(async () => void (await app?.stop()));

const readBalance = async (address: string) =>
  (await readData(get(`/api/accumulator/${address}`))).balanceLamports as number;

async function createCustomer(): Promise<Customer> {
  const wallet = await createWallet();
  const { apiKey } = await readData(post("/api/keys/generate", {}, { headers: wallet.headers }));
  const { address: serviceWallet } = await deriveServiceWallet(wallet);
  await fund(wallet.address, 2.5);
  return { wallet, apiKey, serviceWallet, lamports: await readBalance(wallet.address) };
}

async function expectAccepted(apiKey: string): Promise<void> {
  expect((await post("/api/roundup", { txValueUsd: 1 }, { headers: { "x-api-key": apiKey } })).status).toBe(200);
}

/** Checks that a customer's key, service wallet and balance are unchanged. */
async function expectUnchanged(customer: Customer): Promise<void> {
  await expectAccepted(customer.apiKey);
  const { wallet, serviceWallet } = customer;
  const headers = { "x-api-key": customer.apiKey };
  // A deposit without the fee that the service requires for its service wallets.
  const instructions = [buildTransfer(wallet.address, serviceWallet, 100_000_000)];
  const signedTransaction = await buildSignedTransaction({ signers: [wallet], instructions });
  expectFailure(await post("/api/swap/execute", { signedTransaction }, { headers }), "fee_missing");
  expect(await readBalance(customer.wallet.address)).toBe(customer.lamports);
}

/** Resolves when a new transaction is confirmed, so that all earlier ones are on disk. */
async function waitUntilConfirmed(): Promise<void> {
  const params = [Keypair.generate().publicKey.toBase58(), 1_000_000_000];
  const signature = await sandboxRpc(sandbox.url, "requestAirdrop", params);
  type Statuses = { value: ({ confirmationStatus: string } | null)[] };
  const readStatus = async () =>
    (await sandboxRpc<Statuses>(sandbox.url, "getSignatureStatuses", [[signature]])).value[0]?.confirmationStatus;
  await expect.poll(readStatus, WAIT_OPTIONS).toBe("confirmed");
}

/** Returns whether the process runs. A zombie, which is dead but not reaped, counts as gone. */
async function isAlive(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (stat && /^\) [ZX]/.test(stat.slice(stat.lastIndexOf(")")))) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Checks that the ports of the app, its sandbox and its websocket are free. */
async function expectPortsFree(): Promise<void> {
  await expect.poll(() => isAlive(sandbox.pid), WAIT_OPTIONS).toBe(false);
  const rpcPort = Number(new URL(sandbox.url).port);
  for (const port of [Number(new URL(app.url).port), rpcPort, rpcPort + 1]) {
    await expect.poll(() => canListen(port), WAIT_OPTIONS).toBe(true);
  }
}

function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}

describe.sequential("ending and restarting the server", () => {
  let customer: Customer;
  beforeAll(async () => {
    customer = await createCustomer();
  });

  test("SIGTERM lets a pending request finish before the process exits with 0", async () => {
    const pendingEvents = readData(get("/api/events?wait=20", { headers: customer.wallet.headers }));
    // The server reads requests in the order of their connections. After this answer it has read the pending request.
    await readData(get("/api/plans"));
    app.child.kill("SIGTERM");
    expect((await pendingEvents).events).toEqual([]);
    expect(await app.exitCode).toBe(0);
    await expectPortsFree();
  });

  test("a restart keeps keys, service wallets and balances", async () => {
    await startServer();
    await expectUnchanged(customer);
  });

  test("only the server's own user can read any folder or file that it and its sandbox create", async () => {
    const names = await readdir(dataDir, { recursive: true });
    for (const expected of ["chain/chain.mdb", "chain/operator.json", "store/data.mdb"])
      expect(names).toContain(expected);
    const readMode = async (name: string) => {
      const entry = await stat(join(dataDir, name)).catch(() => null);
      return entry && [name, (entry.mode & 0o777).toString(8)];
    };
    const modes = (await Promise.all(["", ...names].map(readMode))).filter((mode) => mode !== null);
    expect(modes.filter(([, mode]) => mode !== "700" && mode !== "600")).toEqual([]);
  });

  test("kill -9 of server and sandbox during writes loses no acknowledged write", async () => {
    await waitUntilConfirmed();
    await killAmidWrites(() => {
      app.child.kill("SIGKILL");
      process.kill(sandbox.pid, "SIGKILL");
    });
    await startServer();
    await expectUnchanged(customer);
    await expectAcknowledgedWrites();
  });

  test("kill -9 of the sandbox causes 503s until the server restarts it with the same state", async () => {
    await waitUntilConfirmed();
    const { pid, url } = sandbox;
    // The sandbox cannot restart while this process holds its folder, so the test has time to see the outage.
    const folder = join(dataDir, "chain");
    await rm(join(folder, "sandbox.lock"));
    const unlock = lockDirectory(folder);
    process.kill(pid, "SIGKILL");
    const statuses = new Set<number>();
    const readNewWallet = async () => {
      // No cache has the balance of a new wallet.
      const answer = await get(`/api/accumulator/${Keypair.generate().publicKey.toBase58()}`);
      statuses.add(answer.status);
      if (answer.status !== 200) {
        expectFailure(answer, "upstream_unavailable");
        expect(answer.headers.get("retry-after")).toMatch(/^\d+$/);
      }
      return answer.status;
    };
    await expect.poll(readNewWallet, WAIT_OPTIONS).toBe(503);
    unlock();
    expect((await post("/api/roundup", { txValueUsd: 1 }, { headers: customer.wallet.headers })).status).toBe(200);
    await expect.poll(readNewWallet, WAIT_OPTIONS).toBe(200);
    expect([...statuses].sort()).toEqual([200, 503].filter((status) => statuses.has(status)));
    sandbox = { url, pid: (await sandboxRpc<{ pid: number }>(url, "sandbox_info")).pid };
    expect(sandbox.pid).not.toBe(pid);
    await expectUnchanged(customer);
  });
});

/** The API keys and service wallets that the API acknowledged shortly before the kill. */
let acknowledgedWrites: { apiKeys: string[]; customers: Customer[] };

/** Writes on many connections, and calls `kill` after some writes of each kind, while more are in flight. */
async function killAmidWrites(kill: () => void): Promise<void> {
  acknowledgedWrites = { apiKeys: [], customers: [] };
  const wallets = await Promise.all(Array.from({ length: 6 }, createWallet));
  for (const wallet of wallets) await fund(wallet.address, 0.5);
  await waitUntilConfirmed();
  let isKilled = false;
  const writeUntilKilled = async (wallet: Wallet) => {
    const { headers } = wallet;
    for (let index = 0; index < 10; index++) {
      const { apiKey } = await readData(post("/api/keys/generate", {}, { headers }));
      acknowledgedWrites.apiKeys.push(apiKey);
      const { address: serviceWallet } = await deriveServiceWallet(wallet, index);
      acknowledgedWrites.customers.push({ wallet, apiKey, serviceWallet, lamports: 500_000_000 });
      if (!isKilled && acknowledgedWrites.customers.length >= 12) {
        isKilled = true;
        kill();
      }
    }
  };
  const outcomes = await Promise.allSettled(wallets.map(writeUntilKilled));
  expect(outcomes.some(({ status }) => status === "rejected")).toBe(true);
  expect(acknowledgedWrites.customers.length).toBeGreaterThanOrEqual(12);
}

/** Checks that the restarted server has every acknowledged write. */
async function expectAcknowledgedWrites(): Promise<void> {
  await Promise.all(acknowledgedWrites.apiKeys.map(expectAccepted));
  await Promise.all(acknowledgedWrites.customers.map(expectUnchanged));
}
