import type { Locator } from "@playwright/test";
import { expect, inspectPage, test } from "./support/fixtures";
import { findNavigationLink, findSavedDialog } from "./support/flows";
import { createSaver } from "./support/service";
import { openSession } from "./support/session";
import { paySol } from "./support/tokens";

test("settings offer steps of 5 and 10 dollars, with the share of the payments that each choice saves", async ({
  page,
}) => {
  const saver = await openSession(page);
  // Payments of about 4 to 6 dollars.
  await paySol(saver, [27_345_678, 40_123_456]);
  await page.goto("/dashboard/settings");
  const plan = page.getByLabel("Plan");
  const options = plan.getByRole("option");
  await expect(options.filter({ hasText: "Next $10.00" })).toHaveText(
    /^Next \$10\.00, fee 0\.25 %, saves \d+ % of what you spent$/,
  );
  await expect(options.filter({ hasText: "Forest" })).toHaveText(
    /^Forest: next \$1\.00, fee 0\.25 %, saves [\d.]+ % of what you spent$/,
  );
  const fiveText = await options.filter({ hasText: "Next $5.00" }).innerText();
  await plan.selectOption({ label: fiveText });
  await expect(page.getByLabel("Save at most, per payment"), "the change is not cut").toHaveValue("5.00");
  await expect(page.getByLabel("Round up to the next multiple of")).toHaveCount(0);
  const share = fiveText.split(", ")[2]!;
  await expect(plan).toHaveAccessibleDescription(new RegExp(`It ${share}.$`));
  await inspectPage(page, "settings-steps");
  await page.reload();
  await expect(plan.locator("option:checked")).toContainText("Next $5.00");
  await findNavigationLink(page, "Home").click();
  const card = page.getByTestId("from-wallet");
  await expect(card).toContainText("each rounded up to the next $5.00");
  await card.getByText("Choose payments or multiply").click();
  await expect(card).toContainText(`This ${share}.`);
  await card.getByRole("button", { name: /^Save \$/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toBeVisible();
});

test("the Save page does not change the plan, step and ceiling of the settings", async ({ page }) => {
  const saver = await openSession(page);
  await page.goto("/dashboard/settings");
  const plan = page.getByLabel("Plan");
  const step = page.getByLabel("Round up to the next multiple of");
  const ceiling = page.getByLabel("Save at most, per payment");
  await plan.selectOption({ label: "Custom: your own step" });
  await step.fill("2.50");
  await ceiling.fill("0.80");
  await page.goto("/dashboard/round-up");
  await expect(plan).toHaveValue("custom");
  await expect(step).toHaveValue("2.50");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByText("×3", { exact: true }).click();
  await page.getByLabel("You paid").fill("27.63");
  const preview = page.getByTestId("round-up-preview");
  await expect(preview).toContainText("Change, times 3");
  const tabBar = page.getByRole("navigation", { name: "Dashboard" });
  const readBox = async (locator: Locator) => (await locator.boundingBox())!;
  const isInSight = async () => {
    const { y, height } = await readBox(preview);
    return y >= 0 && y + height <= (await readBox(tabBar)).y;
  };
  await expect.poll(isInSight, "the tab bar does not cover the result").toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await plan.selectOption("sprout");
  await page.reload();
  await expect(page.getByRole("radio", { name: "×1", exact: true })).toBeChecked();
  await expect(plan).toHaveValue("custom");
  await expect(ceiling).toHaveValue("0.80");
  const key = `roundup-terms:${saver.wallet}`;
  await page.evaluate(
    ([own, other]) => {
      localStorage.setItem(other!, localStorage.getItem(own!)!);
      localStorage.removeItem(own!);
    },
    [key, `roundup-terms:${createSaver().wallet}`],
  );
  await page.reload();
  await expect(ceiling, "another wallet's terms are not this one's").toHaveValue("1.00");
});

test("a field's error appears above the tab bar of a phone", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSession(page);
  await page.goto("/dashboard#automatic");
  const start = page.getByRole("button", { name: "Start" });
  await expect(start).toBeVisible();
  await expect(page.getByTestId("nothing-spent")).toBeVisible();
  const bar = (await page.getByRole("navigation", { name: "Dashboard" }).boundingBox())!;
  const scrollToBar = (node: Element, barTop: number) =>
    window.scrollBy({ top: node.getBoundingClientRect().bottom + 4 - barTop, behavior: "instant" });
  await start.evaluate(scrollToBar, bar.y);
  await start.click();
  const readBottom = () => page.getByText("Type an amount.").evaluate((node) => node.getBoundingClientRect().bottom);
  await expect.poll(readBottom).toBeLessThanOrEqual(bar.y);
});

test("the other pages use the choices of the settings", async ({ page }) => {
  await openSession(page);
  await page.goto("/dashboard/settings");
  await page.getByLabel("Plan").selectOption("forest");
  await page.getByText("×2", { exact: true }).click();
  await page.getByLabel("Minimum to invest", { exact: true }).fill("7,50");
  await page.getByLabel("Explorer").selectOption("Solscan");
  await inspectPage(page, "settings");
  const size = page.viewportSize()!;
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.getByRole("main").getByRole("link", { name: "Automatic" }).click();
    await expect(page.locator("summary").filter({ hasText: "Automatic" })).toBeFocused();
    await expect(page.getByRole("switch", { name: "Auto-invest" }), `${width} px`).toBeInViewport({ ratio: 1 });
    await page.goBack();
  }
  await page.setViewportSize(size);
  await page.reload();
  await expect(page.getByLabel("Explorer")).toHaveValue("solscan");
  await findNavigationLink(page, "Home").click();
  await expect(page.getByRole("meter")).toHaveAttribute(
    "aria-valuetext",
    "$7.52 more (fee included) and you can invest",
  );
  await page.goto("/dashboard/round-up");
  await page.getByLabel("You paid").fill("27.63");
  await expect(page.getByTestId("round-up-preview")).toContainText("$0.74");
});
