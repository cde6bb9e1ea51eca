import type { Page } from "@playwright/test";
import { installWallet } from "./support/external-wallet";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import {
  clickSignButton,
  closeSheet,
  expectOneScreen,
  findNavigationLink,
  findSavedDialog,
  reviewInvestment,
  reviewPurchase,
  reviewWithdrawal,
  savePurchase,
  waitForSheetHistory,
} from "./support/flows";
import { callApi, createSaver, fund, readBalance, withdrawSol } from "./support/service";
import { openSession, readServiceWallet, setUpWallet } from "./support/session";
import { approveDelegate, payUsdc } from "./support/tokens";

const readUsdc = async (wallet: string) => Number((await readBalance(wallet, "USDC")) ?? 0);

const findPayChoice = (page: Page, name: "SOL" | "USDC") =>
  page.getByTestId("pay-with").getByRole("radio", { name, exact: true });

const choosePay = (page: Page, name: "SOL" | "USDC") =>
  page.getByTestId("pay-with").getByText(name, { exact: true }).click();

test("a new wallet with USDC and 0.003 SOL saves in USDC with one signature", async ({ page }) => {
  const { wallet, serviceWallet } = await openSession(page, { sol: 0.003, usdc: 30 });
  await page.goto("/dashboard/round-up");
  await expect(findPayChoice(page, "USDC"), "preselected, as the wallet holds more USDC").toBeChecked();
  const review = await reviewPurchase(page, "27.03");
  await expect(review.getByTestId("save-breakdown")).toContainText(/Into your savings wallet\$0\.970\.967575 USDC/);
  await expect(review.getByTestId("save-breakdown")).toContainText(
    /Refundable depositOpens your savings wallet’s USDC/,
  );
  await expect(review.getByTestId("save-breakdown")).toContainText(/Leaves your main wallet.*0\.97 USDC0\.002\d+ SOL/);
  await review.getByText("Details").click();
  await expect(review.getByTestId("save-breakdown")).toContainText(/Service fee0\.25 % of the change.*0\.002425 USDC/);
  await inspectPage(page, "usdc-review");
  await review.getByText("Details").click();
  await expectOneScreen(page, "Sign and save");
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toContainText("0.967575 USDC arrived in your savings wallet.");
  await expect(findSavedDialog(page), "the savings in USDC count").toContainText(
    "$4.04 more in USDC and you can invest.",
  );
  await inspectPage(page, "usdc-saved");
  expect([await readUsdc(wallet), await readUsdc(serviceWallet.address)]).toEqual([29_030_000, 967_575]);
  await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByTestId("activity-list")).toContainText(/Saved change.*\+0\.967575 USDC/);
  await findNavigationLink(page, "Activity").click();
  await expect(page.getByRole("heading", { level: 1, name: "Activity" })).toBeVisible();
  await page.getByTestId("activity-list").getByText("Saved change").click();
  await expect(page.getByTestId("activity-list")).toContainText(/Service fee.*0\.002425 USDC/);

  await findNavigationLink(page, "Save").click();
  await savePurchase(page, "3.01");
  expect(await readUsdc(serviceWallet.address), "the next saving opens no account").toBe(967_575 + 987_525);
  await closeSheet(page);
  await choosePay(page, "SOL");
  const solReview = await reviewPurchase(page, "27.03");
  await expect(solReview.getByTestId("save-breakdown")).not.toContainText("USDC");
  await expect(solReview.getByRole("alert"), "too little SOL is left to open the savings wallet").toContainText(
    /Your main wallet is short of SOL.*Add 0\.00\d+ SOL \(\$0\.\d\d\), then try again\./,
  );
});

