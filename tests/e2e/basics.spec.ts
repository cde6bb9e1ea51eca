import type { Locator, Page } from "@playwright/test";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { findSavedDialog } from "./support/flows";
import { callApi, fund } from "./support/service";
import { DEMO_WALLET_NAME, openSession } from "./support/session";

const holdsFocus = (part: Locator) => part.evaluate((node) => node.contains(document.activeElement));

/** Presses Tab until the target has the focus. Fails when it is not reachable by keyboard. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  await expect(target).toBeEnabled();
  for (let i = 0; i < 60; i++) {
    if (await target.evaluate((node) => node === document.activeElement).catch(() => false)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${target} is not reached by Tab`);
}

async function pressByKeyboard(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target);
  await page.keyboard.press("Enter");
}

test("a person can save a first saving with the keyboard alone", async ({ page }) => {
  await page.goto("/");
  await pressByKeyboard(page, page.getByRole("link", { name: "Use my own wallet" }));
  await pressByKeyboard(page, page.getByRole("button", { name: DEMO_WALLET_NAME }));
  await pressByKeyboard(page, page.getByRole("button", { name: "Sign in", exact: true }));
  await pressByKeyboard(page, page.getByRole("button", { name: "Create my savings wallet" }));
  await expect(page.getByRole("heading", { name: "You are set up" })).toBeFocused();
  await pressByKeyboard(page, page.getByRole("button", { name: "Get play money" }));
  await expect(page.getByText("2 SOL and 50 USDC of play money are in your wallet")).toBeVisible();
  await pressByKeyboard(page, page.getByRole("button", { name: "Continue" }));
  await pressByKeyboard(page, page.getByRole("link", { name: "Round up a purchase" }));
  await tabTo(page, page.getByLabel("You paid"));
  await page.keyboard.type("27.63");
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: "Review and sign" });
  await expect.poll(() => holdsFocus(sheet)).toBe(true);
  await pressByKeyboard(page, sheet.getByRole("button", { name: "Sign and save" }));
  await expect(findSavedDialog(page)).toBeVisible();
});

test("the first Tab on a page focuses the link that skips to the content", async ({ page }) => {
  await openSession(page, { sol: 0 });
  for (const path of ["/", "/docs/the-loop", "/dashboard/round-up"]) {
    await page.goto(path);
    await expect(page.locator("h1")).toBeVisible();
    await expect(page.getByRole("main").locator("a, button, input").first(), "content of the page").toBeVisible();
    await page.keyboard.press("Tab");
    const skipLink = page.getByRole("link", { name: "Skip to the content" });
    await expect(skipLink).toBeFocused();
    await expect(skipLink).toBeInViewport();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await holdsFocus(page.locator("main")), `focus after skipping on ${path}`).toBe(true);
  }
});

test("a sheet traps the focus until Escape returns it to the button that opened the sheet", async ({ page }) => {
  const saver = await openSession(page, { sol: 0 });
  await callApi("/api/keys/generate", { body: { name: "one" }, headers: saver.credentials });
  await page.goto("/dashboard/keys");
  const opener = page.getByRole("button", { name: "Revoke one" });
  await pressByKeyboard(page, opener);
  const sheet = page.getByRole("dialog");
  await expect.poll(() => holdsFocus(sheet)).toBe(true);
  for (let i = 0; i < 8; i++) {
    await page.keyboard.press(i < 4 ? "Tab" : "Shift+Tab");
    await expect.poll(() => holdsFocus(sheet)).toBe(true);
  }
  await page.keyboard.press("Escape");
  await expect(sheet).toBeHidden();
  await expect(opener).toBeFocused();
});

test("the chosen colours override the system's from the first paint of a reload", async ({ page, watch }) => {
  // Requests for the page's own code, which are blocked below.
  watch.allow(FAILED_REQUEST);
  await page.emulateMedia({ colorScheme: "dark" });
  await page.goto("/");
  const readBackground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const darkBackground = await readBackground();
  await page.emulateMedia({ colorScheme: "light" });
  await expect.poll(readBackground).not.toBe(darkBackground);
  const lightBackground = await readBackground();
  const colourButton = page.getByRole("button", { name: /^Colours/ });
  await expect(colourButton).toHaveAccessibleName("Colours: system. Change");
  await colourButton.click();
  await expect(colourButton).toHaveAccessibleName("Colours: light. Change");
  await colourButton.click();
  await expect(colourButton).toHaveAccessibleName("Colours: dark. Change");
  await expect.poll(readBackground).toBe(darkBackground);
  // The first paint must not need the page's own code.
  await page.route("**/_next/static/**/*.js", (route) => route.abort());
  // page.reload would make the fixture wait for the blocked code.
  await Promise.all([page.waitForEvent("load"), page.evaluate(() => window.location.reload())]);
  expect(await readBackground()).toBe(darkBackground);
  await page.unroute("**/_next/static/**/*.js");
  await page.reload();
  await expect(colourButton).toHaveAccessibleName("Colours: dark. Change");
  expect(await readBackground()).toBe(darkBackground);
  await colourButton.click();
  await expect.poll(readBackground).toBe(lightBackground);
  await page.reload();
  await expect(colourButton).toHaveAccessibleName("Colours: system. Change");
});

