import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOnFreePort } from "./listen";
import { type RunningProcess, runNode } from "./process";

export interface App extends RunningProcess {
  url: string;
  dataDir: string;
}

/** Creates a folder in the system's temporary directory. `removeFolder` removes it. */
export const createTempFolder = () => mkdtempSync(join(tmpdir(), "roundup-"));
/** Removes a folder and its content. Does nothing if it does not exist. */
export const removeFolder = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 5 });

/** The arguments that the `npm start` script passes to node. */
export const START_ARGS: string[] = JSON.parse(readFileSync("package.json", "utf8")).scripts.start.split(" ").slice(2);

interface AppOptions {
  dataDir: string;
  env?: Record<string, string>;
  logFile?: string;
}

/** Starts the built app behind server.ts on free ports, with prices that do not change. `env` overrides both. */
export async function startServerApp({ dataDir, env = {}, logFile }: AppOptions): Promise<App> {
  const sandboxSettings = { SANDBOX_PORT: "0", SANDBOX_PRICES: "fixed" };
  const settings = { PORT: "0", DATA_DIR: dataDir, CLIENT_IP: "proxy:1", ...sandboxSettings, ...env };
  const app = runNode(START_ARGS, { env: settings, logFile });
  const port = await app.waitForLine((line) => /"listening":"http:\/\/localhost:(\d+)"/.exec(line)?.[1]);
  return Object.assign(app, { url: `http://127.0.0.1:${port}`, dataDir });
}

/** Returns the address of the JSON-RPC of an app's own sandbox. */
export const findSandboxUrl = (app: App): Promise<string> =>
  app.waitForLine((line) => /"sandboxRpc":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(line)?.[1]);

/** Starts the built app behind `next start` alone. */
export async function startNextApp({ dataDir, env = {}, logFile }: AppOptions): Promise<App> {
  const settings = { DATA_DIR: dataDir, CLIENT_IP: "proxy:1", ...env };
  const args = ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", "0"];
  const app = runNode(args, { env: settings, logFile });
  const url = await app.waitForLine((line) => /Local:\s+(http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1]);
  await app.waitForLine((line) => /Ready in/.test(line) || undefined);
  return Object.assign(app, { url, dataDir });
}

/** Returns a loopback port that no process listens on. Another process may take it before the caller does. */
export async function findFreePort(): Promise<number> {
  const server = createServer();
  const url = await listenOnFreePort(server);
  await new Promise((resolve) => server.close(resolve));
  return Number(new URL(url).port);
}

/** Calls a method of a sandbox's JSON-RPC. @throws Error with the sandbox's message when the call fails */
export async function sandboxRpc<T = unknown>(url: string, method: string, params: unknown[] = []): Promise<T> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
  if (error) throw new Error(`${method}: ${error.message}`);
  return result;
}
