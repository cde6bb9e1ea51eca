import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, test as base, expect, type Locator, type Page } from "@playwright/test";
import type axe from "axe-core";
// Tests sign several times for each wallet. node:crypto takes a fortieth of tweetnacl's time.
import "../../support/fixtures/quick-tweetnacl";
import { findSecrets, recordDemoWallet } from "./secrets";
import { createCallerAddress } from "./service";
import { watchSums } from "./sums";
import { watchTexts } from "./translation";

export { expect };

interface Watch {
  /** Console errors, failed page assertions, CSP violations and requests to other hosts so far. */
  faults: string[];
  /** Allows faults that match, for tests that cause them on purpose. */
  allow(pattern: RegExp): void;
  /** Returns the requests of any page that carried a derivation signature or a service key. */
  leaks(): string[];
}

/** Chromium logs this for every response with status 400 or more, and for every failed request. */
export const FAILED_REQUEST = /Failed to load resource/;

interface Fixtures {
  watch: Watch;
  /** The page's network address, which the rate limit counts. */
  address: string;
}

/**
 * Fails a test on a console error, a review that does not add up, a CSP violation, a request to another host, or a
 * leaked derivation signature, unless the test allowed it.
 */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  baseURL: async ({}, use) => use(process.env.E2E_URL),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  address: async ({}, use) => use(createCallerAddress()),
  extraHTTPHeaders: async ({ address }, use) => use({ "x-forwarded-for": address }),
  page: async ({ page, browserName }, use) => {
    if (browserName === "firefox") typeInsteadOfFill(page);
    const { goto, reload } = page;
    page.goto = async (...args) => waitUntilInteractive(page, await goto.apply(page, args));
    page.reload = async (...args) => waitUntilInteractive(page, await reload.apply(page, args));
    await watchSums(page);
    await watchTexts(page);
    await use(page);
  },
  watch: [
    async ({ page, context, baseURL }, use) => {
      const watch = watchPage(page, new URL(baseURL!).origin);
      const leaks = watchLeaks(context);
      await use({ ...watch, leaks });
      // Responses that arrive after the test's end must not fail in its route handlers.
      await page.unrouteAll({ behavior: "ignoreErrors" });
      expect(watch.faults, "console errors, CSP violations, foreign requests").toEqual([]);
      recordDemoWallet(await page.evaluate(() => localStorage.getItem("roundup-demo-wallet")).catch(() => null));
      expect(
        leaks().filter((leak) => !watch.isAllowed(leak)),
        "requests that carried a secret",
      ).toEqual([]);
    },
    { auto: true },
  ],
});

/** Lets `fill` press keys. Over WebDriver BiDi, it sets the value in a way that React does not notice. */
function typeInsteadOfFill(page: Page): void {
  const locatorClass: Locator = Object.getPrototypeOf(page.locator("html"));
  locatorClass.fill = async function (text) {
    await this.selectText();
    await (text === "" ? this.press("Delete") : this.pressSequentially(text));
  };
}

/** Waits until the page's code handles events. A click before that would be lost. */
async function waitUntilInteractive<T>(page: Page, loaded: T): Promise<T> {
  await page.waitForFunction(() => Object.keys(document).some((key) => key.startsWith("_reactListening")));
  return loaded;
}

function watchLeaks(context: BrowserContext): () => string[] {
  const sentRequests: string[] = [];
  context.on("request", (request) => {
    sentRequests.push([request.url(), JSON.stringify(request.headers()), request.postData() ?? ""].join("\n"));
  });
  return () =>
    sentRequests.flatMap((request) => findSecrets(request).map((secret) => `${secret} in ${request.split("\n")[0]}`));
}