for (const isByAllowance of [false, true]) {
  const means = isByAllowance ? "by allowance" : "with signatures";
  test(`a wallet with USDC and 0.003 SOL gets SOL, saves ${means}, buys BTC and leaves`, async ({ page }) => {
    test.slow();
    await page.setViewportSize({ width: 390, height: 844 });
    const saver = await openSession(page, { sol: 0.003, usdc: 30 });
    const { wallet, serviceWallet } = saver;
    await payUsdc(saver, 3_400_000n);
    await page.goto("/dashboard/round-up");
    await page.getByRole("link", { name: "Little SOL for fees" }).click();
    await page.getByRole("button", { name: "Get SOL for $1.00 of USDC" }).click();
    const sale = page.getByRole("dialog", { name: "Review your sale" });
    await expect(sale.getByTestId("sell-review")).toContainText(/You sell.*1 USDC.*You get about.*SOL/);
    await inspectPage(page, `sol-review-${isByAllowance}`);
    await clickSignButton(page, "Sign and sell");
    await expect(page.getByRole("dialog", { name: "Sold" })).toContainText("now in your main wallet");
    await closeSheet(page);

    if (isByAllowance) {
      await allowUsdc(page, "25");
    }
    await waitForSheetHistory(page);
    await page.goto("/dashboard");
    await page.getByTestId("from-wallet").getByRole("button", { name: /^Save/ }).click();
    await clickSignButton(page, "Sign and save");
    await expect(findSavedDialog(page)).toContainText("0.5985 USDC arrived in your savings wallet.");
    await closeSheet(page);
    await page.goto("/dashboard");
    await page.getByRole("button", { name: "Add money" }).click();
    await page.getByTestId("top-up").getByRole("button", { name: "Add $5.00" }).click();
    // After a reload, the wallet first opens the savings wallet's key.
    await clickSignButton(page, "Sign and add");
    await expect(page.getByRole("dialog", { name: "Added" })).toBeVisible();
    await closeSheet(page);

    await page.goto("/dashboard/invest");
    // The allowance's reserve may be enough, so the page asks for SOL only after the service has.
    if (isByAllowance) await page.getByRole("button", { name: "Review the investment" }).click();
    await page.getByRole("button", { name: "Add $1.00" }).click();
    await clickSignButton(page, "Sign and add");
    const added = page.getByRole("dialog", { name: "Added" });
    if (isByAllowance) await added.getByRole("button", { name: "Invest now" }).click();
    else {
      await added.getByRole("button", { name: "Choose what to buy" }).click();
      await reviewInvestment(page);
    }
    await expect(page.getByRole("dialog", { name: "Review your investment" })).toContainText("You get BTC");
    await clickSignButton(page, "Sign and invest");
    await expect(page.getByRole("dialog", { name: "Invested" })).toBeVisible();
    await closeSheet(page);

    await page.goto("/dashboard/withdraw");
    await reviewWithdrawal(page);
    await clickSignButton(page, "Sign and withdraw");
    await expect(page.getByRole("dialog", { name: "Withdrawn" })).toBeVisible();
    const { balances, pendingLamports } = await callApi(`/api/portfolio/${serviceWallet.address}`);
    expect([balances, pendingLamports], "nothing is left behind").toEqual([[], 0]);
    const symbols = (await callApi(`/api/portfolio/${wallet}`)).balances.map(
      ({ symbol }: { symbol: string }) => symbol,
    );
    expect(symbols).toEqual(expect.arrayContaining(["USDC", "BTC"]));
  });
}

