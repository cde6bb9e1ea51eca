import { formatDecimal } from "../../lib/domain/money";
import { expect, inspectPage, test } from "./support/fixtures";
import {
  clickSignButton,
  closeSheet,
  expectOneScreen,
  findNavigationLink,
  holdRequests,
  pauseClock,
  reviewInvestment,
} from "./support/flows";
import { investSavings, listAssets, readBalance } from "./support/service";
import { openSession } from "./support/session";

test("below the minimum to invest the page shows the missing amount and offers to add it", async ({ page }) => {
  await page.setViewportSize({ width: 1280, height: 500 });
  await openSession(page, { serviceSol: 0.02 });
  await page.goto("/dashboard/invest");
  await expect(page.getByRole("button", { name: "Add $5.00" }), "before a review is asked for").toBeVisible();
  await page.getByRole("button", { name: "Review the investment" }).click();
  await expect(page.getByTestId("not-ready")).toContainText("$2.01 more (fee included) and you can invest.");
  await expect(page.getByTestId("not-ready"), "the reason is visible without scrolling").toBeInViewport();
  await inspectPage(page, "invest-below");
  const topUp = page.getByTestId("top-up");
  await topUp.getByText("Other").click();
  await topUp.getByLabel("Amount to add").fill("0,2");
  await topUp.getByRole("button", { name: "Add" }).click();
  await expect(topUp.getByLabel("Amount to add")).toHaveAccessibleDescription("At least $0.50.");
  await topUp.getByLabel("Amount to add").fill("1,00");
  await topUp.getByRole("button", { name: "Add $1.00" }).click();
  await clickSignButton(page, "Sign and add");
  const addedDialog = page.getByRole("dialog", { name: "Added" });
  await expect(addedDialog.getByTestId("success")).toContainText("$1.01 more (fee included) and you can invest.");
  await expect(addedDialog.getByRole("button", { name: "Invest now" })).toHaveCount(0);
  await closeSheet(page);
  await expect(page.getByTestId("not-ready")).toContainText("$1.01 more (fee included) and you can invest.");
  await topUp.getByLabel("Amount to add").fill("2,50");
  await topUp.getByRole("button", { name: "Add $2.50" }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review.getByTestId("save-breakdown")).toContainText("0.25 % of the amount");
  await expectOneScreen(page, "Sign and add");
  await inspectPage(page, "top-up-review");
  await clickSignButton(page, "Sign and add");
  await expect(addedDialog.getByTestId("success")).toContainText("You paid $2.51, including $0.01 of fees.");
  await inspectPage(page, "top-up-done");
  await addedDialog.getByRole("button", { name: "Invest now" }).click();
  await expect(page.getByRole("dialog", { name: "Review your investment" })).toBeVisible();
});

test("a person without savings can add money on the invest page", async ({ page }) => {
  await openSession(page);
  await page.goto("/dashboard/invest");
  await expect(page.getByText("Nothing to invest yet")).toBeVisible();
  await inspectPage(page, "invest-empty");
  await expect(page.getByRole("button", { name: "Add $10.00" }), "$5.00 less the fee would not suffice").toBeEnabled();
  // Auto-invest follows this choice, so it can be made before anything is saved.
  await page.getByText("Several assets").click();
  await expect(page.getByTestId("allocation-sum")).toHaveText("Adds up to 100 %.");
  await expect(page.getByRole("button", { name: "Review the investment" })).toHaveCount(0);
});

test("one review buys several assets whose shares add up to 100 %", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.5 });
  await page.goto("/dashboard");
  await expect(page.getByTestId("total-usd")).toHaveText("$75.00");
  await findNavigationLink(page, "Invest").click();
  await expect(page.getByRole("button", { name: "Review the investment" })).toBeVisible();
  await inspectPage(page, "invest");
  await page.getByText("Several assets").click();
  const sumNote = page.getByTestId("allocation-sum");
  await expect(sumNote).toHaveText("Adds up to 100 %.");
  await page.getByLabel("USDC").fill("25");
  await expect(sumNote).toHaveText("That is 5 % over 100 %.");
  await page.getByLabel("USDC").fill("10");
  await expect(sumNote).toHaveText("10 % is not assigned yet.");
  await page.getByRole("button", { name: "Review the investment" }).click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await inspectPage(page, "invest-several");
  await page.getByRole("button", { name: "Keep the rest" }).click();
  await expect(page.getByLabel("Keep as SOL")).toHaveValue("10");
  await page.getByText("Limits").click();
  await page.getByLabel("The price may move by").fill("3");
  await expect(page.getByLabel("The price may move by")).toHaveAccessibleDescription(/This is high/);

  const review = await reviewInvestment(page);
  for (const asset of ["BTC", "ETH", "USDC"]) {
    await expect(review.getByTestId(`swap-${asset}`)).toContainText("at least");
  }
  await expectOneScreen(page, "Sign and invest");
  await review.getByText("Details").click();
  await expect(review.getByText("Price impact")).toHaveCount(3);
  await expect(review).toContainText("Refundable account deposit");
  await expect(review).toContainText("First your wallet asks for one signature");
  await inspectPage(page, "invest-review");
  await clickSignButton(page, "Sign and invest");
  const investedDialog = page.getByRole("dialog", { name: "Invested" });
  for (const asset of ["BTC", "ETH", "USDC"]) await expect(investedDialog.getByTestId(`bought-${asset}`)).toBeVisible();
  await expect(investedDialog).toContainText("for BTC, ETH and USDC, now in your savings wallet.");
  await inspectPage(page, "invest-done");
  // The overview shows nothing until the refresh, instead of outdated figures.
  const release = await holdRequests(page, "**/api/overview/**");
  await investedDialog.getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByRole("heading", { name: "Your savings" })).toBeVisible();
  await expect(page.getByTestId("total-usd")).toHaveCount(0);
  release();
  await expect(page.getByTestId("invested-usd")).toHaveText("$66.57");
  expect(await listAssets(saver.serviceWallet.address)).toEqual(["BTC", "ETH", "SOL", "USDC"]);
});

