import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { findFreePort, START_ARGS, sandboxRpc } from "../support/app/app";

/** Timeout of a server's first answer, ms. */
const ANSWER_TIMEOUT_MS = 60_000;
const POLL_MS = 20;

/**
 * Starts the app as `npm start` does, with a separate sandbox unless `env` names one, and waits for its first answer.
 * It writes its log lines, because logging is part of its work. They go to /dev/null, because reading them would take
 * CPU time.
 */
export async function startApp(dataDir: string, env: Record<string, string> = {}) {
  const [port, sandboxPort] = [await findFreePort(), await findFreePort()];
  mkdirSync(dataDir, { recursive: true });
  const stderrPath = join(dataDir, `stderr-${port}.log`);
  const stderr = openSync(stderrPath, "a");
  const { PATH = "", HOME = "" } = process.env;
  const ports = { PORT: String(port), SANDBOX_PORT: String(sandboxPort), CLIENT_IP: "proxy:1" };
  // Without a drain period, the server exits as soon as `stop` signals it.
  const fixedEnv = { NODE_ENV: "production" as const, NEXT_TELEMETRY_DISABLED: "1", DRAIN_SECONDS: "0" };
  const child = spawn(process.execPath, START_ARGS, {
    env: { PATH, HOME, ...fixedEnv, ...ports, DATA_DIR: dataDir, ...env },
    stdio: ["ignore", "ignore", stderr],
  });
  closeSync(stderr);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill();
    await once(child, "exit");
  };
  try {
    await waitForAnswer(`${url}/api/auth`, child);
  } catch (error) {
    await stop();
    throw new Error(`${error}\n${readFileSync(stderrPath, "utf8")}`);
  }
  const app = { url, pid: child.pid!, stop };
  if (env.SANDBOX_URL) return { ...app, rpcUrl: env.SANDBOX_URL };
  const rpcUrl = `http://127.0.0.1:${sandboxPort}`;
  try {
    await sandboxRpc(rpcUrl, "sandbox_info");
    return { ...app, rpcUrl };
  } catch {
    // The sandbox chooses another port when a connection has taken this one first.
    await stop();
    return startApp(dataDir, env);
  }
}

/** Waits for the first successful answer. @throws Error when the process ends first, or does not answer in time */
async function waitForAnswer(url: string, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + ANSWER_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null) throw new Error(`the app ended with ${child.exitCode}`);
    const response = await fetch(url, { headers: { "x-forwarded-for": "192.0.2.1" } }).catch(() => null);
    if (response?.ok) return void (await response.arrayBuffer());
    await setTimeout(POLL_MS);
  }
  throw new Error("the app did not answer in time");
}
