import { join } from "node:path";
import { type BrowserContext, test as base, expect, type Locator, type Page } from "@playwright/test";
import axe from "axe-core";
import { noteDemoWallet, secretsIn } from "./secrets";
import { newAddress } from "./service";

export { expect };

interface Watch {
  /** Console errors, failed assertions of the page, CSP violations and requests to other hosts, so far. */
  faults: string[];
  /** Faults that a test stages on purpose: those matching are not held against it. */
  allow(pattern: RegExp): void;
  /** Requests of any page so far that carried a derivation signature or a service key. */
  leaks(): string[];
}

/** What Chromium writes to the console for every answer of 400 and more, and for every request that found nobody. */
export const FAILED_REQUEST = /Failed to load resource/;

interface Fixtures {
  watch: Watch;
  /** The page's network address, the one the limit counts. */
  address: string;
}

/**
 * Every test fails on a console error, a CSP violation, a request to another host, or a request of any page that carries
 * the signature a service wallet is derived from, unless it allowed it.
 */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  baseURL: async ({}, use) => use(process.env.E2E_URL),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  address: async ({}, use) => use(newAddress()),
  extraHTTPHeaders: async ({ address }, use) => use({ "x-forwarded-for": address }),
  page: async ({ page }, use) => {
    const { goto, reload } = page;
    page.goto = async (...args) => heard(page, await goto.apply(page, args));
    page.reload = async (...args) => heard(page, await reload.apply(page, args));
    await use(page);
  },
  watch: [
    async ({ page, context, baseURL }, use) => {
      const watch = watchPage(page, new URL(baseURL!).origin);
      const leaks = watchLeaks(context);
      await use({ ...watch, leaks });
      // What a test stages of answers must not fail over those that come after its end.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      expect(watch.faults, "console errors, CSP violations, foreign requests").toEqual([]);
      noteDemoWallet(await page.evaluate(() => localStorage.getItem("roundup-demo-wallet")).catch(() => null));
      expect(
        leaks().filter((leak) => !watch.isAllowed(leak)),
        "requests with what must never leave the page",
      ).toEqual([]);
    },
    { auto: true },
  ],
});

/** A page is loaded a moment before its code listens: a click in between is lost, which no test is about. */
async function heard<T>(page: Page, loaded: T): Promise<T> {
  await page.waitForFunction(() => Object.keys(document).some((key) => key.startsWith("_reactListening")));
  return loaded;
}

function watchLeaks(context: BrowserContext): () => string[] {
  const sent: string[] = [];
  context.on("request", (request) => {
    sent.push([request.url(), JSON.stringify(request.headers()), request.postData() ?? ""].join("\n"));
  });
  return () => sent.flatMap((request) => secretsIn(request).map((secret) => `${secret} in ${request.split("\n")[0]}`));
}

function watchPage(page: Page, origin: string) {
  const faults: string[] = [];
  const allowed: RegExp[] = [];
  const isAllowed = (fault: string) => allowed.some((pattern) => pattern.test(fault));
  const note = (fault: string) => {
    if (!isAllowed(fault)) faults.push(fault);
  };
  // Chromium reports what a Content-Security-Policy blocks as a console error.
  page.on(
    "console",
    (message) => message.type() === "error" && note(`console: ${message.text()} (${message.location().url})`),
  );
  page.on("pageerror", (error) => note(`page error: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) note(`request to ${url.origin}`);
  });
  return { faults, isAllowed, allow: (pattern: RegExp) => void allowed.push(pattern) };
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

interface Inspection {
  /** Only this part: for pages so long that looking at all of it once is enough. */
  within?: Locator;
}

/** A picture of the page for the eye, and axe for the rules, as the page is now. */
async function inspect(page: Page, name: string, onlyColours: boolean, { within }: Inspection): Promise<void> {
  const path = join("tests/e2e/screens", `${name}.png`);
  // A sheet hangs on the window, not on the page.
  const fullPage = (await page.getByRole("dialog").count()) === 0;
  const { width, height } = page.viewportSize()!;
  // In a window shorter than what is looked at, what is fixed to its edge would lie across the middle of the picture.
  const part = within ?? page.locator(":root");
  const whole = (within ? 200 : 0) + (await part.evaluate((node) => node.scrollHeight));
  if (fullPage && whole > height) await page.setViewportSize({ width, height: whole });
  if (within && fullPage) await within.screenshot({ path, animations: "disabled" });
  else await page.screenshot({ path, fullPage, animations: "disabled" });
  await page.setViewportSize({ width, height });
  const violations = await axeViolations(part, onlyColours);
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`);
  expect.soft(found, `axe on ${name}`).toEqual([]);
}

/** axe is put into a page once and runs there: a window of its own for each answer took half the processor time of all journeys. */
async function axeViolations(part: Locator, onlyColours: boolean): Promise<axe.Result[]> {
  const page = part.page();
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const options: axe.RunOptions = { runOnly: onlyColours ? ["color-contrast"] : RULES, resultTypes: ["violations"] };
  return part.evaluate(async (node, options) => (await window.axe.run(node, options)).violations, options);
}

/** How far the page reaches beyond the window's right edge. */
export const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** inspect() at 1280 and 390 px, in light and dark; and at 360 px nothing may stick out. */
export async function inspectAll(page: Page, name: string, inspection: Inspection = {}): Promise<void> {
  const size = page.viewportSize()!;
  // A dashboard that still restores its session has no heading.
  await page.locator("h1").first().waitFor({ state: "attached" });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // Light and dark are the same page but for its colours.
      await inspect(page, `${name}-${width}-${colorScheme}`, colorScheme === "dark", inspection);
    }
  }
  await page.setViewportSize({ width: 360, height: 740 });
  expect.soft(await overflow(page), `overflow of ${name} at 360 px`).toBe(0);
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(size);
}
