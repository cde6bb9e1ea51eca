import { execFileSync } from "node:child_process";
import { gzipSync } from "node:zlib";
import { type Browser, chromium, type Page } from "@playwright/test";
import { findChromium } from "../e2e/support/chromium";
import { startApp } from "./measured-server";
import type { Check } from "./report";

/** Maximum JavaScript of a page in kB, after gzip. */
const MAX_LANDING_KB = 150;
const MAX_DASHBOARD_KB = 330;
/** Lowest score of each Lighthouse category, of 100. */
const MIN_SCORE = 95;
/** Duration of a frame at 60 Hz, ms. */
const FRAME_MS = 1000 / 60;
/** The last version for Node 20. npm fetches it when the bench runs, because it brings more packages than the app. */
const LIGHTHOUSE_PACKAGE = "lighthouse@12.8.2";
const CATEGORIES = { performance: "Performance", accessibility: "Accessibility", "best-practices": "Best practices" };
const CHROMIUM_FLAGS = ["--no-sandbox", "--disable-dev-shm-usage", "--disable-background-networking", "--no-first-run"];

/** Paths below /dashboard. */
const DASHBOARD_PATHS = ["", "/round-up", "/invest", "/withdraw", "/activity", "/keys", "/settings"];

export interface BrowserFigures {
  landing: PageScripts;
  /** One entry for each page of the dashboard. */
  dashboard: PageScripts[];
  /** Scores from 0 to 100, by Lighthouse category. */
  scores: Record<string, number>;
  /** Times from a key press in the calculator to the changed answer in the document, in ms, ascending. */
  keyMs: number[];
}

interface PageScripts {
  /** JavaScript that the document names, in kB after gzip. */
  documentKb: number;
  /** JavaScript that the page has loaded when its network is idle, in kB after gzip. */
  idleKb: number;
}

/** Measures script sizes, key latency and Lighthouse scores of the pages on a first visit. */
export async function measureBrowser(folder: string): Promise<BrowserFigures> {
  const executablePath = await findChromium();
  const app = await startApp(`${folder}/browser`);
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    const dashboard: PageScripts[] = [];
    for (const path of DASHBOARD_PATHS) dashboard.push(await measureScripts(browser, `${app.url}/dashboard${path}`));
    return {
      landing: await measureScripts(browser, `${app.url}/`),
      dashboard,
      keyMs: await measureKeyPresses(browser, app.url),
      scores: runLighthouse(app.url, executablePath),
    };
  } finally {
    await browser.close();
    await app.stop();
  }
}

async function measureScripts(browser: Browser, url: string): Promise<PageScripts> {
  const page = await browser.newPage();
  const sizesByUrl = new Map<string, Promise<number>>();
  page.on("response", (response) => {
    if (/\.js(\?|$)/.test(response.url())) sizesByUrl.set(response.url(), response.body().then(measureGzipKb));
  });
  await page.goto(url, { waitUntil: "networkidle" });
  const documentScripts = await readDocumentScripts(page, url);
  const sumKb = async (urls: Iterable<string>) =>
    (await Promise.all([...urls].map((script) => sizesByUrl.get(script) ?? 0))).reduce((sum, size) => sum + size, 0);
  const figures = { documentKb: await sumKb(documentScripts), idleKb: await sumKb(sizesByUrl.keys()) };
  await page.close();
  return figures;
}

const measureGzipKb = (body: Buffer) => gzipSync(body).length / 1000;

/** Returns the scripts in the server's document, before any of them runs. */
async function readDocumentScripts(page: Page, url: string): Promise<Set<string>> {
  const html = await (await page.request.get(url)).text();
  return new Set([...html.matchAll(/<script[^>]* src="([^"]+)"/g)].map((match) => new URL(match[1]!, url).href));
}

async function measureKeyPresses(browser: Browser, url: string): Promise<number[]> {
  const page = await browser.newPage();
  await page.goto(url, { waitUntil: "networkidle" });
  await page.evaluate(() => {
    const result = document.querySelector("[data-testid=calculator-result]")!;
    const times: number[] = [];
    Object.assign(window, { keyTimes: times });
    let pressedAt = 0;
    addEventListener("keydown", () => (pressedAt = performance.now()), { capture: true });
    new MutationObserver(() => times.push(performance.now() - pressedAt)).observe(result, {
      subtree: true,
      childList: true,
      characterData: true,
    });
  });
  const field = page.getByLabel("You pay");
  for (let round = 0; round < 20; round++) {
    await field.fill("");
    await field.pressSequentially("1234.56");
  }
  const times = await page.evaluate(() => (window as unknown as { keyTimes: number[] }).keyTimes);
  await page.close();
  return times.sort((a, b) => a - b);
}

function runLighthouse(url: string, chromePath: string): Record<string, number> {
  const flags = [
    "--preset=desktop",
    "--output=json",
    "--quiet",
    `--chrome-flags=--headless=new ${CHROMIUM_FLAGS.join(" ")}`,
    `--only-categories=${Object.keys(CATEGORIES).join(",")}`,
  ];
  const report = execFileSync(
    "npm",
    ["exec", "--yes", `--package=${LIGHTHOUSE_PACKAGE}`, "--", "lighthouse", url, ...flags],
    {
      env: { ...process.env, CHROME_PATH: chromePath },
      encoding: "utf8",
      maxBuffer: 64e6,
      stdio: ["ignore", "pipe", "ignore"],
    },
  );
  const { categories } = JSON.parse(report) as { categories: Record<string, { score: number }> };
  return Object.fromEntries(Object.entries(categories).map(([id, { score }]) => [id, Math.round(score * 100)]));
}

export function checkBrowser({ landing, dashboard, scores, keyMs }: BrowserFigures): Check[] {
  const idleKilobytes = dashboard.map(({ idleKb }) => idleKb);
  const [minIdleKb, maxIdleKb] = [Math.min(...idleKilobytes), Math.max(...idleKilobytes)];
  const p99 = keyMs[Math.floor(keyMs.length * 0.99)] ?? Number.POSITIVE_INFINITY;
  return [
    {
      name: "JavaScript of the landing page, gzip",
      target: `≤ ${MAX_LANDING_KB} kB first load`,
      measured: `${landing.documentKb.toFixed(1)} kB, ${landing.idleKb.toFixed(1)} at rest`,
      isMet: landing.documentKb > 0 && landing.documentKb <= MAX_LANDING_KB,
    },
    {
      name: "JavaScript of each page of the dashboard, gzip",
      target: `≤ ${MAX_DASHBOARD_KB} kB at rest`,
      measured: `${minIdleKb.toFixed(1)}–${maxIdleKb.toFixed(1)} kB`,
      isMet: minIdleKb > 0 && maxIdleKb <= MAX_DASHBOARD_KB,
    },
    ...Object.entries(CATEGORIES).map(([id, name]) => ({
      name: `Lighthouse, desktop, landing: ${name}`,
      target: `≥ ${MIN_SCORE}`,
      measured: `${scores[id]}`,
      isMet: (scores[id] ?? 0) >= MIN_SCORE,
    })),
    {
      name: "Calculator: key to changed answer, p99",
      target: `≤ ${FRAME_MS.toFixed(1)} ms, a frame`,
      measured: `${p99.toFixed(1)} ms`,
      isMet: p99 <= FRAME_MS,
    },
  ];
}