function watchPage(page: Page, origin: string) {
  const faults: string[] = [];
  const allowed: RegExp[] = [];
  const isAllowed = (fault: string) => allowed.some((pattern) => pattern.test(fault));
  const addFault = (fault: string) => {
    if (!isAllowed(fault)) faults.push(fault);
  };
  // Chromium reports a blocked resource as a console error.
  page.on(
    "console",
    (message) => message.type() === "error" && addFault(`console: ${message.text()} (${message.location().url})`),
  );
  page.on("pageerror", (error) => addFault(`page error: ${error.stack ?? error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^(https?|wss?):$/.test(url.protocol) && url.origin !== origin) addFault(`request to ${url.origin}`);
  });
  return { faults, isAllowed, allow: (pattern: RegExp) => void allowed.push(pattern) };
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}

/** The minified axe. A page takes half as long to load it. */
const AXE_SOURCE = readFileSync("node_modules/axe-core/axe.min.js", "utf8");
const ALL_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Runs these rules of axe on the part. Takes a screenshot too when E2E_SCREENS is set. */
async function inspectOnce(part: Locator, name: string, rules: string[]): Promise<void> {
  if (process.env.E2E_SCREENS) await takeScreenshot(part, name);
  const violations = await runAxe(part, rules);
  const descriptions = violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`,
  );
  expect.soft(descriptions, `axe on ${name}`).toEqual([]);
}

async function takeScreenshot(part: Locator, name: string): Promise<void> {
  const page = part.page();
  const path = join("tests/e2e/screens", `${name}.png`);
  // A sheet is fixed to the window, so a full-page screenshot would misplace it.
  if ((await page.getByRole("dialog").count()) > 0)
    return void (await page.screenshot({ path, animations: "disabled" }));
  const { width, height } = page.viewportSize()!;
  // In a window shorter than the part, fixed elements would cover the middle of the screenshot.
  const wholeHeight = 200 + (await part.evaluate((node) => node.scrollHeight));
  if (wholeHeight > height) await page.setViewportSize({ width, height: wholeHeight });
  await part.screenshot({ path, animations: "disabled" });
  await page.setViewportSize({ width, height });
}

/** Runs axe inside the page. A new window per result took half the processor time of all journeys. */
async function runAxe(part: Locator, runOnly: string[]): Promise<axe.Result[]> {
  const options: axe.RunOptions = { runOnly, resultTypes: ["violations"] };
  return part.evaluate(async (node, options) => (await window.axe.run(node, options)).violations, options);
}

/** Injects axe once, and stops transitions: a colour would keep its old value until its transition ends. */
async function beginInspection(page: Page): Promise<void> {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(AXE_SOURCE);
  await page.evaluate(() => {
    const rules = new CSSStyleSheet();
    rules.replaceSync("*, ::before, ::after { transition: none !important }");
    document.adoptedStyleSheets.push(rules);
  });
}

const endInspection = (page: Page) => page.evaluate(() => void document.adoptedStyleSheets.pop());

/** Returns how far the page extends beyond the window's right edge, px. */
const measureOverflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

interface InspectionOptions {
  /** Limits the inspection to this part, for pages too long to inspect repeatedly. */
  within?: Locator;
  /** True skips 1280 px in light, for a page that shares its layout with an inspected page. */
  isLayoutKnown?: boolean;
}

/**
 * Inspects the page at 1280 and 390 px in light, and at 390 px in dark, and checks for overflow at 320 px. Light and
 * dark differ only in colours, and colours do not depend on the width. A sheet or part has the same elements at every
 * width, so it is inspected at 390 px only. With E2E_SCREENS everything is also inspected at 1280 px, in light and
 * dark.
 */
export async function inspectPage(
  page: Page,
  name: string,
  { within, isLayoutKnown = false }: InspectionOptions = {},
): Promise<void> {
  const size = page.viewportSize()!;
  const hasMotion = await page.evaluate(() => matchMedia("(prefers-reduced-motion: no-preference)").matches);
  // A dashboard that is restoring its session has no heading yet.
  await page.locator("h1").first().waitFor({ state: "attached" });
  await beginInspection(page);
  const isNarrowEnough = isLayoutKnown || within !== undefined || (await page.getByRole("dialog").count()) > 0;
  for (const width of isNarrowEnough && !process.env.E2E_SCREENS ? [390] : [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const colorScheme of ["light", "dark"] as const) {
      if (colorScheme === "dark" && width === 1280 && !process.env.E2E_SCREENS) continue;
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      const rules = colorScheme === "dark" ? ["color-contrast"] : ALL_RULES;
      await inspectOnce(within ?? page.locator(":root"), `${name}-${width}-${colorScheme}`, rules);
    }
  }
  await page.setViewportSize({ width: 320, height: 740 });
  expect.soft(await measureOverflow(page), `overflow of ${name} at 320 px`).toBe(0);
  await page.emulateMedia({ colorScheme: null, reducedMotion: hasMotion ? null : "reduce" });
  await endInspection(page);
  await page.setViewportSize(size);
}
