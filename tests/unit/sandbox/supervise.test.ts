import { spawnSync } from "node:child_process";
import { readdir, readFile, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Keypair } from "@solana/web3.js";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { openSavedChain, startSaver } from "../../../lib/sandbox/chain/saved-chain";
import { lockDirectory } from "../../../lib/sandbox/lock";
import { startSandbox } from "../../../lib/sandbox/supervise";
import { bundlePrograms } from "../../support/app/bundle";
import { type RunningProcess, runNode } from "../../support/app/process";
import { ONE_SOL, toAddress, waitUntil } from "../../support/chain/sandbox-rig";
import { createFolderForTest } from "../../support/store/temp-folder";

let programs: Record<"sandbox" | "parent", string>;
beforeAll(async () => {
  programs = await bundlePrograms("supervise", {
    sandbox: "lib/sandbox/main.ts",
    parent: "tests/support/app/sandbox-parent.ts",
  });
});

/** Calls the RPC. Returns null when the server does not answer. */
async function callRpc<T>(url: string, method: string, params: unknown[] = []): Promise<T | null> {
  const init = { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }) };
  const response = await fetch(url, init).catch(() => null);
  return response && ((await response.json()) as { result: T }).result;
}

const readPid = async (url: string) => (await callRpc<{ pid: number }>(url, "sandbox_info"))?.pid;

async function readBalance(url: string, address: string): Promise<number | undefined> {
  return (await callRpc<{ value: number }>(url, "getBalance", [address]))?.value;
}

function runUntilTestEnds(args: string[]): RunningProcess {
  const runningProcess = runNode(args);
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

async function startUnderParent(folder: string) {
  const runningProcess = runUntilTestEnds([programs.parent, folder]);
  const ready = await runningProcess.waitForLine((line) => (line.startsWith('{"url"') ? JSON.parse(line) : null));
  return { runningProcess, ...(ready as { url: string; feeCollectors: string[] }) };
}

const readSavedChain = (folder: string) => readFile(join(folder, "chain.json"), "utf8");

/**
 * Requests an airdrop and waits until it is confirmed, so that a killed sandbox must still know it.
 * @returns its signature
 */
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
      expect(runningProcess.lines.join()).not.toContain("damaged");
    }
    expect(await readBalance(url, address)).toBe(3 * Number(ONE_SOL));
    const params = [address, { commitment: "confirmed" }];
    const page = await callRpc<{ signature: string }[]>(url, "getSignaturesForAddress", params);
    expect(page!.map(({ signature }) => signature)).toEqual(signatures.reverse());
    expect(runningProcess.lines.find((line) => line.startsWith("FEE_COLLECTORS="))).toBe(collectors);
    expect(await runningProcess.stop("SIGINT")).toBe(0);
  });
});

describe("the chain's file", () => {
  test.each<[string, (text: string) => string]>([
    ["one character changed", (text) => text.replace('"lastSlot":4', '"lastSlot":5')],
    ["truncated", (text) => text.slice(0, text.length / 2)],
    ["empty", () => ""],
    ["a different JSON document", () => "{}"],
  ])("is moved aside with one log line when damaged (%s)", async (_, damage) => {
    const folder = createFolderForTest();
    const lines: string[] = [];
    const recordLine = (line: string) => void lines.push(line);
    const chain = openSavedChain(folder, recordLine);
    const address = toAddress(Keypair.generate());
    chain.airdrop(address, ONE_SOL);
    await startSaver(chain, folder, recordLine).close();
    expect(openSavedChain(folder, recordLine).getAccount(address)!.lamports).toBe(ONE_SOL);
    expect(lines).toEqual([]);

    const damaged = damage(await readSavedChain(folder));
    await writeFile(join(folder, "chain.json"), damaged);
    expect(openSavedChain(folder, recordLine).getAccount(address)).toBeNull();
    expect(lines).toEqual([expect.stringContaining("damaged")]);
    const damagedName = (await readdir(folder)).find((name) => name.startsWith("chain.json.corrupt-"))!;
    expect(await readFile(join(folder, damagedName), "utf8")).toBe(damaged);
  });

  test("that exists but cannot be read is an error, and its journal is kept", async () => {
    const folder = createFolderForTest();
    await symlink("chain.json", join(folder, "chain.json"));
    await writeFile(join(folder, "chain.journal-5"), "");
    expect(() => openSavedChain(folder, () => {})).toThrow("ELOOP");
    expect((await readdir(folder)).sort()).toEqual(["chain.journal-5", "chain.json"]);
  });

  test("is reported once when saves fail repeatedly", async () => {
    const folder = createFolderForTest();
    const lines: string[] = [];
    const chain = openSavedChain(folder, (line) => lines.push(line));
    const saver = startSaver(chain, join(folder, "gone"), (line) => lines.push(line));
    chain.airdrop(toAddress(Keypair.generate()), ONE_SOL);
    await waitUntil(() => lines.length > 0);
    await saver.close();
    expect(lines).toEqual([expect.stringContaining("cannot be saved")]);
  });
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
  test("restarts on the same port with its state when killed", async () => {
    const folder = createFolderForTest();
    const { runningProcess, url, feeCollectors } = await startUnderParent(folder);
    expect(feeCollectors).toHaveLength(8);
    const address = toAddress(Keypair.generate());
    const signature = await callRpc<string>(url, "requestAirdrop", [address, Number(ONE_SOL)]);
    await waitUntil(async () => (await readSavedChain(folder)).includes(signature!));
    const killedPid = (await readPid(url))!;
    process.kill(killedPid, "SIGKILL");
    const restartedPid = await waitUntil(async () => {
      const pid = await readPid(url);
      return pid !== undefined && pid !== killedPid && pid;
    });
    await runningProcess.waitForLine((line) => (line.includes("answers again") ? line : null));
    expect(await readBalance(url, address)).toBe(Number(ONE_SOL));
    expect(runningProcess.lines.join()).toContain("it restarts in");

    const lateSignature = await callRpc<string>(url, "requestAirdrop", [address, Number(ONE_SOL)]);
    await runningProcess.stop("SIGKILL");
    await waitUntil(async () => (await readPid(url)) === undefined);
    await waitUntil(() => {
      try {
        return !process.kill(restartedPid, 0);
      } catch {
        return true;
      }
    });
    // The child had time to save its last change.
    expect(await readSavedChain(folder)).toContain(lateSignature);
    expect(await readdir(folder)).not.toContain("sandbox.lock");
  });

  test("saves and does not restart when its parent stops it", async () => {
    const folder = createFolderForTest();
    const lines: string[] = [];
    const sandbox = await startSandbox({ dataDir: folder, port: 0, log: (line) => void lines.push(line) });
    const params = [toAddress(Keypair.generate()), Number(ONE_SOL)];
    const signature = await callRpc<string>(sandbox.url, "requestAirdrop", params);
    await sandbox.stop();
    expect(await readPid(sandbox.url)).toBeUndefined();
    expect(await readSavedChain(folder)).toContain(signature);
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
