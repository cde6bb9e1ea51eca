import { type FaultyProxy, startFaultyProxy } from "./faulty-proxy";
import { test as base } from "./fixtures";

export { expect, FAILED_REQUEST, inspectAll } from "./fixtures";

/** The shared fixtures with a proxy in front of the shared app. */
export const test = base.extend<{ front: FaultyProxy }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  front: async ({}, use) => {
    const front = await startFaultyProxy(process.env.E2E_URL!);
    await use(front);
    await front.stop();
  },
  baseURL: async ({ front }, use) => use(front.url),
});
