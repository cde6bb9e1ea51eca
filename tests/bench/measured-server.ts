import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findFreePort, START_ARGS, sandboxRpc } from "../support/app/app";

/** A server under measurement. */
export interface MeasuredServer {
  url: string;
  pid: number;
  /** Ends the server and waits for its exit. */
  stop(): Promise<void>;
}

interface StartOptions {
  /** Arguments of node. */
  args: string[];
  env?: Record<string, string>;
  /** Folder for the server's standard error. */
  dataDir: string;
  /** A path that returns a 2xx when the server is ready. */
  readinessPath: string;
}

/** Timeout of a server's first answer, ms. */
const ANSWER_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/**
 * Starts a server on a free port and waits for its first successful answer. The server writes its log lines, because
 * logging is part of its work. The lines go to /dev/null, because reading them would take CPU time.
 */
export async function startMeasuredServer(options: StartOptions): Promise<MeasuredServer> {
  const port = await findFreePort();
  mkdirSync(options.dataDir, { recursive: true });
  const stderrPath = join(options.dataDir, `stderr-${port}.log`);
  const stderr = openSync(stderrPath, "a");
  const { PATH = "", HOME = "" } = process.env;
  const child = spawn(process.execPath, options.args, {
    env: {
      PATH,
      HOME,
      NODE_ENV: "production",
      NEXT_TELEMETRY_DISABLED: "1",
      PORT: String(port),
      // Without a drain period, the server exits as soon as `stop` signals it.
      DRAIN_SECONDS: "0",
      ...options.env,
    },
    stdio: ["ignore", "ignore", stderr],
  });
  closeSync(stderr);
  const url = `http://127.0.0.1:${port}`;
  const server = { url, pid: child.pid!, stop: () => stopProcess(child) };
  try {
    await waitForAnswer(url + options.readinessPath, child);
  } catch (error) {
    await server.stop();
    throw new Error(`${options.args.join(" ")}: ${error}\n${readFileSync(stderrPath, "utf8")}`);
  }
  return server;
}

/** Waits for the first successful answer. @throws Error when the process ends first, or does not answer in time */
async function waitForAnswer(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const response = await fetch(url, { headers: { "x-forwarded-for": "192.0.2.1" } }).catch(() => null);
    if (response?.ok) return void (await response.arrayBuffer());
    await setTimeout(POLL_MS);
  }
  throw new Error("it did not answer in time");
}

/** Ends a process and waits for its exit. */
function stopProcess(child: ChildProcess): Promise<void> {
  const processExit = new Promise<void>((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once("exit", () => resolve());
  });
  child.kill();
  return processExit;
}

/**
 * Runs a measurement of several servers. When it ends or fails, stops every server, in reverse order.
 * @param measure starts each server through `start`
 */
export async function withMeasuredServers<Result>(
  measure: (start: <Started extends MeasuredServer>(starting: Promise<Started>) => Promise<Started>) => Promise<Result>,
): Promise<Result> {
  const servers: MeasuredServer[] = [];
  try {
    return await measure(async (starting) => {
      const server = await starting;
      servers.push(server);
      return server;
    });
  } finally {
    for (const server of servers.reverse()) await server.stop();
  }
}

/** Starts the app as `npm start` does, with a separate sandbox unless `env` names one. */
export async function startApp(
  dataDir: string,
  env: Record<string, string> = {},
): Promise<MeasuredServer & { rpcUrl: string }> {
  const sandboxPort = await findFreePort();
  const app = await startMeasuredServer({
    args: START_ARGS,
    env: { DATA_DIR: dataDir, SANDBOX_PORT: String(sandboxPort), CLIENT_IP: "proxy:1", ...env },
    dataDir,
    readinessPath: "/api/auth",
  });
  if (env.SANDBOX_URL) return { ...app, rpcUrl: env.SANDBOX_URL };
  const rpcUrl = `http://127.0.0.1:${sandboxPort}`;
  try {
    await sandboxRpc(rpcUrl, "sandbox_info");
    return { ...app, rpcUrl };
  } catch {
    // The sandbox chooses another port when a connection has taken this one first.
    await app.stop();
    return startApp(dataDir, env);
  }
}

/** Returns the settings that make an app use a running sandbox. @param url address that the app calls */
export async function readSandboxSettings(
  rpcUrl: string,
  url = rpcUrl,
): Promise<{ SANDBOX_URL: string; FEE_COLLECTORS: string }> {
  const { feeCollectors } = await sandboxRpc<{ feeCollectors: string[] }>(rpcUrl, "sandbox_info");
  return { SANDBOX_URL: url, FEE_COLLECTORS: feeCollectors.join(",") };
}
