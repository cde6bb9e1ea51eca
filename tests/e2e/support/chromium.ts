import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";

const SYSTEM_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * Finds a Chromium without a download: E2E_CHROMIUM, Playwright's own, the system's, or the one that
 * @sparticuz/chromium carries in its npm package (Linux x64).
 * @throws {Error} with instructions when there is none
 */
export async function findChromium(): Promise<string> {
  const configured = process.env.E2E_CHROMIUM;
  if (configured) return configured;
  const bundled = chromium.executablePath();
  const executablePath = [bundled, ...SYSTEM_PATHS].find((path) => existsSync(path));
  if (executablePath) return executablePath;
  if (process.platform === "linux" && process.arch === "x64") {
    // The package reads this on import and unpacks the shared libraries that a minimal machine lacks.
    process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
    const { default: packed } = await import("@sparticuz/chromium");
    return packed.executablePath();
  }
  throw new Error("No Chromium found: set E2E_CHROMIUM, or run `npx playwright install chromium`.");
}