test("the page says in dollars what a saving in USDC lacks, and offers SOL instead", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  await openSession(page, { sol: 0.001, usdc: 30 });
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/dashboard/round-up");
  await (await reviewPurchase(page, "27.03")).getByRole("link", { name: "Get SOL for USDC" }).click();
  await page.getByRole("button", { name: "Get SOL for $1.00 of USDC" }).click();
  const sale = page.getByRole("dialog", { name: "Review your sale" });
  await expect(sale, "even a sale needs some SOL").toContainText(/your main wallet lacks 0\.000\d+ SOL \(\$0\.\d\d\)/);
  await inspectPage(page, "sol-short");
  await closeSheet(page);
  await page.goto("/dashboard/round-up");
  const review = await reviewPurchase(page, "27.03");
  await expect(review.getByRole("alert")).toContainText(
    /Your main wallet is short of SOL.*paid in SOL\. This takes 0\.002\d+ SOL \(\$0\.31\).*Add 0\.001\d+ SOL \(\$0\.\d\d\)/,
  );
  await inspectPage(page, "usdc-short-of-sol");
  await review.getByRole("button", { name: "Get play money" }).click();
  await expect(review.getByRole("alert")).toHaveCount(0);
  await expect(review.getByRole("button", { name: "Sign and save" })).toBeEnabled();
  await review.getByRole("button", { name: "Cancel" }).click();
  await waitForSheetHistory(page);

  await choosePay(page, "USDC");
  await page.route("**/api/wrap", (route) =>
    (route.request().postDataJSON() as { payWith?: string }).payWith === "USDC"
      ? route.fulfill({
          status: 503,
          headers: { "retry-after": "60" },
          json: {
            ok: false,
            error: "USDC is not worth one dollar right now.",
            code: "service_not_ready",
            requestId: "r",
          },
        })
      : route.continue(),
  );
  await page.getByRole("button", { name: "Review and save" }).click();
  const failure = page.getByRole("dialog");
  await expect(failure).toContainText("USDC is not worth one dollar right now.");
  await inspectPage(page, "usdc-refused");
  await failure.getByRole("button", { name: "Pay with SOL" }).click();
  await expect(failure.getByTestId("save-breakdown")).toContainText(/Leaves your main wallet.*SOL/);
  await failure.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toContainText("SOL arrived in your savings wallet.");
});

test("the settings keep what a wallet saves from", async ({ page }) => {
  await openSession(page, { sol: 1 });
  await page.goto("/dashboard/settings");
  await expect(findPayChoice(page, "SOL")).toBeChecked();
  await choosePay(page, "USDC");
  await inspectPage(page, "usdc-settings");
  await page.goto("/dashboard/round-up");
  const review = await reviewPurchase(page, "27.03");
  await expect(review.getByRole("alert")).toContainText("This takes 0.97 USDC; your wallet holds none.");
  await review.getByRole("button", { name: "Pay with SOL" }).click();
  await expect(review.getByTestId("save-breakdown")).toContainText("SOL");
  await review.getByRole("button", { name: "Cancel" }).click();
  await waitForSheetHistory(page);
  await page.goto("/dashboard/settings");
  await expect(findPayChoice(page, "SOL"), "the choice in the sheet is kept").toBeChecked();
});

const findAmountField = (page: Page) => page.getByLabel("Let your savings wallet take change by itself, at most");

/** Sets up an installed wallet that holds more USDC than SOL. It asks for each signature. */
async function setUpUsdcWallet(page: Page) {
  const wallet = await installWallet(page);
  await fund(wallet.address, 0.02, undefined, 40);
  await setUpWallet(page, wallet);
  await page.getByRole("button", { name: "Continue" }).click();
  await findNavigationLink(page, "Settings").click();
  return wallet;
}

async function allowUsdc(page: Page, usd: string): Promise<void> {
  await findAmountField(page).fill(usd);
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await page.getByRole("button", { name: "Sign and allow" }).click();
  await expect(page.getByRole("dialog", { name: "Allowance set" })).toBeVisible();
  await closeSheet(page);
}