test("USDC that reaches the minimum pays for BTC unless the person chooses SOL", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2 });
  const { address } = saver.serviceWallet;
  await investSavings(saver, "USDC");
  await page.goto("/dashboard");
  await expect(page.getByRole("link", { name: "Invest now" }), "USDC may be held on purpose").toHaveCount(0);
  await findNavigationLink(page, "Invest").click();
  const payWith = page.getByRole("group", { name: "Pay with" });
  await expect(payWith.getByRole("radio", { name: "USDC" })).toBeChecked();
  await inspectPage(page, "invest-usdc");

  // The SOL that is left opens the account of one coin, and these are two.
  await page.getByText("Several assets").click();
  await payWith.getByText("SOL").click();
  await expect(page.getByLabel("Keep as SOL")).toBeVisible();
  await payWith.getByText("USDC").click();
  for (const [asset, share] of Object.entries({ BTC: "40", ETH: "40", "Keep as USDC": "" }))
    await page.getByLabel(asset, { exact: true }).fill(share);
  await page.getByRole("button", { name: "Keep the rest" }).click();
  await expect(page.getByLabel("Keep as USDC")).toHaveValue("20");
  await page.getByRole("button", { name: "Review the investment" }).click();
  const notReady = page.getByTestId("not-ready");
  await expect(notReady).toContainText("more (fee included) and you can invest.");
  await expect(notReady).toContainText("paid in SOL");
  await inspectPage(page, "invest-usdc-lacks-sol");

  await page.getByText("One asset", { exact: true }).click();
  const review = await reviewInvestment(page);
  await expectOneScreen(page, "Sign and invest");
  const units = BigInt((await readBalance(address, "USDC"))!);
  await expect(review.getByTestId("swap-BTC")).toContainText("at least");
  await expect(review.getByTestId("stays-reserved")).toContainText("SOL stays in your savings wallet");
  await review.getByText("Details").click();
  await expect(review.getByText("USDC to BTC")).toBeVisible();
  await expect(review.getByLabel("Where your USDC goes")).toContainText(`Swapped now${formatDecimal(units, 6)} USDC`);
  await inspectPage(page, "invest-usdc-review");
  await clickSignButton(page, "Sign and invest");
  const investedDialog = page.getByRole("dialog", { name: "Invested" });
  await expect(investedDialog.getByTestId("bought-BTC")).toBeVisible();
  await expect(investedDialog).toContainText(/Paid [\d.]+ USDC for BTC, now in your savings wallet/);
  await inspectPage(page, "invest-usdc-done");
  expect(await listAssets(address)).toEqual(["BTC", "SOL"]);
  await investedDialog.getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByTestId("activity-list")).toContainText("Bought BTC");
});

test("the browser remembers the last valid allocation of each wallet", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.5 });
  await page.goto("/dashboard/invest");
  await page.getByText("Several assets").click();
  for (const [asset, share] of [
    ["BTC", "12.5"],
    ["ETH", ""],
    ["USDC", "60"],
    ["Keep as SOL", "27.5"],
  ] as const) {
    await page.getByLabel(asset, { exact: true }).fill(share);
  }
  await page.getByText("Limits").click();
  await page.getByLabel("The price may move by").fill("0.75");
  await page.getByLabel("The price may move by").fill("75");
  await page.getByLabel("Minimum to invest", { exact: true }).fill("7");

  await page.reload();
  await expect(page.getByRole("radio", { name: "Several assets" })).toBeChecked();
  await expect(page.getByLabel("BTC", { exact: true })).toHaveValue("12.5");
  await expect(page.getByLabel("ETH", { exact: true })).toHaveValue("");
  await expect(page.getByLabel("Keep as SOL")).toHaveValue("27.5");
  await expect(page.getByLabel("The price may move by")).toHaveValue("0.75");
  await expect(page.getByLabel("Minimum to invest", { exact: true })).toHaveValue("7");
  await expect(page.getByText("Minimum to invest: $7.00, account deposit included.")).toBeVisible();
  const storedKeys = await page.evaluate(() => Object.keys(localStorage));
  expect(storedKeys.filter((key) => key.includes("invest-choice"))).toEqual([`roundup-invest-choice:${saver.wallet}`]);
});