test("with reduced motion no animation or transition lasts longer than 50 ms", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await page.goto("/");
  const slowElements = await page.evaluate(
    () =>
      [...document.querySelectorAll("*")].filter((node) => {
        const { animationDuration, transitionDuration } = getComputedStyle(node);
        return [animationDuration, transitionDuration].some((times) =>
          times.split(",").some((time) => Number.parseFloat(time) > 0.05),
        );
      }).length,
  );
  expect(slowElements).toBe(0);
  const colours = await page.evaluate(() => {
    const root = document.documentElement;
    return ["light", "dark"].map((theme) => {
      root.dataset.theme = theme;
      return getComputedStyle(root).backgroundColor;
    });
  });
  expect(colours[1], "a colour changes at once, also for one frame").not.toBe(colours[0]);
});

test("an unknown path shows a not-found page with a link to the start", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  expect((await page.goto("/no-such-page"))!.status()).toBe(404);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("There is no page at this address");
  await inspectPage(page, "not-found");
  await page.getByRole("link", { name: "Back to the start" }).click();
  await expect(page).toHaveURL(/\/$/);
});

test("the browser enforces each page's content security policy", async ({ page, watch }) => {
  // Expected errors: the injected handler below and the picture it names.
  watch.allow(/Executing inline event handler|Failed to load resource/);
  await openSession(page, { sol: 0 });
  for (const path of ["/", "/docs", "/dashboard/invest"]) {
    await page.goto(path);
    await expect(page.locator("h1")).toBeVisible();
    // An inline script that the policy does not name is reported as an error, which fails the test. Check the handler
    // only after the picture has failed, which takes as long as the network does.
    const scriptOutcome = page.evaluate(
      () =>
        new Promise<string>((resolve) => {
          addEventListener("securitypolicyviolation", () => resolve("blocked"), { once: true });
          Object.assign(window, { intrude: () => resolve("ran") });
          document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='intrude()'>");
        }),
    );
    expect(await scriptOutcome).toBe("blocked");
  }
});

test("two tabs together make under 20 calls a minute, and none while hidden", async ({ page, context }) => {
  const saver = await openSession(page, { serviceSol: 0.02 });
  await fund(saver.wallet, 1);
  const calls: string[] = [];
  context.on("request", (request) => request.url().includes("/api/") && calls.push(request.url()));
  await page.clock.install();
  await page.goto("/dashboard");
  await expect(page.getByTestId("pending-usd")).toHaveText("$3.00");
  const secondTab = await context.newPage();
  await secondTab.clock.install();
  await secondTab.addInitScript((auth) => sessionStorage.setItem(...auth), [
    `roundup-auth:${saver.wallet}`,
    saver.credentials["x-signature"],
  ] as const);
  await secondTab.goto("/dashboard");
  await expect(secondTab.getByTestId("pending-usd")).toHaveText("$3.00");

  calls.length = 0;
  for (let i = 0; i < 12; i++) {
    await page.clock.runFor(5_000);
    await secondTab.clock.runFor(5_000);
  }
  await expect.poll(() => calls.length).toBeGreaterThan(0);
  expect(calls.length, calls.join("\n")).toBeLessThan(20);

  for (const tab of [page, secondTab]) {
    await tab.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden", configurable: true });
      Object.defineProperty(document, "hidden", { value: true, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));
    });
  }
  calls.length = 0;
  for (const tab of [page, secondTab]) await tab.clock.runFor(120_000);
  expect(calls, "while hidden").toEqual([]);
});

test("the tab bar of a phone opens each page at its top and never covers the focused element", async ({ page }) => {
  const saver = await openSession(page);
  // A banner above every page. After a short scroll, it is out of view and the page's own top is not.
  await page.addInitScript(
    (key) => localStorage.setItem(key, '{"request":{},"done":[],"inFlight":null}'),
    `roundup-unfinished-withdraw:${saver.serviceWallet.address}`,
  );
  const scrollTo = (top: number) => page.evaluate((top) => window.scrollTo({ top, behavior: "instant" }), top);
  const readTop = () => page.evaluate(() => window.scrollY);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/dashboard/settings");
  const bar = page.getByRole("navigation", { name: "Dashboard" });
  const links = bar.getByRole("link");
  await expect(links).toHaveText(["Home", "Save", "Invest", "Activity", "Settings"]);
  for (const link of await links.all()) {
    await expect(link).toBeInViewport({ ratio: 1 });
    await expect(page.getByText("Your withdrawal is not finished")).toBeAttached();
    await scrollTo(150);
    await link.click();
    await expect(link).toHaveAttribute("aria-current", "page");
    await expect(bar.locator("[aria-current]")).toHaveCount(1);
    await expect.poll(readTop, "the new page's position").toBe(0);
  }
  await scrollTo(400);
  await bar.getByRole("link", { name: "Save" }).click();
  await expect(page.getByLabel("You paid")).toBeVisible();
  await expect.poll(readTop, "the new page's position").toBe(0);
  await page.goBack();
  await expect.poll(readTop, "the position before").toBe(400);
  await bar.getByRole("link", { name: "Save" }).click();
  await tabTo(page, page.getByLabel("You paid"));
  const barTop = (await bar.boundingBox())!.y;
  const readFocusBottom = () => page.evaluate(() => document.activeElement!.getBoundingClientRect().bottom);
  let stopCount = 0;
  for (; await holdsFocus(page.locator("main")); stopCount += 1) {
    // The page scrolls smoothly to the focused element.
    await expect.poll(readFocusBottom, `stop ${stopCount + 1}`).toBeLessThanOrEqual(barTop);
    await page.keyboard.press("Tab");
  }
  expect(stopCount).toBeGreaterThan(3);
});
