import { writeFileSync } from "node:fs";
import { type Browser, chromium, type Route } from "@playwright/test";
import { DAY_MS } from "../../lib/domain/time";
import { findChromium } from "../../tests/e2e/support/chromium";
import {
  callApi,
  createSaver,
  fund,
  investSavings,
  registerServiceWallet,
  type Saver,
  saveRoundUps,
} from "../../tests/e2e/support/service";
import { openSession } from "../../tests/e2e/support/session";
import { createTempFolder, removeFolder, startServerApp } from "../../tests/support/app/app";

/*
 * Takes the landing page's pictures of the overview: `npm run pictures:dashboard`, after a build. The sandbox's savings
 * are all recent, so this program spreads them over months with rising prices.
 */

const SIZE = { width: 390, height: 900 };
const MONTHS_BACK = 7;

const now = Date.now();
/** Invented: rises by about a fifth in 210 days, with waves. */
const computePastPriceShare = (daysAgo: number) => 1 - daysAgo / 1_200 - 0.035 * (1 - Math.cos(daysAgo / 13));

// biome-ignore lint/suspicious/noExplicitAny: answers of several shapes, in which this program changes two members
type Answer = any;

/** Spreads the items over the last months, at the invented prices. */
function spreadInTime(items: Answer[]): void {
  for (const [i, item] of items.entries()) {
    const daysAgo = ((i + 0.2) / items.length) * MONTHS_BACK * 30;
    item.time = new Date(now - daysAgo * DAY_MS).toISOString();
    if (item.usdValue !== null) item.usdValue *= computePastPriceShare(daysAgo);
  }
}

/** The prices of stablecoins stay constant. */
function replaceHistory(series: Answer[]): void {
  for (const prices of series) {
    const usd = prices.points.at(-1).usd;
    const isStablecoin = prices.asset.startsWith("USD");
    prices.points = Array.from({ length: 300 }, (_, i) => {
      const daysAgo = 299 - i;
      return {
        time: new Date(now - daysAgo * DAY_MS).toISOString(),
        usd: isStablecoin ? usd : usd * computePastPriceShare(daysAgo),
      };
    });
  }
}

/** Edits the data of the service's response. */
async function fulfillChanged(route: Route, change: (data: Answer) => void): Promise<void> {
  const response = await route.fetch();
  const body = await response.json();
  change(body.data);
  await route.fulfill({ response, json: body });
}

async function createSavings(saver: Saver): Promise<void> {
  await registerServiceWallet(saver);
  await fund(saver.wallet, 10);
  for (const asset of ["BTC", "ETH", "BTC", "USDC", "BTC", "ETH"]) {
    await saveRoundUps(
      saver,
      Array.from({ length: 190 }, (_, i) => 3 + (i % 9) / 10),
    );
    await investSavings(saver, asset);
  }
  await saveRoundUps(saver, [4.12, 7.35]);
  await callApi("/api/sandbox/airdrop", { body: { address: saver.wallet, sol: 1, history: true } });
}

async function takePicture(browser: Browser, saver: Saver, colorScheme: "light" | "dark"): Promise<Buffer> {
  const context = await browser.newContext({
    viewport: SIZE,
    deviceScaleFactor: 1.5,
    colorScheme,
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  await openSession(page, { saver, sol: 0 });
  await page.route("**/api/activity/**", (route) => fulfillChanged(route, (data) => spreadInTime(data.items)));
  await page.route("**/api/prices/history**", (route) => fulfillChanged(route, (data) => replaceHistory(data.series)));
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

/** WebP is far smaller than PNG. */
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

const dataDir = createTempFolder();
const app = await startServerApp({ dataDir });
process.env.E2E_URL = app.url;
const browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox"] });
try {
  const saver = createSaver();
  await createSavings(saver);
  for (const scheme of ["light", "dark"] as const)
    writeFileSync(`public/dashboard-${scheme}.webp`, await toWebp(browser, await takePicture(browser, saver, scheme)));
} finally {
  await browser.close();
  await app.stop();
  removeFolder(dataDir);
}
