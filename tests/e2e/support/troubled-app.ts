import { makeFolder, removeFolder, sandboxRpc, startServerApp } from "../../support/app/app";
import { test as base, expect } from "./fixtures";
import { type Front, startFront } from "./front";
import { call, newSaver } from "./service";

export { expect, FAILED_REQUEST, inspectAll } from "./fixtures";

/** An app that a test may disturb, since nobody else uses it. */
export interface TroubledApp {
  /** Past the front proxy: for preparing. */
  url: string;
  /** Makes the chain, the market or both (`*`) answer with errors, until `heal`. */
  fail(target: string): Promise<void>;
  rpc<T>(method: string, ...params: unknown[]): Promise<T>;
  /** Lets more slots pass than a blockhash lives, and waits until the service builds on a newer one. */
  outliveBlockhashes(): Promise<void>;
  /** Lets 70 seconds pass for the service. */
  later(): Promise<void>;
  heal(): Promise<void>;
}

interface Fixtures {
  front: Front;
}

/** As the shared fixtures' test, on an app of this worker's own with a front proxy before it. */
export const test = base.extend<Fixtures, { app: TroubledApp }>({
  app: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
    async ({}, use) => {
      const dataDir = await makeFolder();
      const env = { NODE_OPTIONS: `--import=${new URL("./later.mjs", import.meta.url)}` };
      const app = await startServerApp({ dataDir, env });
      const url = await app.find((line) => /"sandboxRpc":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(line)?.[1]);
      const rpc = <T>(method: string, ...params: unknown[]) => sandboxRpc<T>(url, method, params);
      let passed = 0;
      await use({
        url: app.url,
        rpc,
        fail: (target) => rpc("sandbox_setFault", { target, mode: "error" }),
        async outliveBlockhashes() {
          await rpc("sandbox_advanceSlots", 200);
          const height = await rpc<number>("getBlockHeight");
          const saver = newSaver();
          const body = {
            txValueUsd: 0.5,
            plan: "forest",
            userPubkey: saver.wallet,
            serviceWalletPubkey: saver.service.address,
          };
          await expect
            .poll(async () => {
              const built = await call("/api/wrap", { body, headers: saver.credentials, base: app.url });
              return built.transaction.lastValidBlockHeight;
            })
            .toBeGreaterThan(height);
        },
        async later() {
          passed += 70_000;
          app.child.kill("SIGUSR2");
          await app.find((line) => line === `passed ${passed}` || undefined);
        },
        async heal() {
          await rpc("sandbox_setFault", { target: "*", mode: "off" });
          await rpc("sandbox_dropTransactions", false);
        },
      });
      await app.stop();
      await removeFolder(dataDir);
    },
    { scope: "worker" },
  ],
  front: async ({ app }, use) => {
    const front = await startFront(app.url);
    await use(front);
    await front.stop();
    await app.heal();
  },
  baseURL: async ({ front }, use) => use(front.url),
});
