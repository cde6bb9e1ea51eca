import { test as base, expect } from "./support/fixtures";
import { reviewPurchase, savePurchase } from "./support/flows";
import { openSession } from "./support/session";

/** Shows scrollbars, which Playwright hides by default. */
const test = base.extend({
  launchOptions: [
    async ({ launchOptions }, use) => use({ ...launchOptions, ignoreDefaultArgs: ["--hide-scrollbars"] }),
    { scope: "worker" },
  ],
});

test.use({ contextOptions: { reducedMotion: "no-preference" } });

test("Back closes an open review without leaving the page", async ({ page }) => {
  await openSession(page);
  await page.goto("/dashboard");
  await page.getByRole("navigation").getByRole("link", { name: "Save" }).click();
  await reviewPurchase(page, "27.63");
  await page.goBack();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Review and save" })).toBeFocused();
  await expect(page.getByLabel("You paid")).toHaveValue("27.63");
  await savePurchase(page, "27.63");
  await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();
  await expect(page).toHaveURL(/\/dashboard$/);
  await expect(page.getByRole("heading", { level: 1, name: "Your savings" })).toBeFocused();
  await page.goBack();
  await expect(page.getByLabel("You paid")).toBeVisible();
  await page.goBack();
  await expect(page, "a sheet that its button closed leaves no history entry").toHaveURL(/\/dashboard$/);
});

test("opening and closing a sheet does not shift the page", async ({ page }) => {
  await openSession(page);
  await page.setViewportSize({ width: 1280, height: 420 });
  await page.goto("/dashboard/round-up");
  const readPosition = () =>
    page.locator("h1").evaluate((node) => {
      const { left, top } = node.getBoundingClientRect();
      return { left, top };
    });
  await page.getByLabel("You paid").fill("27.63");
  const reviewButton = page.getByRole("button", { name: "Review and save" });
  await reviewButton.scrollIntoViewIfNeeded();
  const positionBefore = await readPosition();
  await reviewButton.click();
  await expect(page.getByTestId("save-breakdown")).toBeVisible();
  expect(await readPosition()).toEqual(positionBefore);
  const sheet = page.getByRole("dialog");
  await expect(sheet.getByRole("heading"), "a sheet opens at its top").toBeInViewport();
  const [isSheetScrollable, isContentScrollable] = await sheet.evaluate((node) =>
    [node, node.firstElementChild!].map((element) => element.scrollHeight > element.clientHeight),
  );
  expect({ isSheetScrollable, isContentScrollable }).toEqual({ isSheetScrollable: false, isContentScrollable: true });
  const readWidth = () => sheet.getByTestId("save-breakdown").evaluate((node) => node.clientWidth);
  const narrowWidth = await readWidth();
  await page.keyboard.press("Escape");
  await expect(sheet).toHaveCount(0);
  expect(await readPosition(), "closing does not shift the page either").toEqual(positionBefore);
  await reviewButton.click();
  await page.setViewportSize({ width: 1280, height: 1000 });
  expect(await readWidth(), "the width does not depend on the scrollbar").toBe(narrowWidth);
});