test("a wallet allows 25 USDC with one signature, saves without any, and stops it", async ({ page }) => {
  const wallet = await setUpUsdcWallet(page);
  const amount = findAmountField(page);
  await amount.fill("0.5");
  await expect(page.getByRole("button", { name: "Review", exact: true })).toBeDisabled();
  await amount.fill("25");
  await inspectPage(page, "allowance-form");
  await page.getByRole("button", { name: "Review", exact: true }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  const rows = review.getByTestId("allowance-review");
  await expect(rows).toContainText(/Your savings wallet may take, at most.*\$25\.0025 USDC/);
  await expect(rows).toContainText(/Reserve.*SOL.*Refundable deposit.*up to.*Fees.*Leaves your main wallet now.*SOL/);
  await inspectPage(page, "allowance-review");
  await expectOneScreen(page, "Sign and allow");
  await review.getByRole("button", { name: "Sign and allow" }).click();
  await expect(page.getByRole("dialog", { name: "Allowance set" })).toContainText("$25.00");
  await closeSheet(page);
  await expect(page.getByTestId("allowance-left")).toContainText("$25.00 left");
  await inspectPage(page, "allowance-left");

  wallet.requests.length = 0;
  await findNavigationLink(page, "Save").click();
  await page.getByLabel("You paid").fill("27.03");
  await page.getByRole("button", { name: "Save without signing" }).click();
  await expect(findSavedDialog(page)).toContainText("0.967575 USDC arrived in your savings wallet.");
  await expect(findSavedDialog(page).getByTestId("save-breakdown")).toContainText(/You pay.*0\.97 USDC0\.00000\d+ SOL/);
  await inspectPage(page, "allowance-saved");
  expect(wallet.requests, "the wallet was asked for nothing").toEqual([]);
  const { address } = await readServiceWallet(page);
  expect(await readUsdc(address)).toBe(967_575);

  await closeSheet(page);
  await findNavigationLink(page, "Settings").click();
  await expect(page.getByTestId("allowance-left")).toContainText("$24.03 left");
  await choosePay(page, "SOL");
  await expect(page.getByTestId("allowance-left"), "SOL pays, and the allowance lasts").toContainText(
    /\$24\.03 left.*Not used while you save from SOL/,
  );
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByRole("dialog", { name: "Stopped" })).toBeVisible();
  expect(wallet.requests).toEqual(["signTransaction"]);
  await closeSheet(page);
  await expect(page.getByRole("button", { name: "Review", exact: true })).toBeVisible();
  expect(await callApi(`/api/allowance/${wallet.address}?serviceWallet=${address}`)).toMatchObject({
    delegate: null,
    remainingUsd: 0,
  });
  await choosePay(page, "USDC");
  await findNavigationLink(page, "Save").click();
  const nextReview = await reviewPurchase(page, "27.03");
  await expect(nextReview).toContainText("Your main wallet signs this.");
});

test("the page says when an allowance is used up, and when another program holds it", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.setViewportSize({ width: 390, height: 844 });
  const saver = await openSession(page, { sol: 0.02, usdc: 40 });
  await page.goto("/dashboard/settings");
  await allowUsdc(page, "1");
  await expect(page.getByTestId("allowance-left")).toContainText("$1.00 left");
  await findNavigationLink(page, "Save").click();
  const topup = page.getByTestId("top-up");
  await topup.getByText("Other").click();
  await topup.getByLabel("Amount to add").fill("1");
  // After the reload, the wallet first opens the savings wallet's key, so the button does not promise to ask nothing.
  await topup.getByRole("button", { name: "Add $1.00", exact: true }).click();
  await page.getByRole("button", { name: "Sign and add" }).click();
  await expect(page.getByRole("dialog", { name: "Added" })).toBeVisible();
  await closeSheet(page);
  await page.goto("/dashboard/settings");
  await expect(page.getByText("Your allowance is used up or was stopped")).toBeVisible();
  await inspectPage(page, "allowance-used-up");

  const { wallet: subscription } = createSaver();
  await approveDelegate(saver, subscription, 5_000_000n);
  await page.reload();
  await expect(page.getByText("Another program may already take USDC from your wallet")).toBeVisible();
  await inspectPage(page, "allowance-other-delegate");
  await page.getByRole("link", { name: "Go on with signatures" }).click();
  await savePurchase(page, "27.03");
  await closeSheet(page);

  await page.route("**/api/allowance/**", (route) =>
    route.fulfill({ status: 502, json: { ok: false, error: "No.", code: "upstream_unavailable", requestId: "r" } }),
  );
  await page.goto("/dashboard/settings");
  await expect(page.getByText("Your allowance cannot be read right now")).toBeVisible();
  await inspectPage(page, "allowance-unreadable");
});

