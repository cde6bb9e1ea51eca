import { defineConfig } from "@playwright/test";
import { findChromium } from "./support/chromium";

// Find the browser once, so that a packed Chromium is unpacked before the workers start.
const executablePath = await findChromium();
const firefoxPath = process.env.E2E_FIREFOX;

/** Journeys of `npm run test:slow`, which CI runs after `npm test`. */
const SLOW_FILES =
  /(activity|basics|crash|csv|display|docs|external-wallet|faults|foreign-wallets|in-part|keys|landing|leaving|mainnet|offchain-wallet|settings|sheet|storage|withdraw-edges)\.spec\.ts$/;

export default defineConfig({
  testDir: ".",
  outputDir: "../.tmp/e2e",
  globalSetup: "./support/global-setup.ts",
  projects: [
    { name: "core", testIgnore: SLOW_FILES },
    { name: "slow", testMatch: SLOW_FILES },
    ...(firefoxPath
      ? [
          {
            name: "firefox",
            grep: /@browsers/,
            use: { browserName: "firefox", channel: "moz-firefox", launchOptions: { executablePath: firefoxPath } },
          } as const,
        ]
      : []),
  ],
  workers: 2,
  fullyParallel: false,
  retries: 0,
  // The longest journeys are marked slow. A busy machine needs several times as long as an idle one, and a journey
  // that passes never waits for a limit.
  timeout: 180_000,
  expect: { timeout: 60_000 },
  reporter: [["list"], ["./support/context-reporter.ts"]],
  use: {
    viewport: { width: 1280, height: 800 },
    // A sheet would otherwise move for some time before each click. Newcomers and sheets are tested with motion.
    contextOptions: { reducedMotion: "reduce" },
    launchOptions: {
      executablePath,
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"],
    },
    trace: "off",
    video: "off",
  },
});
