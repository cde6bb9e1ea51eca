import type { Page } from "@playwright/test";
import { BROKEN_TEXT, breakText } from "./support/broken-text";
import { expect, inspectPage, test } from "./support/fixtures";
import {
  findNavigationLink,
  findSavedDialog,
  holdRequests,
  openConsole,
  reviewPurchase,
  sendCall,
  waitForSheetHistory,
} from "./support/flows";
import { openSession } from "./support/session";

test.beforeEach(({ watch }) => watch.allow(BROKEN_TEXT));

const findCrashes = (page: Page) => page.getByTestId("crashed");
const tryAgain = (page: Page) => findCrashes(page).getByRole("button", { name: "Try again" }).click();

const PAGES = ["Save", "Invest", "Activity", "Withdraw", "Settings", "Home"];

test("a page that crashes leaves the navigation, and can be tried again", async ({ page }) => {
  await openSession(page, { serviceSol: 0.1 });
  await page.goto("/dashboard");
  await expect(page.getByTestId("investable-usd")).toBeVisible();
  for (const name of PAGES) {
    const title = name === "Home" ? "Your savings" : name;
    await breakText(page, title, "h1");
    await findNavigationLink(page, name).click();
    await expect(findCrashes(page), name).toContainText("could not be shown");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("This page broke");
    if (name === "Save") await inspectPage(page, "crashed-page");
    await breakText(page, null);
    await tryAgain(page);
    await expect(page.getByRole("heading", { level: 1, name: title })).toBeVisible();
  }
  await breakText(page, "Settings", "h1");
  await findNavigationLink(page, "Settings").click();
  await expect(findCrashes(page)).toBeVisible();
  await findNavigationLink(page, "Activity").click();
  await expect(page.getByRole("heading", { level: 1, name: "Activity" })).toBeVisible();
  await expect(findCrashes(page), "another page is whole").toHaveCount(0);
});

const OVERVIEW_TEXTS = [
  " invested",
  "As a table",
  "Invest now",
  "Add money",
  "No new payments",
  "Asset",
  "Ready to invest",
  "Recent activity",
  "Automatic",
];

test("a card that crashes leaves the rest of the overview, and can be tried again", async ({ page }) => {
  test.slow();
  await openSession(page, { serviceSol: 0.1 });
  await page.goto("/dashboard");
  for (const text of OVERVIEW_TEXTS) {
    await breakText(page, text);
    await page.reload();
    await expect(findCrashes(page), text).toHaveCount(1);
    for (const other of OVERVIEW_TEXTS) {
      if (other !== text)
        await expect(page.getByRole("main").getByText(other.trim(), { exact: true }).first()).toBeVisible();
    }
    if (text === "Asset") await inspectPage(page, "crashed-card");
    await breakText(page, null);
    await tryAgain(page);
    await expect(findCrashes(page)).toHaveCount(0);
    await expect(page.getByRole("main").getByText(text.trim(), { exact: true }).first()).toBeVisible();
  }
});

test("a sheet that crashes while money is in flight says so, and shows the receipt in the end", async ({ page }) => {
  await openSession(page);
  await page.goto("/dashboard/round-up");
  await breakText(page, "Your main wallet signs this.");
  await page.getByLabel("You paid").fill("27.63");
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review.getByTestId("crashed")).toContainText("look at your activity before you sign it again");
  await inspectPage(page, "crashed-sheet");
  await review.getByRole("button", { name: "Close" }).click();
  await expect(page.getByRole("dialog"), "a sheet before the signature can be closed").toHaveCount(0);
  await waitForSheetHistory(page);
  await breakText(page, "Keep this page open until it finishes.");
  await reviewPurchase(page, "27.63");
  const release = await holdRequests(page, "**/api/swap/execute");
  await review.getByRole("button", { name: "Sign and save" }).click();
  const crash = page.getByRole("dialog").getByTestId("crashed");
  await expect(crash).toContainText("Your save may have been sent. It is stored here, and you never pay it twice.");
  await expect(crash).not.toContainText(/nothing was sent/i);
  release();
  await expect(findSavedDialog(page).getByTestId("success")).toContainText("$0.3");
});

test("a page that crashes with money in flight says what may have been sent", async ({ page }) => {
  await openSession(page);
  await page.goto("/dashboard/round-up");
  const review = await reviewPurchase(page, "27.63");
  const release = await holdRequests(page, "**/api/swap/execute");
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(page.getByTestId("run-progress")).toContainText("Being sent");
  await breakText(page, "Save", "h1");
  await page.reload();
  await expect(findCrashes(page)).toContainText("Your save may have been sent.");
  await breakText(page, null);
  await tryAgain(page);
  release();
  await expect(findSavedDialog(page), "the page asks for the outcome by itself").toBeVisible();
});

test("a console of the documentation that crashes leaves the others", async ({ page }) => {
  await page.goto("/docs");
  await breakText(page, "Send");
  const prices = await openConsole(page, "get-prices");
  await expect(prices.getByTestId("crashed")).toBeVisible();
  await breakText(page, null);
  await sendCall(await openConsole(page, "list-plans"), "200 Success");
  await tryAgain(page);
  await sendCall(prices, "200 Success");
});
