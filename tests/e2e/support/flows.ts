import { expect, type Page } from "@playwright/test";

/** One purchase on the round-up page, up to the review. */
export async function reviewPurchase(page: Page, usd: string): Promise<void> {
  await page.getByLabel("You paid").fill(usd);
  await page.getByRole("button", { name: "Review and save" }).click();
  await expect(page.getByRole("dialog", { name: "Look before you sign" }).getByTestId("save-breakdown")).toBeVisible();
}

/** One purchase on the round-up page, rounded up, signed and saved. */
export async function savePurchase(page: Page, usd: string): Promise<void> {
  await reviewPurchase(page, usd);
  await page.getByRole("dialog").getByRole("button", { name: "Sign and save" }).click();
  await expect(page.getByRole("dialog", { name: "Saved", exact: true })).toBeVisible();
}

/**
 * Signs what has been looked at for long. On a slow machine its time may run out just then: it is built anew, which is said, and
 * is looked at once more.
 */
export async function sign(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const hasText = "Time ran out meanwhile";
  const late = dialog.getByTestId("flow-note").filter({ hasText });
  await dialog.locator(button).click();
  await expect(late.or(dialog.filter({ hasNot: button, hasNotText: hasText }))).toBeVisible();
  if (await late.isVisible()) await dialog.locator(button).click();
}

/** A sheet that closes steps back in the history a moment later, which would cut off a way to another page. */
export async function sheetLeft(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => history.state?.sheet === true)).toBe(false);
}

/**
 * The page's time stands still until `page.clock.resume()`, so that a quote under review grows no older however slow the machine
 * is. The clock must be installed before the page is there.
 */
export async function holdTime(page: Page): Promise<void> {
  // A clock can be stopped ahead of it alone.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 8_000);
}

/** A review is looked at as a whole: nothing of it is scrolled for, on a phone or a laptop, and the button that signs is there. */
export async function expectOneScreen(page: Page, confirm: string): Promise<void> {
  const size = page.viewportSize()!;
  const dialog = page.getByRole("dialog");
  for (const [width, height] of [
    [390, 844],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(dialog.getByRole("button", { name: confirm }), `${width} px`).toBeInViewport({ ratio: 1 });
    const hidden = () => dialog.locator(".sheet-scroll").evaluate((node) => node.scrollHeight - node.clientHeight);
    await expect.poll(hidden, `to scroll at ${width} px`).toBe(0);
  }
  await page.setViewportSize(size);
}
