import { existsSync } from "node:fs";
import { createTempFolder, removeFolder, startServerApp } from "../../support/app/app";

/**
 * Starts the built app with its sandbox for the whole run. The rate limit stays on, and every page has its own address.
 */
export default async function setup(): Promise<() => Promise<void>> {
  if (!existsSync(".next/BUILD_ID")) throw new Error("There is no build: run `npm run build` first (npm test does).");
  if (!process.env.E2E_SCREENS)
    console.warn(
      "skipped: sheets, dark pages and all guides but the first at 1280 px; `E2E_SCREENS=1 npm run e2e` inspects them",
    );
  const dataDir = createTempFolder();
  const app = await startServerApp({ dataDir });
  process.env.E2E_URL = app.url;
  process.env.E2E_RPC = await app.waitForLine((line) => /"sandboxRpc":"(http:\/\/127\.0\.0\.1:\d+)"/.exec(line)?.[1]);
  return async () => {
    await app.stop();
    removeFolder(dataDir);
  };
}
