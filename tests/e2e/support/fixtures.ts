import { randomBytes } from "node:crypto";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { test as base, expect, type Page } from "@playwright/test";

export { expect };

export interface Watch {
  /** Console errors, failed assertions of the page, CSP violations and requests to other hosts, so far. */
  faults: string[];
  /** Faults that a test stages on purpose: those matching are not held against it. */
  allow(pattern: RegExp): void;
}

/** Network addresses of the tests: each page calls as another client, so the limit never couples them. */
export function newAddress(): string {
  const [a, b, c] = randomBytes(3);
  return `10.${a}.${b}.${c}`;
}

interface Fixtures {
  watch: Watch;
}

/** Every test fails on a console error, a CSP violation, or a request to another host, unless it allowed it. */
export const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  baseURL: async ({}, use) => use(process.env.E2E_URL),
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  extraHTTPHeaders: async ({}, use) => use({ "x-forwarded-for": newAddress() }),
  watch: [
    async ({ page, baseURL }, use) => {
      const watch = watchPage(page, new URL(baseURL!).origin);
      await use(watch);
      expect(watch.faults, "console errors, CSP violations, foreign requests").toEqual([]);
    },
    { auto: true },
  ],
});

function watchPage(page: Page, origin: string): Watch {
  const faults: string[] = [];
  const allowed: RegExp[] = [];
  const note = (fault: string) => {
    if (!allowed.some((pattern) => pattern.test(fault))) faults.push(fault);
  };
  page.on("console", (message) => message.type() === "error" && note(`console: ${message.text()}`));
  page.on("pageerror", (error) => note(`page error: ${error.message}`));
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (/^https?:$/.test(url.protocol) && url.origin !== origin) note(`request to ${url.origin}`);
  });
  return { faults, allow: (pattern) => allowed.push(pattern) };
}

/** A picture of the page for the eye, and axe for the rules, as the page is now. */
export async function inspect(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join("tests/e2e/screens", `${name}.png`), fullPage: true });
  const { violations } = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"])
    .analyze();
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join(", ")}`)).toEqual(
    [],
  );
}

/** inspect() at 1280 and 390 px, in light and dark. */
export async function inspectAll(page: Page, name: string): Promise<void> {
  const size = page.viewportSize();
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await inspect(page, `${name}-${width}-${colorScheme}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light", reducedMotion: null });
  if (size) await page.setViewportSize(size);
}
