import { readFile } from "node:fs/promises";
import { join } from "node:path";
import bs58 from "bs58";
import { inject } from "vitest";
import { aimAt, keepSecret } from "../client/client";
import { testWallet } from "../fixtures/test-wallets";
import { type App, startServerApp } from "./app";
import type { Doors } from "./global-setup";

/** Settings of a server that looks for its chain where there is none: enough for what needs no chain, and quick to start. */
export const NO_CHAIN = {
  SANDBOX_URL: "http://127.0.0.1:9",
  FEE_COLLECTORS: Array.from({ length: 8 }, (_, i) => testWallet(`collector ${i}`).address).join(","),
};

/** A server of the test's own; calls of tests/support/client/client.ts go there from now on. Its log is kept for the canary. */
export async function startOwnApp(name: string, dataDir: string, env: Record<string, string> = {}): Promise<App> {
  const recordings = (inject("doors") as Doors | undefined)?.recordings;
  const logFile = recordings && join(recordings, `${name}.log`);
  const app = await startServerApp({ dataDir, env, logFile });
  aimAt(app.url);
  const hasSandbox = env.NETWORK !== "mainnet-beta" && !env.SANDBOX_URL;
  if (hasSandbox) await keepOperatorSecrets(dataDir);
  return app;
}

/** What only the operator of a sandbox knows must appear nowhere. */
export async function keepOperatorSecrets(dataDir: string): Promise<void> {
  const { seed, treasury, treasurySecret } = JSON.parse(await readFile(join(dataDir, "sandbox/operator.json"), "utf8"));
  keepSecret(Buffer.from(seed, "hex"));
  keepSecret(bs58.decode(treasury));
  keepSecret(bs58.decode(treasurySecret));
}
