import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { freePort, START_ARGS, sandboxRpc } from "../support/app/app";

/** A server under measurement. */
export interface Subject {
  url: string;
  pid: number;
  /** Ends it and waits until it has ended. */
  stop(): Promise<void>;
}

interface StartOptions {
  command?: string;
  args: string[];
  env?: Record<string, string>;
  /** Folder for what it writes to standard error. */
  dataDir: string;
  /** A path it answers with a 2xx once it serves. */
  path: string;
}

const WAIT_MS = 60_000;
const LOOK_MS = 20;

/**
 * Starts a server on a free port and waits for its first good answer. Its log lines are written, since that is part of
 * its work, but to nowhere: reading them would take the processor from it.
 */
export async function startSubject(options: StartOptions): Promise<Subject> {
  const port = await freePort();
  mkdirSync(options.dataDir, { recursive: true });
  const errors = join(options.dataDir, `stderr-${port}.log`);
  const stderr = openSync(errors, "a");
  const { PATH = "", HOME = "" } = process.env;
  const base = {
    PATH,
    HOME,
    NODE_ENV: "production" as const,
    NEXT_TELEMETRY_DISABLED: "1",
    PORT: String(port),
    // No load balancer watches: what is measured, a profile above all, ends with the load.
    DRAIN_SECONDS: "0",
  };
  // `npm start` gets a group of its own, so that it can be ended with all it started.
  const child = spawn(options.command ?? process.execPath, options.args, {
    env: { ...base, ...options.env },
    stdio: ["ignore", "ignore", stderr],
    detached: options.command !== undefined,
  });
  closeSync(stderr);
  const url = `http://127.0.0.1:${port}`;
  const subject = { url, pid: child.pid!, stop: () => end(child, options.command === undefined ? 1 : -1) };
  try {
    await firstAnswer(url + options.path, child);
  } catch (error) {
    await subject.stop();
    throw new Error(`${options.args.join(" ")}: ${error}\n${readFileSync(errors, "utf8")}`);
  }
  return subject;
}

async function firstAnswer(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const response = await fetch(url, { headers: { "x-forwarded-for": "192.0.2.1" } }).catch(() => null);
    if (response?.ok) return void (await response.arrayBuffer());
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new Error("it did not answer in time");
}

/** @param sign -1 ends the whole group */
function end(child: ChildProcess, sign: 1 | -1): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
  try {
    process.kill(sign * child.pid!, "SIGTERM");
  } catch {
    // It has ended already.
  }
  return ended;
}

/** The app as `npm start` runs it, with a sandbox of its own unless `env` names one. */
export async function startApp(dataDir: string, env: Record<string, string> = {}, nodeArgs: string[] = []) {
  const sandboxPort = await freePort();
  const app = await startSubject({
    args: [...nodeArgs, ...START_ARGS],
    env: { DATA_DIR: dataDir, SANDBOX_PORT: String(sandboxPort), CLIENT_IP: "proxy:1", ...env },
    dataDir,
    path: "/api/auth",
  });
  return { ...app, rpc: env.SANDBOX_URL ?? `http://127.0.0.1:${sandboxPort}` };
}

/** The same built app behind `next start`, on a sandbox that runs already. */
export async function startNextDoor(dataDir: string, rpc: string, nodeArgs: string[] = []): Promise<Subject> {
  return startSubject({
    args: [...nodeArgs, "node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1"],
    env: { DATA_DIR: dataDir, CLIENT_IP: "proxy:1", ...(await sandboxAt(rpc)) },
    dataDir,
    path: "/api/auth",
  });
}

/** The settings that point an app at a running sandbox. */
export async function sandboxAt(rpc: string, url = rpc): Promise<{ SANDBOX_URL: string; FEE_COLLECTORS: string }> {
  const { feeCollectors } = await sandboxRpc<{ feeCollectors: string[] }>(rpc, "sandbox_info");
  return { SANDBOX_URL: url, FEE_COLLECTORS: feeCollectors.join(",") };
}

/** A route handler that does nothing, behind `next start`; built by `buildBareNext`. */
export const startBareNext = (dataDir: string): Promise<Subject> =>
  startSubject({
    args: ["node_modules/next/dist/bin/next", "start", "tests/bench/bare-next", "-H", "127.0.0.1"],
    dataDir,
    path: "/api/bare",
  });

/** @param recorded see recordAnswers */
export const startRawHttp = (dataDir: string, recorded: string): Promise<Subject> =>
  startSubject({
    args: ["--import", "tsx", "tests/bench/raw-http.ts"],
    env: { RECORDED: recorded },
    dataDir,
    path: "/api/auth",
  });
