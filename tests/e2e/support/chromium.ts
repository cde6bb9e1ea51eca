import { existsSync } from "node:fs";
import { chromium } from "@playwright/test";

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * A Chromium without any download: E2E_CHROMIUM, else Playwright's own when it is installed, else the system's, else the
 * one that @sparticuz/chromium carries in its npm package (Linux x64).
 * @throws {Error} saying what to do when there is none
 */
export async function findChromium(): Promise<string> {
  const named = process.env.E2E_CHROMIUM;
  if (named) return named;
  const own = chromium.executablePath();
  const installed = [own, ...INSTALLED].find((path) => existsSync(path));
  if (installed) return installed;
  if (process.platform === "linux" && process.arch === "x64") {
    // Makes the package unpack the shared libraries that a bare machine lacks; read when it is imported.
    process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
    const { default: packed } = await import("@sparticuz/chromium");
    return packed.executablePath();
  }
  throw new Error("No Chromium found: set E2E_CHROMIUM, or run `npx playwright install chromium`.");
}
