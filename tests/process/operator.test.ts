import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { Connection, Keypair, PublicKey } from "@solana/web3.js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { deriveUsdcAccount } from "../../lib/domain/dollar-accounts";
import { readTokenAmount } from "../../lib/solana/token-accounts";
import { bundlePrograms } from "../support/app/bundle";
import { type SandboxProgram, startSandboxProgram } from "../support/app/sandbox-program";
import { waitUntil } from "../support/chain/sandbox-rig";
import { createFolderForFile } from "../support/store/temp-folder";

/** Number of fee collectors that `init` creates. */
const COLLECTOR_COUNT = 8;
/** Fee of a transaction with one signature. */
const NETWORK_FEE_LAMPORTS = 5_000;

const treasury = Keypair.generate().publicKey;
const folder = createFolderForFile();
const operatorFile = join(folder, "operator.json");
let programs: Record<"operator" | "sandbox", string>;
let sandbox: SandboxProgram;
let chain: Connection;

beforeAll(async () => {
  programs = await bundlePrograms("operator", { operator: "lib/operator/main.ts", sandbox: "lib/sandbox/main.ts" });
  sandbox = await startSandboxProgram([programs.sandbox], join(folder, "chain"));
  chain = new Connection(sandbox.url, "confirmed");
});
afterAll(async () => void (await sandbox.stop()));

