import { createTempFolder, removeFolder, sandboxRpc, startServerApp } from "../../support/app/app";
import { startFaultySandbox } from "../../support/app/sandbox-program";
import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy";
import { test as base, expect } from "./fixtures";
import { callApi, createSaver } from "./service";

export { expect, FAILED_REQUEST, inspectPage } from "./fixtures";

/** An app for a single worker, so that a test can disturb it. */
export interface FaultyApp {
  /** URL that bypasses the proxy, for preparing data. */
  url: string;
  /** Makes the chain, the market or both (`*`) return errors until `removeFaults`. */
  startFault(target: string): Promise<void>;
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Advances slots past a blockhash's lifetime and waits until the service builds with a newer one. */
  expireBlockhashes(): Promise<void>;
  advanceClock(): Promise<void>;
  removeFaults(): Promise<void>;
}

/** The shared fixtures on an app of this worker with a proxy in front of it. */
export const test = base.extend<{ front: FaultyProxy }, { app: FaultyApp }>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
    async ({}, use) => {
      const dataDir = createTempFolder();
      const sandbox = await startFaultySandbox(dataDir);
      const env = { NODE_OPTIONS: `--import=${new URL("./advance-clock.mjs", import.meta.url)}`, ...sandbox.settings };
      const app = await startServerApp({ dataDir, env });
      const rpc = <T>(method: string, ...params: unknown[]) => sandboxRpc<T>(sandbox.url, method, params);
      let advancedMs = 0;
      await use({
        url: app.url,
        rpc,
        startFault: (target) => rpc("sandbox_setFault", { target, mode: "error" }),
        async expireBlockhashes() {
          await rpc("sandbox_advanceSlots", 200);
          const height = await rpc<number>("getBlockHeight");
          const saver = createSaver();
          const wallets = { userPubkey: saver.wallet, serviceWalletPubkey: saver.serviceWallet.address };
          const body = { ...wallets, txValueUsd: 0.5, plan: "forest" };
          await expect
            .poll(async () => {
              const wrap = await callApi("/api/wrap", { body, headers: saver.credentials, base: app.url });
              return wrap.transaction.lastValidBlockHeight;
            })
            .toBeGreaterThan(height);
        },
        async advanceClock() {
          advancedMs += 70_000;
          app.child.kill("SIGUSR2");
          await app.waitForLine((line) => line === `passed ${advancedMs}` || undefined);
        },
        async removeFaults() {
          await rpc("sandbox_setFault", { target: "*", mode: "off" });
          await rpc("sandbox_dropTransactions", false);
        },
      });
      await app.stop();
      await sandbox.stop();
      removeFolder(dataDir);
    },
    { scope: "worker" },
  ],
  front: async ({ app }, use) => {
    const front = await startFaultyProxy(app.url);
    await use(front);
    await front.stop();
    await app.removeFaults();
  },
  baseURL: async ({ front }, use) => use(front.url),
});
