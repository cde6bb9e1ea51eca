import { readFileSync, writeFileSync } from "node:fs";
import { type Browser, chromium } from "@playwright/test";
import { findChromium } from "../../tests/e2e/support/chromium";

/* Draws the committed bitmaps in public/: `npm run pictures`. A build draws none. */

const ICON = readFileSync("public/icons/icon.svg", "utf8");
/** For systems that crop icons to a shape. The sign stays in the middle 80 %. */
const SQUARE_ICON = ICON.replace(/<circle[^>]*\/>/, '<rect width="32" height="32" fill="#0a6b3d"/>');

const renderPage = (width: number, svg: string) =>
  `<style>body{margin:0}svg{display:block;width:${width}px;height:${width}px}</style>${svg}`;

async function drawIcon(browser: Browser, size: number, svg: string): Promise<Buffer> {
  const tab = await browser.newPage({ viewport: { width: size, height: size } });
  await tab.setContent(renderPage(size, svg));
  return tab.screenshot({ omitBackground: true });
}

/** Every request of the page is answered from the project's folder. */
async function drawSocial(browser: Browser): Promise<Buffer> {
  const tab = await browser.newPage({ viewport: { width: 1200, height: 630 } });
  await tab.route("**/*", (route) => route.fulfill({ path: `.${new URL(route.request().url()).pathname}` }));
  await tab.goto("http://pictures.invalid/docs/pictures/social.html", { waitUntil: "networkidle" });
  await tab.evaluate(() => document.fonts.ready);
  return tab.screenshot();
}

/** A 6-byte header, one 16-byte entry and the picture of `size` pixels. */
function toIco(png: Buffer, size: number): Buffer {
  const head = Buffer.alloc(22);
  head.writeUInt16LE(1, 2);
  head.writeUInt16LE(1, 4);
  head.set([size, size], 6);
  head.writeUInt16LE(1, 10);
  head.writeUInt16LE(32, 12);
  head.writeUInt32LE(png.length, 14);
  head.writeUInt32LE(head.length, 18);
  return Buffer.concat([head, png]);
}

const browser = await chromium.launch({ executablePath: await findChromium(), args: ["--no-sandbox"] });
writeFileSync("public/icons/icon-192.png", await drawIcon(browser, 192, ICON));
writeFileSync("public/icons/icon-512.png", await drawIcon(browser, 512, ICON));
writeFileSync("public/icons/maskable-512.png", await drawIcon(browser, 512, SQUARE_ICON));
writeFileSync("public/icons/touch-180.png", await drawIcon(browser, 180, SQUARE_ICON));
writeFileSync("public/favicon.ico", toIco(await drawIcon(browser, 48, ICON), 48));
writeFileSync("public/social.png", await drawSocial(browser));
await browser.close();