test("the proceeds of a partial sale stay in the savings wallet", { tag: "@browsers" }, async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/invest");
  await page.getByText("Sell", { exact: true }).click();
  await page.getByRole("button", { name: "Review the sale" }).click();
  await expect(page.getByLabel("Amount")).toHaveAccessibleDescription(/Type an amount/);
  await page.getByLabel("Amount").fill("10,00");
  await expect(page.getByTestId("part-converted")).toHaveText("≈ 0.0001 BTC");
  await inspectPage(page, "sell");
  await page.getByRole("button", { name: "Review the sale" }).click();
  const review = page.getByRole("dialog", { name: "Review your sale" });
  await expect(review.getByTestId("sell-review")).toContainText("$10.00");
  await expect(review, "what an investment leaves pays one deposit").toContainText("you may need to add SOL");
  await expect(review, "the sandbox quotes no more than the minimum").not.toContainText("under the quote");
  await expectOneScreen(page, "Sign and sell");
  await inspectPage(page, "sell-review");
  await clickSignButton(page, "Sign and sell");
  await expect(page.getByRole("dialog", { name: "Sold" }).getByTestId("success")).toContainText("0.0001 BTC sold for");
  await expect(page.getByLabel("Amount"), "the next sale starts with an empty amount").toHaveValue("");
  await inspectPage(page, "sell-done");
  expect(await listAssets(saver.serviceWallet.address)).toEqual(["BTC", "SOL", "USDC"]);
  await page.getByRole("link", { name: "View Sold BTC" }).click();
  await expect(page).toHaveURL(/\/tx\/\w{80,}$/);
  await expect(page.getByTestId("activity-list")).toContainText("Sold BTC");
  await expect(page.getByTestId("activity-list")).toContainText("Network fee");
  await expect(page.getByRole("link", { name: "View this transaction" }), "no link to itself").toHaveCount(0);
  await inspectPage(page, "transaction");
  const saleSignature = page.url().split("/").at(-1)!;
  await page.goto("/dashboard/activity");
  // The list moves what is below it when it has loaded.
  await expect(page.getByTestId("activity-list")).toContainText("Sold BTC");
  await page.getByText("Find a transaction by its signature").click();
  await page.getByLabel("Signature", { exact: true }).fill("abc");
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page.getByLabel("Signature", { exact: true })).toHaveAccessibleDescription(/64 to 88/);
  await page.getByLabel("Signature", { exact: true }).fill(saleSignature);
  await page.getByRole("button", { name: "Find" }).click();
  await expect(page).toHaveURL(`/tx/${saleSignature}`);
  await expect(page.getByTestId("activity-list")).toContainText("Sold BTC");
  await page.goto(`/tx/${"1".repeat(88)}`);
  await expect(page.getByText("Not a transaction of your wallets")).toBeVisible();
});

test("the page stops renewing an expired quote after six renewals", async ({ page }) => {
  await page.clock.install();
  await openSession(page, { serviceSol: 0.1 });
  let buildCount = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/swap/build")) buildCount += 1;
  });
  await page.goto("/dashboard/invest");
  const review = await reviewInvestment(page);
  const sign = review.getByRole("button", { name: "Sign and invest" });
  await expect(sign).toBeEnabled();
  await pauseClock(page);
  const waitFor = (readValue: () => unknown, value: unknown) =>
    expect.poll(() => page.clock.runFor(5_000).then(readValue), { intervals: [50] }).toBe(value);
  for (let i = 1; i <= 6; i++) {
    await waitFor(() => buildCount, i + 1);
    await expect(sign).toBeEnabled();
    await expect(review.getByTestId("flow-note")).toHaveCount(0);
  }
  const staleNote = review.getByText("These figures are too old to be signed.");
  await waitFor(() => staleNote.isVisible(), true);
  await expect(sign).toBeDisabled();
  expect(buildCount).toBe(7);
  await page.clock.resume();
  await inspectPage(page, "invest-expired");
  await review.getByRole("button", { name: "Get fresh ones" }).click();
  await expect(sign).toBeEnabled();
});
