import { spawnSync } from "node:child_process";
import { readdir, readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openStoredChain } from "../../../lib/sandbox/chain/store";
import { lockDirectory } from "../../../lib/sandbox/lock";
import { startSandbox } from "../../../lib/sandbox/supervise";
import { bundlePrograms } from "../../support/app/bundle";
import { type RunningProcess, runNode } from "../../support/app/process";
import { ONE_SOL, throwError, toAddress, waitUntil } from "../../support/chain/sandbox-rig";
import { createFolderForTest } from "../../support/store/temp-folder";

let programs: Record<"sandbox" | "parent", string>;
beforeAll(async () => {
  programs = await bundlePrograms("supervise", {
    sandbox: "lib/sandbox/main.ts",
    parent: "tests/support/app/sandbox-parent.ts",
  });
});

async function callRpc<T>(url: string, method: string, params: unknown[] = []): Promise<T | null> {
  const init = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) };
  const response = await fetch(url, init).catch(() => null);
  return response && ((await response.json()) as { result: T }).result;
}

const readPid = async (url: string) => (await callRpc<{ pid: number }>(url, "sandbox_info"))?.pid;

async function readBalance(url: string, address: string): Promise<number | undefined> {
  return (await callRpc<{ value: number }>(url, "getBalance", [address]))?.value;
}

function runUntilTestEnds(args: string[], command?: string): RunningProcess {
  const runningProcess = runNode(args, { command });
  onTestFinished(async () => {
    if (runningProcess.child.exitCode === null && runningProcess.child.signalCode === null)
      await runningProcess.stop("SIGKILL");
  });
  return runningProcess;
}

async function startDirectly(folder: string): Promise<{ runningProcess: RunningProcess; url: string }> {
  const runningProcess = runUntilTestEnds([programs.sandbox, "--data-dir", folder, "--port", "0"]);
  const url = await runningProcess.waitForLine((line) => line.match(/^SANDBOX_URL=(.*)/)?.[1]);
  // Wait for the last line that the start prints, so that all lines are present.
  await runningProcess.waitForLine((line) => line.startsWith("FEE_COLLECTORS=") || null);
  return { runningProcess, url };
}

/** Returns whether the chain in a folder that no process uses has the transaction. */
async function isStored(directory: string, signature: string): Promise<boolean> {
  const { chain, close } = openStoredChain({ directory, onFailure: throwError });
  await close();
  return chain.findSignature(signature) !== null;
}

/** Requests an airdrop and waits until a killed sandbox must still know it. @returns its signature */
async function airdropAndConfirm(url: string, address: string): Promise<string> {
  const signature = (await callRpc<string>(url, "requestAirdrop", [address, Number(ONE_SOL)]))!;
  await waitUntil(async () => (await readStatuses(url, [signature]))[0]?.confirmationStatus !== "processed");
  return signature;
}

async function readStatuses(url: string, signatures: string[]) {
  type Status = { err: unknown; confirmationStatus: string } | null;
  const params = [signatures, { searchTransactionHistory: true }];
  return (await callRpc<{ value: Status[] }>(url, "getSignatureStatuses", params))!.value;
}

describe("the sandbox that is run directly", () => {
  test("keeps every confirmed transaction after kill -9 in the middle of writing", async () => {
    const folder = createFolderForTest();
    const address = toAddress(Keypair.generate());
    const otherAddress = toAddress(Keypair.generate());
    const firstProcess = await startDirectly(folder);
    const collectors = firstProcess.runningProcess.lines.find((line) => line.startsWith("FEE_COLLECTORS="));
    expect(collectors!.split(",")).toHaveLength(8);
    expect(firstProcess.runningProcess.lines.join()).toContain("ws://127.0.0.1:");
    const signatures = [(await callRpc<string>(firstProcess.url, "requestAirdrop", [address, Number(ONE_SOL)]))!];
    type Latest = { value: { blockhash: string } };
    const { blockhash } = (await callRpc<Latest>(firstProcess.url, "getLatestBlockhash"))!.value;
    expect(await firstProcess.runningProcess.stop("SIGTERM")).toBe(0);

    const secondProcess = await startDirectly(folder);
    expect(await callRpc(secondProcess.url, "isBlockhashValid", [blockhash])).toMatchObject({ value: true });
    let { runningProcess, url } = secondProcess;
    for (let round = 0; round < 2; round++) {
      expect(await readBalance(url, address)).toBe(signatures.length * Number(ONE_SOL));
      signatures.push(await airdropAndConfirm(url, address));
      for (let i = 0; i < 40 + round; i++)
        await callRpc<string>(url, "requestAirdrop", [otherAddress, Number(ONE_SOL)]);
      await runningProcess.stop("SIGKILL");
      ({ runningProcess, url } = await startDirectly(folder));
      const noError = expect.objectContaining({ err: null });
      expect(await readStatuses(url, signatures)).toEqual(signatures.map(() => noError));
    }
    expect(await readBalance(url, address)).toBe(3 * Number(ONE_SOL));
    const params = [address, { commitment: "confirmed" }];
    const page = await callRpc<{ signature: string }[]>(url, "getSignaturesForAddress", params);
    expect(page!.map(({ signature }) => signature)).toEqual(signatures.reverse());
    expect(runningProcess.lines.find((line) => line.startsWith("FEE_COLLECTORS="))).toBe(collectors);
    expect(await runningProcess.stop("SIGINT")).toBe(0);
  });
});

