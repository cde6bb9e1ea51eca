import { readFile } from "node:fs/promises";
import { join } from "node:path";
import bs58 from "bs58";
import { afterAll } from "vitest";
import { getRecordingsFolder, recordSecret, setTargetApp } from "../client/client";
import { toTestWallet } from "../fixtures/test-wallets";
import { createFolderForFile } from "../store/temp-folder";
import { type App, startServerApp } from "./app";

/** Settings of a server whose node does not exist. It starts quickly, for tests that need no chain. */
export const NO_CHAIN_SETTINGS = {
  SANDBOX_URL: "http://127.0.0.1:9",
  FEE_COLLECTORS: Array.from({ length: 8 }, (_, i) => toTestWallet(`collector ${i}`).address).join(","),
};

/**
 * Starts a server in a temporary folder, as `startAppForFile` does. Stops it after the file's tests. Call it outside of
 * tests and hooks.
 */
export async function startTemporaryAppForFile(name: string, env: Record<string, string>): Promise<App> {
  const app = await startAppForFile(name, createFolderForFile(), env);
  afterAll(async () => void (await app.stop()));
  return app;
}

/**
 * Starts a server for one test file and sends all later calls of tests/support/client/client.ts to the server. Records
 * the secrets of its sandbox's operator. The secret scan in tests/canary reads the server's log.
 * @param name name of the log file
 */
export async function startAppForFile(name: string, dataDir: string, env: Record<string, string> = {}): Promise<App> {
  const recordings = getRecordingsFolder();
  const logFile = recordings && join(recordings, `${name}.log`);
  const app = await startServerApp({ dataDir, env, logFile });
  setTargetApp(app.url);
  const hasSandbox = env.NETWORK !== "mainnet-beta" && !env.SANDBOX_URL;
  if (hasSandbox) await recordOperatorSecrets(dataDir);
  return app;
}

/** Records the secrets of a sandbox's operator, so that the canary searches for them. */
export async function recordOperatorSecrets(dataDir: string): Promise<void> {
  const { seed, treasury, treasurySecret } = JSON.parse(await readFile(join(dataDir, "chain/operator.json"), "utf8"));
  recordSecret(Buffer.from(seed, "hex"));
  recordSecret(bs58.decode(treasury));
  recordSecret(bs58.decode(treasurySecret));
}
