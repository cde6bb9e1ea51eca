import type { Page } from "@playwright/test";
import { expect, FAILED_REQUEST, test } from "./support/fixtures";
import {
  clickSignButton,
  closeSheet,
  findNavigationLink,
  findSavedDialog,
  holdRequests,
  openConsole,
  reviewWithdrawal,
  savePurchase,
  sendCall,
} from "./support/flows";
import { openSession } from "./support/session";
import { translatePage } from "./support/translation";

test.beforeEach(({ page }) => translatePage(page));

test("on a translated page, a newcomer saves, invests, sells and withdraws play money", async ({ page }) => {
  test.slow();
  await page.goto("/");
  await page.getByRole("link", { name: "Try it with play money" }).click();
  await page.getByRole("button", { name: /^Save \$/ }).click();
  await clickSignButton(page, "Sign and save");
  await findSavedDialog(page).getByRole("link", { name: "Invest now" }).click();
  await clickSignButton(page, "Sign and invest");
  const invested = page.getByRole("dialog", { name: "Invested" });
  await expect(invested.getByTestId("bought-BTC")).toContainText(/0\.000\d+ BTC/);
  await closeSheet(page);

  await findNavigationLink(page, "Save").click();
  await page.getByText("One purchase", { exact: true }).click();
  await savePurchase(page, "27.63");
  await closeSheet(page);

  await findNavigationLink(page, "Invest").click();
  await page.getByText("Sell", { exact: true }).click();
  await page.getByLabel("Amount").fill("2.50");
  await page.getByRole("button", { name: "Review the sale" }).click();
  await clickSignButton(page, "Sign and sell");
  await closeSheet(page);

  await findNavigationLink(page, "Withdraw").click();
  await expect(await reviewWithdrawal(page)).toContainText("Arrives in your main wallet");
  await clickSignButton(page, "Sign and withdraw");
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  expect(await countTranslations(page), "the page is still translated").toBeGreaterThan(20);
});

test("on a translated page of the documentation, the console sends calls and replaces their answers", async ({
  page,
  watch,
}) => {
  await page.goto("/docs");
  const roundUp = await openConsole(page, "calculate-round-up");
  await sendCall(await openConsole(page, "get-prices"), "200 Success");
  watch.allow(FAILED_REQUEST);
  await sendCall(roundUp, "401 Refused");
  expect(await countTranslations(page)).toBeGreaterThan(20);
});

test("on a translated overview, a new price replaces the old one", async ({ page }) => {
  await page.clock.install();
  await openSession(page, { serviceSol: 0.1 });
  await page.goto("/dashboard");
  const main = page.getByRole("main");
  await expect(main).toContainText("1 SOL = $150.00. Updated just now");
  await page.route("**/api/overview/**", async (route) => {
    const response = await route.fetch();
    const answer = await response.json();
    answer.data.prices.prices.SOL = 160;
    await route.fulfill({ response, json: answer });
  });
  await page.clock.runFor(61_000);
  await expect(main).toContainText("1 SOL = $160.00. Updated just now");
});

test("a page that is translated before its code has loaded works once it has", async ({ page, watch }) => {
  // React reports the other texts, and draws the page again.
  watch.allow(/Minified React error #418/);
  const release = await holdRequests(page, "**/*.js");
  const navigation = page.goto("/");
  await page.getByLabel("You pay").waitFor();
  await page.evaluate(() => {
    const texts = document.createTreeWalker(document.querySelector("main")!, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) (texts.currentNode as Text).data = `${(texts.currentNode as Text).data} (translated)`;
  });
  release();
  await navigation;
  await page.getByLabel("You pay").fill("4.98");
  await page.getByRole("radio", { name: /^Seed/ }).check();
  await expect(page.getByTestId("calculator-result")).toContainText("$0.02");
});

const countTranslations = (page: Page) => page.locator("font[data-translation]").count();