test("a full disk ends the sandbox with a sentence, and loses nothing that was confirmed", async () => {
  const folder = createFolderForTest();
  const address = toAddress(Keypair.generate());
  const firstProcess = await startDirectly(folder);
  await firstProcess.runningProcess.stop();
  // With this limit no file of the process can grow by much, so a write fails as on a full disk.
  const { size } = await stat(join(folder, "chain.mdb"));
  const start = `ulimit -f ${Math.ceil(size / 512) + 64}; exec ${process.execPath} ${programs.sandbox} --port 0`;
  const limitedProcess = runUntilTestEnds(["-c", `${start} --data-dir ${folder}`], "sh");
  const url = await limitedProcess.waitForLine((line) => line.match(/^SANDBOX_URL=(.*)/)?.[1]);
  let confirmedCount = 0;
  while (await airdropAndConfirm(url, address).catch(() => null)) confirmedCount++;
  expect(await limitedProcess.exitCode).toBe(1);
  expect(limitedProcess.lines.join("\n")).toMatch(/^DATA_DIR: .* cannot be written: .*Free disk space/m);
  const restarted = await startDirectly(folder);
  expect(await readBalance(restarted.url, address)).toBeGreaterThanOrEqual(confirmedCount * Number(ONE_SOL));
});

describe("the lock", () => {
  test("allows one process per directory, and replaces a leftover lock that was not renewed for 15 seconds", async () => {
    const folder = createFolderForTest();
    const path = join(folder, "sandbox.lock");
    const unlock = lockDirectory(folder);
    expect(() => lockDirectory(folder)).toThrow(`is in use by process ${process.pid}`);
    unlock();
    const lockOfOtherContainer = JSON.stringify({ pid: process.pid, host: "there", began: null });
    for (const leftoverLock of [lockOfOtherContainer, "", "junk", `${process.pid} 1\n`]) {
      await writeFile(path, leftoverLock);
      expect(() => lockDirectory(folder)).toThrow(/is in use by a process of another container.*15 seconds/);
      const silentSince = Date.now() / 1000 - 16;
      await utimes(path, silentSince, silentSince);
      lockDirectory(folder)();
    }
    expect(await readdir(folder)).toEqual([]);
  });

  test("is renewed by its holder, so that other containers see that the holder lives", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = createFolderForTest();
    const file = join(folder, "sandbox.lock");
    const unlock = lockDirectory(folder);
    await utimes(file, 1, 1);
    vi.advanceTimersByTime(2_000);
    expect((await stat(file)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
    unlock();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("the sandbox under a parent", () => {
  test("saves and does not restart when its parent stops it", async () => {
    const folder = createFolderForTest();
    const lines: string[] = [];
    const sandbox = await startSandbox({ dataDir: folder, port: 0, log: (line) => void lines.push(line) });
    const params = [toAddress(Keypair.generate()), Number(ONE_SOL)];
    const signature = await callRpc<string>(sandbox.url, "requestAirdrop", params);
    await sandbox.stop();
    expect(await readPid(sandbox.url)).toBeUndefined();
    expect(await isStored(folder, signature!)).toBe(true);
    expect(lines.join()).not.toContain("restarts");
  });

  test("says why it did not start", async () => {
    const folder = createFolderForTest();
    const unlock = lockDirectory(folder);
    await expect(startSandbox({ dataDir: folder, port: 0, log: () => {} })).rejects.toThrow(
      /^The sandbox data in .* is in use by process/,
    );
    unlock();
  });

  test("names a damaged file, and does not touch it", async () => {
    const folder = createFolderForTest();
    const text = "not a database".repeat(1_000);
    await writeFile(join(folder, "chain.mdb"), text);
    await expect(startSandbox({ dataDir: folder, port: 0, log: () => {} })).rejects.toThrow("Its chain.mdb is damaged");
    expect(await readFile(join(folder, "chain.mdb"), "utf8")).toBe(text);
  });

  test("names the setting to change when the disk is full", async () => {
    const folder = createFolderForTest();
    // With this limit no file of the process can grow, so writes fail as on a full disk.
    const command = `ulimit -f 0; exec "$0" ${programs.sandbox} --port 0 --data-dir "$1"`;
    const { status, stderr } = spawnSync("sh", ["-c", command, process.execPath, folder], { encoding: "utf8" });
    expect(status).toBe(1);
    expect(stderr.trim().split("\n").at(-1)).toMatch(
      /^DATA_DIR: the sandbox data in \S+ cannot be written: E(FBIG|NOSPC).*Free disk space.*DATA_DIR.*--data-dir/,
    );
  });
});
