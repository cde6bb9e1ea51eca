import { type ChildProcess, fork } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import type { FeeModel } from "./chain/types";

/* Runs the sandbox as a child process. This module loads neither LiteSVM nor web3.js. */

export interface SandboxOptions {
  dataDir: string;
  /** Preferred port. The child uses another port when this port is taken. 0: any. */
  port: number;
  prices?: "fixed" | "walk";
  fees?: FeeModel;
  /** Length of a slot, ms. */
  slotMs?: number;
  /** Receives the child's output, line by line. */
  log: (message: string) => void;
}

/** Timeout of the start, ms. A start takes seconds on an idle machine and nearly a minute on a busy one. */
const READY_TIMEOUT_MS = 120_000;
/** Timeout of the child's last save, which takes longest on a busy machine, ms. */
const STOP_TIMEOUT_MS = 30_000;
/** Restart delays double from the first to the last, ms. A run longer than STABLE_RUN_MS resets them. */
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 10_000;
const STABLE_RUN_MS = 60_000;

/** A report of the child over IPC. */
type ChildReport = { type: "ready"; url: string; feeCollectors: string[] } | { type: "failed"; message: string };

function spawnChild(options: SandboxOptions, portArgs: string[]): ChildProcess {
  const { dataDir, prices = "walk", fees = "flat", slotMs, log } = options;
  // A bundle of this file has the sandbox's bundle next to it. It starts in half the CPU time that tsx takes.
  const bundlePath = join(import.meta.dirname, "sandbox.mjs");
  const isBundled = existsSync(bundlePath);
  const entryPath = isBundled ? bundlePath : join(import.meta.dirname, "main.ts");
  const slotArgs = slotMs === undefined ? [] : ["--slot-ms", String(slotMs)];
  const chainArgs = ["--data-dir", resolve(dataDir), "--prices", prices, "--fees", fees, ...slotArgs];
  const child = fork(entryPath, [...chainArgs, ...portArgs], {
    execArgv: isBundled ? [] : ["--import", pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href],
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  for (const stream of [child.stdout, child.stderr]) {
    if (stream) createInterface({ input: stream }).on("line", log);
  }
  return child;
}

/** Describes the end of a child that was not ready. LMDB ends a process that reads a damaged file. */
function describeEnd(code: number | null, signal: string | null): string {
  const sentence = `The sandbox ended before it was ready (${signal ?? `code ${code}`}).`;
  const isDamaged = signal === "SIGSEGV" || signal === "SIGBUS";
  return isDamaged ? `${sentence} Its chain.mdb is damaged: move it away, and a new chain starts.` : sentence;
}

/**
 * Waits for the child's report.
 * @throws {Error} with a sentence when it fails, exits or times out; a timeout kills it
 */
function waitUntilReady(child: ChildProcess): Promise<Extract<ChildReport, { type: "ready" }>> {
  let timer: NodeJS.Timeout;
  return new Promise<Extract<ChildReport, { type: "ready" }>>((resolve, reject) => {
    const fail = (sentence: string) => reject(new Error(sentence));
    child.once("message", (report: ChildReport) => (report.type === "ready" ? resolve(report) : fail(report.message)));
    child.once("exit", (code, signal) => fail(describeEnd(code, signal)));
    child.once("error", () => fail(describeEnd(null, "could not be spawned")));
    timer = setTimeout(() => {
      child.kill("SIGKILL");
      fail(`The sandbox was not ready within ${READY_TIMEOUT_MS / 1000} seconds.`);
    }, READY_TIMEOUT_MS);
  }).finally(() => clearTimeout(timer));
}

function waitUntilExited(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => void child.once("exit", () => resolve()));
}

async function stopChild(child: ChildProcess): Promise<void> {
  const childExit = waitUntilExited(child);
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await childExit;
  clearTimeout(timer);
}

/**
 * Starts the sandbox and keeps it running. After an unexpected exit it restarts on the same port with its saved state.
 * The sandbox ends whenever this process ends.
 * @returns the running sandbox, when it answers
 * @throws {Error} with a sentence when it does not start
 */
export async function startSandbox(options: SandboxOptions) {
  const { log } = options;
  let child = spawnChild(options, ["--port", String(options.port)]);
  const { url, feeCollectors } = await waitUntilReady(child);
  const samePortArgs = ["--port", new URL(url).port, "--exact-port"];
  let isStopping = false;
  let backoffMs = FIRST_BACKOFF_MS;
  let restartTimer: NodeJS.Timeout | undefined;

  const restartOnExit = () => {
    const startedAt = Date.now();
    let hasEnded = false;
    const onEnd = (code: number | null, signal: string | null) => {
      if (isStopping || hasEnded) return;
      hasEnded = true;
      if (Date.now() - startedAt > STABLE_RUN_MS) backoffMs = FIRST_BACKOFF_MS;
      log(`The sandbox ended (${signal ?? `code ${code}`}); it restarts in ${backoffMs} ms.`);
      restartTimer = setTimeout(restartChild, backoffMs);
      backoffMs = Math.min(backoffMs * 2, LAST_BACKOFF_MS);
    };
    child.once("exit", onEnd);
    // A process that could not be spawned emits no exit event.
    child.once("error", () => onEnd(null, "could not be spawned"));
  };
  const restartChild = () => {
    child = spawnChild(options, samePortArgs);
    restartOnExit();
    waitUntilReady(child).then(
      () => log(`The sandbox answers again at ${url}.`),
      (error: Error) => {
        if (!isStopping) log(error.message);
        // The exit event triggers the next attempt.
        child.kill("SIGKILL");
      },
    );
  };
  restartOnExit();
  return {
    /** URL of RPC and market, such as http://127.0.0.1:8899. It stays the same after a restart of the child. */
    url,
    feeCollectors,
    /** Stops the child after it has saved. */
    async stop() {
      isStopping = true;
      clearTimeout(restartTimer);
      await stopChild(child);
    },
  };
}
