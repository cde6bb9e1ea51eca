import { writeFileSync } from "node:fs";
import { type Browser, chromium, type Route } from "@playwright/test";
import { findChromium } from "../../tests/e2e/support/chromium";
import {
  call,
  createSaver,
  fund,
  invest,
  registerServiceWallet,
  roundUp,
  type Saver,
} from "../../tests/e2e/support/service";
import { openSession } from "../../tests/e2e/support/session";
import { makeFolder, removeFolder, startServerApp } from "../../tests/support/app/app";

/**
 * `npm run pictures:dashboard`, after a build: the landing page's picture of the overview, taken from the sandbox. The
 * sandbox's savings are all recent, so the picture spreads them over months with rising prices.
 */

const SIZE = { width: 390, height: 900 };
const MONTHS_BACK = 7;
const DAY_MS = 86_400_000;

const now = Date.now();
/** Past price as a share of today's: a rise of a fifth in total, with waves. */
const priceThen = (daysAgo: number) => 1 - daysAgo / 1_200 - 0.035 * (1 - Math.cos(daysAgo / 13));

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes, changed in two members
type Answer = any;

function spread(items: Answer[]): void {
  for (const [i, item] of items.entries()) {
    const daysAgo = ((i + 0.2) / items.length) * MONTHS_BACK * 30;
    item.time = new Date(now - daysAgo * DAY_MS).toISOString();
    if (item.usdValue !== null) item.usdValue *= priceThen(daysAgo);
  }
}

function history(series: Answer[]): void {
  for (const one of series) {
    const usd = one.points.at(-1).usd;
    const steady = one.asset.startsWith("USD");
    one.points = Array.from({ length: 300 }, (_, i) => {
      const daysAgo = 299 - i;
      return { time: new Date(now - daysAgo * DAY_MS).toISOString(), usd: steady ? usd : usd * priceThen(daysAgo) };
    });
  }
}

async function changed(route: Route, change: (data: Answer) => void): Promise<void> {
  const response = await route.fetch();
  const body = await response.json();
  change(body.data);
  await route.fulfill({ response, json: body });
}

async function save(saver: Saver): Promise<void> {
  await registerServiceWallet(saver);
  await fund(saver.wallet, 10);
  for (const asset of ["BTC", "ETH", "BTC", "USDC", "BTC", "ETH"]) {
    await roundUp(
      saver,
      Array.from({ length: 190 }, (_, i) => 3 + (i % 9) / 10),
    );
    await invest(saver, asset);
  }
  await roundUp(saver, [4.12, 7.35]);
  await call("/api/sandbox/airdrop", { body: { address: saver.wallet, sol: 1, history: true } });
}

async function draw(browser: Browser, saver: Saver, colorScheme: "light" | "dark"): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: 1.5,
    colorScheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await openSession(page, { saver, sol: 0 });
  await page.route("**/api/activity/**", (route) => changed(route, (data) => spread(data.items)));
  await page.route("**/api/prices/history**", (route) => changed(route, (data) => history(data.series)));
  await page.goto(`${process.env.E2E_URL}/dashboard`);
  await page.getByText("As a table").waitFor();
  await page.getByText("All", { exact: true }).click();
  await page.evaluate(() => {
    scrollTo({ top: 0, behavior: "instant" });
    return document.fonts.ready;
  });
  await page.waitForLoadState("networkidle");
  return page.screenshot();
}

/** Converts a PNG to WebP in the browser. WebP is far smaller. */
async function toWebp(browser: Browser, png: Buffer): Promise<Buffer> {
  const tab = await browser.newPage();
  const address = await tab.evaluate(
    async (source) => {
      const picture = new Image();
      picture.src = source;
      await picture.decode();
      const canvas = Object.assign(document.createElement("canvas"), { width: picture.width, height: picture.height });
      canvas.getContext("2d")!.drawImage(picture, 0, 0);
      return canvas.toDataURL("image/webp", 0.8);
    },
    `data:image/png;base64,${png.toString("base64")}`,
  );
  return Buffer.from(address.split(",")[1]!, "base64");
}

const dataDir = await makeFolder();
const app = await startServerApp({ dataDir });
process.env.E2E_URL = app.url;
const browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox"] });
try {
  const saver = createSaver();
  await save(saver);
  for (const scheme of ["light", "dark"] as const) {
    writeFileSync(`public/dashboard-${scheme}.webp`, await toWebp(browser, await draw(browser, saver, scheme)));
  }
} finally {
  await browser.close();
  await app.stop();
  await removeFolder(dataDir);
}