describe.sequential("the operator command on the local chain", () => {
  let collectors: string[];
  let funder: string;
  let rentLamports: number;
  let tokenRentLamports: number;

  test("init writes a private file and prints the service's settings without the seed", async () => {
    rentLamports = await chain.getMinimumBalanceForRentExemption(0);
    tokenRentLamports = await chain.getMinimumBalanceForRentExemption(165);
    const { code, out } = await runOperator("init", "--treasury", treasury.toBase58(), "--file", operatorFile);
    expect(code).toBe(0);
    collectors = /^FEE_COLLECTORS=(.+)$/m.exec(out)?.[1]?.split(",") ?? [];
    funder = /^Funder: (\w+)$/m.exec(out)?.[1] ?? "";
    expect(new Set(collectors).size).toBe(COLLECTOR_COUNT);
    expect((await stat(operatorFile)).mode & 0o777).toBe(0o600);
    const { seed } = JSON.parse(await readFile(operatorFile, "utf8"));
    expect(seed).toMatch(/^[0-9a-f]{64}$/);
    expect(out).not.toContain(seed);
  });

  test("fund --execute raises every collector to twice the rent minimum and opens its USDC account, once", async () => {
    await sendLamports(funder, 1e9);
    const dryRun = await runWithFile("fund");
    for (const text of [...collectors, "Dry run, nothing was sent."]) expect(dryRun.out).toContain(text);
    expect(await readBalances(collectors)).toEqual(Array(COLLECTOR_COUNT).fill(0));
    const { code, out } = await runWithFile("fund", "--execute");
    expect([dryRun.code, code, out]).toEqual([0, 0, expect.stringContaining("confirmed, signature ")]);
    const balances = [
      ...Array(COLLECTOR_COUNT).fill(2 * rentLamports),
      1e9 - COLLECTOR_COUNT * (2 * rentLamports + tokenRentLamports) - NETWORK_FEE_LAMPORTS,
    ];
    expect(await readBalances([...collectors, funder])).toEqual(balances);
    expect(await readUsdcBalances(collectors)).toEqual(Array(COLLECTOR_COUNT).fill(0n));
    expect((await runWithFile("fund", "--execute")).out).toMatch(/^Nothing to send/);
    expect(await readBalances([...collectors, funder])).toEqual(balances);
  });

  test("status --json reports each collector's lamports and whether it can take fees", async () => {
    const { code, out } = await runWithFile("status", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      rentMinimumLamports: rentLamports,
      collectors: collectors.map((address) => ({
        address,
        lamports: 2 * rentLamports,
        funded: true,
        usdc: { account: deriveUsdcAccount(address), state: "open", units: "0" },
      })),
      funder: { address: funder },
      treasury: { lamports: 0, usdc: { state: "missing", units: "0" } },
    });
    const unfundedFile = join(folder, "unfunded.json");
    await runOperator("init", "--treasury", treasury.toBase58(), "--file", unfundedFile);
    const runUnfundedStatus = (...argv: string[]) =>
      runOperator("status", ...argv, "--file", unfundedFile, "--rpc", sandbox.url);
    const unfundedStatus = await runUnfundedStatus("--json");
    expect(unfundedStatus.code).toBe(4);
    const [firstCollector] = JSON.parse(unfundedStatus.out).collectors;
    expect(firstCollector).toMatchObject({ lamports: 0, funded: false });
    await sendLamports(firstCollector.address, rentLamports);
    expect((await runUnfundedStatus()).code).toBe(3);
  });

  test("sweep --execute sends every surplus less the network fees to the treasury", async () => {
    await sendLamports(collectors[5]!, 40_000_000);
    const dryRun = await runWithFile("sweep");
    for (const text of [`Sweep to the treasury ${treasury.toBase58()}`, "Dry run, nothing was sent."])
      expect(dryRun.out).toContain(text);
    expect(await chain.getBalance(treasury)).toBe(0);
    const { code, out } = await runWithFile("sweep", "--execute");
    expect([dryRun.code, code]).toEqual([0, 0]);
    expect(await readBalances(collectors)).toEqual(Array(COLLECTOR_COUNT).fill(rentLamports));
    const receivedLamports = 40_000_000 + COLLECTOR_COUNT * (rentLamports - NETWORK_FEE_LAMPORTS);
    expect(await chain.getBalance(treasury)).toBe(receivedLamports);
    expect(out).toContain(`Swept ${(receivedLamports / 1e9).toFixed(9)} SOL.`);
    expect(out.match(/confirmed, signature /g)).toHaveLength(COLLECTOR_COUNT);
  });

  test("status exits 1 with one sentence when the node or the file is missing", async () => {
    const unreachableNode = await runOperator("status", "--file", operatorFile, "--rpc", "http://127.0.0.1:1/secret");
    expect(unreachableNode.code).toBe(1);
    expect(unreachableNode.err).toMatch(/^http:\/\/127\.0\.0\.1:1 could not be asked for the balances: [^\n]+\n$/);
    expect(unreachableNode.err).not.toContain("secret");
    const missingFile = await runOperator("status", "--file", join(folder, "none.json"), "--rpc", sandbox.url);
    expect(missingFile.code).toBe(1);
    expect(missingFile.err).toMatch(/^There is no operator file at [^\n]+\n$/);
  });

  test("an unknown option exits 2 with the help text", async () => {
    const { operator: script } = JSON.parse(await readFile("package.json", "utf8")).scripts;
    const { code, out, err } = await runProgram(...script.split(" ").slice(1), "sweep", "--exeucte");
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain("Usage: npm run operator");
  });

  const runWithFile = (...argv: string[]) => runOperator(...argv, "--file", operatorFile, "--rpc", sandbox.url);
});

const runOperator = (...argv: string[]) => runProgram(programs.operator, ...argv);

function runProgram(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, argv, { timeout: 100_000 }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

/** Sends lamports and resolves when they are readable. */
async function sendLamports(address: string, lamports: number): Promise<void> {
  const key = new PublicKey(address);
  const lamportsBefore = await chain.getBalance(key);
  await chain.requestAirdrop(key, lamports);
  await waitUntil(async () => (await chain.getBalance(key)) === lamportsBefore + lamports);
}

async function readBalances(addresses: string[]): Promise<number[]> {
  const accounts = await chain.getMultipleAccountsInfo(addresses.map((address) => new PublicKey(address)));
  return accounts.map((account) => account?.lamports ?? 0);
}

/** Returns each wallet's micro-USDC; null for a wallet without an associated USDC account. */
async function readUsdcBalances(wallets: string[]): Promise<(bigint | null)[]> {
  const accounts = await chain.getMultipleAccountsInfo(
    wallets.map((wallet) => new PublicKey(deriveUsdcAccount(wallet))),
  );
  return accounts.map((account) => account && readTokenAmount(account.data));
}