test("a review by allowance that was stopped sends nothing before the next click", async ({ page }) => {
  const wallet = await setUpUsdcWallet(page);
  await allowUsdc(page, "20");
  await findNavigationLink(page, "Save").click();
  await page.getByText("Set limits (optional)").click();
  await page.getByLabel("Daily limit").fill("3");
  await page.getByTestId("top-up").getByRole("button", { name: "Add $5.00 without signing" }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review).toContainText("This would go over your daily limit.");
  await inspectPage(page, "allowance-limit");
  // As another tab does.
  await page.evaluate((key) => {
    localStorage.setItem(key, "{}");
    window.dispatchEvent(new StorageEvent("storage", { key, storageArea: localStorage }));
  }, `roundup-guards:${wallet.address}`);
  await expect(review).not.toContainText("This would go over your daily limit.");
  await expect(review.getByRole("button", { name: "Sign and add" })).toBeEnabled();
  await review.getByRole("button", { name: "Cancel" }).click();
  await waitForSheetHistory(page);
  const { address } = await readServiceWallet(page);
  expect(await readUsdc(address)).toBe(0);
});

test("an allowance that may still land cannot be stopped too early", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  await setUpUsdcWallet(page);
  await allowUsdc(page, "5");
  await page.getByText("Set another amount").click();
  await page.route("**/api/swap/execute", async (route) => {
    await route.fetch();
    await route.abort();
  });
  await findAmountField(page).fill("10");
  await page.getByRole("button", { name: "Review", exact: true }).click();
  await page.getByRole("button", { name: "Sign and allow" }).click();
  await expect(page.getByRole("dialog")).toContainText("We do not know yet whether it arrived");
  await page.keyboard.press("Escape");
  await expect(page.getByTestId("unfinished")).toContainText("Check it before you change anything else.");
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeDisabled();
  await inspectPage(page, "allowance-unfinished");
  await page.unroute("**/api/swap/execute");
  await page.getByTestId("unfinished").getByRole("button", { name: "Check now" }).click();
  await expect(page.getByRole("dialog", { name: "Allowance set" })).toContainText("$10.00");
  await closeSheet(page);
  await expect(page.getByRole("button", { name: "Stop", exact: true })).toBeEnabled();
});

test("the page says why an allowance cannot be ended without SOL, and ends it after a click", async ({ page }) => {
  const saver = await openSession(page, { sol: 0.00066, usdc: 40 });
  await approveDelegate(saver, saver.serviceWallet.address, 5_000_000n);
  await page.goto("/dashboard/settings");
  await page.getByRole("button", { name: "Stop", exact: true }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review.getByRole("alert")).toContainText("Your main wallet is short of SOL");
  await inspectPage(page, "revocation-short-of-sol");
  await review.getByRole("button", { name: "Get play money" }).click();
  await expect(review.getByRole("alert")).toHaveCount(0);
  await review.getByRole("button", { name: "Sign and stop" }).click();
  await expect(page.getByRole("dialog", { name: "Stopped" })).toBeVisible();
});

test("a person saves with a signature while the savings wallet lacks SOL", async ({ page }) => {
  const saver = await openSession(page, { sol: 0.02, usdc: 40, serviceSol: 0.01 });
  await approveDelegate(saver, saver.serviceWallet.address, 20_000_000n);
  await page.goto("/dashboard/invest");
  await page.getByTestId("top-up").getByText("Other").click();
  await page.getByTestId("top-up").getByLabel("Amount to add").fill("1");
  await page.getByTestId("top-up").getByRole("button", { name: "Add $1.00", exact: true }).click();
  const topup = page.getByRole("dialog", { name: "Review and sign" });
  await expect(topup.getByTestId("save-breakdown"), "SOL is what is missing").toContainText(
    /Leaves your main wallet.*SOL/,
  );
  await topup.getByRole("button", { name: "Cancel" }).click();
  await waitForSheetHistory(page);

  await withdrawSol(saver);
  await page.goto("/dashboard/round-up");
  const review = await reviewPurchase(page, "27.03");
  await expect(review.getByRole("alert")).toContainText(
    /Your savings wallet is short of SOL.*A new allowance under Settings adds SOL for 20 savings too\./,
  );
  await inspectPage(page, "allowance-short-of-sol");
  await review.getByRole("button", { name: "Sign with my wallet" }).click();
  await expect(review).toContainText("Your main wallet signs this.");
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toContainText("0.967575 USDC arrived in your savings wallet.");
});
