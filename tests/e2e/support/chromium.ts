import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import packageJson from "../../../package.json" with { type: "json" };

const SYSTEM_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/microsoft-edge",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
];

/**
 * Finds a Chromium without a download: E2E_CHROMIUM, the pinned one that @sparticuz/chromium carries in its npm package
 * (Linux x64), Playwright's own, or the system's.
 * @throws {Error} with instructions when there is none
 */
export async function findChromium(): Promise<string> {
  const configured = process.env.E2E_CHROMIUM;
  if (configured) return configured;
  if (process.platform === "linux" && process.arch === "x64") return unpackChromium();
  const executablePath = [chromium.executablePath(), ...SYSTEM_PATHS].find((path) => existsSync(path));
  if (executablePath) return executablePath;
  throw new Error("No Chromium found: set E2E_CHROMIUM, or run `npx playwright install chromium`.");
}

/**
 * Unpacks the pinned Chromium, once per version. The package would run any `chromium` that it finds in the temporary
 * folder, also that of an earlier version, so each version has its own folder.
 */
async function unpackChromium(): Promise<string> {
  const version = packageJson.devDependencies["@sparticuz/chromium"];
  const folder = join(import.meta.dirname, "../../.tmp", `chromium-${version}`);
  const { TMPDIR } = process.env;
  process.env.TMPDIR = folder;
  // The package reads this on import, and unpacks the shared libraries that a minimal machine lacks.
  process.env.AWS_LAMBDA_JS_RUNTIME ??= "nodejs20.x";
  try {
    const { default: packed } = await import("@sparticuz/chromium");
    // A run that was stopped while it unpacked leaves a broken file.
    if (spawnSync(join(folder, "chromium"), ["--version"]).status !== 0)
      rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    const executablePath = await packed.executablePath();
    const fontSettings = join(folder, "fonts/fonts.conf");
    writeFileSync(fontSettings, readFileSync(fontSettings, "utf8").replaceAll(">/tmp/fonts", `>${folder}/fonts`));
    return executablePath;
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
}
