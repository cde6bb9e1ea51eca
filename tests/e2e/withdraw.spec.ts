import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import {
  clickSignButton,
  closeSheet,
  expectOneScreen,
  findAmount,
  holdRequests,
  reviewWithdrawal,
} from "./support/flows";
import { callApi, createSaver, fund, listAssets, withdrawSol } from "./support/service";
import { openSession } from "./support/session";

/** The deposit of one token account. */
const DEPOSIT = "0.00148844 SOL";

test("a full withdrawal leaves no lamport in the service wallet", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/withdraw");
  await expect(page.getByRole("radio", { name: /^My main wallet/ })).toBeChecked();
  await inspectPage(page, "withdraw");
  const review = await reviewWithdrawal(page);
  await expect(review).toContainText("Returned account deposits");
  await expect(review.getByTestId("arrives")).toContainText(saver.wallet);
  await expectOneScreen(page, "Sign and withdraw");
  const usd = await findAmount(review, "Arrives in your main wallet").innerText();
  await inspectPage(page, "withdraw-review");
  await clickSignButton(page, "Sign and withdraw");
  await expect(page.getByTestId("service-wallet-empty")).toContainText("No token and no SOL is left in it. You can");
  // The main wallet had no account for BTC yet.
  await expect(page.getByTestId("deposit-stays")).toContainText(
    `An account deposit stays in your main wallet${DEPOSIT}`,
  );
  await inspectPage(page, "withdraw-done");
  await page.setViewportSize({ width: 1280, height: 500 });
  await expect(page.getByRole("link", { name: "See my savings" }), "in a low window").toBeInViewport({ ratio: 1 });
  await expect(page.getByTestId("success"), "the amount of the review").toContainText(usd);
  await expect(page.getByTestId("success"), "a part of that amount").toContainText(`${DEPOSIT} account deposit`);
  await page.goto("/dashboard/activity");
  const withdrawal = page.getByTestId("activity-list").getByRole("listitem").first();
  await expect(withdrawal, "one number").toContainText(usd);
  await withdrawal.locator("summary").click();
  await withdrawal.getByRole("link", { name: "View this transaction" }).click();
  await expect(page).toHaveURL(/\/tx\/\w{80,}$/);
  await expect(page.getByTestId("activity-list")).toContainText("Toyour main wallet");
  expect(await listAssets(saver.serviceWallet.address)).toEqual([]);
  await page.goto("/dashboard/withdraw");
  await expect(page.getByText("Your savings wallet is empty")).toBeVisible();
  await inspectPage(page, "withdraw-empty");
});

test("a withdrawal as SOL sells and sends everything after one review", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/withdraw");
  await page.getByText("As SOL", { exact: true }).click();
  await inspectPage(page, "withdraw-as-sol");
  const review = await reviewWithdrawal(page);
  await expect(review.getByTestId("cash-out-review")).toContainText(/Sell 0\.000\d+ BTC/);
  await expect(review).toContainText("Arrives in your main wallet");
  await expect(review, "with the deposits that return, all of it").toContainText("about $30.00");
  await expectOneScreen(page, "Sign, sell and withdraw");
  await inspectPage(page, "withdraw-as-sol-review");
  await clickSignButton(page, "Sign, sell and withdraw");
  await expect(page.getByTestId("service-wallet-empty")).toContainText("all account deposits came back");
  await expect(page.getByTestId("withdraw-done"), "the amount of the review").toContainText("$30.00");
  await inspectPage(page, "withdraw-as-sol-done");
  expect(await listAssets(saver.serviceWallet.address)).toEqual([]);
  expect(await listAssets(saver.wallet)).toEqual(["SOL"]);
});

test("a withdrawal as USDC to a new address shows the deposit before signing", async ({ page }) => {
  await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/withdraw");
  await page.getByRole("radio", { name: /^Another address/ }).check();
  const address = page.getByLabel("Address", { exact: true });
  const otherAddress = createSaver().wallet;
  await address.fill(`\u200bsolana:${otherAddress}?amount=1`);
  await page.getByText("USDC + SOL", { exact: true }).click();
  await expect(address, "another choice of coins keeps the destination").toHaveValue(otherAddress);
  const review = await reviewWithdrawal(page);
  await expect(review).toContainText("stays locked in that wallet, in a new token account");
  await expect(review).toContainText(`Up to $0.31 of it (0.00203928 SOL)`);
  const rows = review.getByTestId("cash-out-review").locator("dl > div");
  await expect(rows.and(review.locator(":not([data-sum])")), "every row is part of the total").toHaveCount(0);
  await expectOneScreen(page, "Sign, sell and withdraw");
  await inspectPage(page, "withdraw-as-usdc-review");
});

test("a person can send a part to a different address", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  const saver = await openSession(page, { serviceSol: 0.1 });
  const otherAddress = createSaver().wallet;
  await page.goto("/dashboard/withdraw");
  await page.getByText("A part", { exact: true }).click();
  await page.getByLabel("Amount").fill("900");
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await expect(page.getByLabel("Amount")).toHaveAccessibleDescription("You have $15.00.");
  await page.getByRole("group", { name: "Unit" }).getByText("SOL").click();
  await page.getByLabel("Amount").fill("0.04");
  await page.getByRole("radio", { name: /^Another address/ }).check();
  const address = page.getByLabel("Address", { exact: true });
  for (const [text, words] of [
    ["", "Type or paste the address."],
    ["abc", "This is not a complete Solana address. Copy it again."],
    [saver.serviceWallet.address, "This is your savings wallet. Choose another address."],
    // An address derived by the token program, so it is off the curve.
    ["4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM", "This is not a complete Solana address. Copy it again."],
    // The token program, which only the service knows to be no wallet.
    ["TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA", /^This address belongs to a program or a token account/],
  ] as const) {
    await address.fill(text);
    await page.getByRole("button", { name: "Review the withdrawal" }).click();
    await expect(address).toHaveAccessibleDescription(words);
  }
  await expect(page.getByText("Valid Solana address")).toHaveCount(0);
  await expect(page.getByText("That did not work")).toHaveCount(0);
  await inspectPage(page, "withdraw-part");
  await page.setViewportSize({ width: 360, height: 740 });
  await address.fill(`${otherAddress.slice(0, 30)}\n ${otherAddress.slice(30)}\n`);
  await expect(address, "without the line breaks of the copied text").toHaveValue(otherAddress);
  expect(
    await address.evaluate((node) => node.scrollHeight - node.clientHeight),
    "px of the address that a phone hides",
  ).toBe(0);
  await address.press("Enter");
  const review = page.getByRole("dialog", { name: "Review your withdrawal" });
  await expect(review.getByTestId("arrives")).toContainText("Arrives at another address");
  await expect(review.getByTestId("full-address")).toContainText(`${otherAddress}Not among the last 5 addresses`);
  const releaseReads = await holdRequests(page, "**/api/portfolio/**");
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  const doneDialog = page.getByRole("dialog", { name: "Withdrawn" });
  await expect(doneDialog).toContainText("0.04 SOL");
  await closeSheet(page);
  await expect(page.getByText("Updating…"), "the amounts are from before the withdrawal").toBeVisible();
  releaseReads();
  await expect(page.getByText("Updating…")).toHaveCount(0);
  await expect(page.getByTestId("service-total")).toHaveText(/^\$(8\.9\d|9\.00)$/);
  await page.reload();
  await page.getByRole("radio", { name: /^Another address/ }).check();
  await page.getByRole("list").getByRole("button", { name: otherAddress }).click();
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await expect(review.getByTestId("full-address")).toContainText("Used before, on");
  expect((await callApi(`/api/portfolio/${otherAddress}`)).pendingLamports).toBe(40_000_000);
});

test("the page warns before a withdrawal of the SOL that tokens need", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/withdraw");
  await page.getByText("A part", { exact: true }).click();
  await page.getByLabel("Asset").selectOption("SOL");
  await page.getByRole("button", { name: "All", exact: true }).click();
  const note = page.getByTestId("stranded-note");
  await expect(note).toContainText("BTC will then need SOL to move");
  await inspectPage(page, "withdraw-stranded");
  await note.getByRole("button", { name: "Withdraw everything instead" }).click();
  await expect(page.getByRole("radio", { name: "Everything" })).toBeFocused();
  await expect(page.getByRole("radio", { name: "Everything" })).toBeChecked();
  await expect(note).toBeHidden();

  await page.getByText("A part", { exact: true }).click();
  const review = await reviewWithdrawal(page);
  await expect(review).toContainText("BTC will then need SOL to move");
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  await closeSheet(page);

  await page.getByText("Everything", { exact: true }).click();
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  const refusal = page.getByTestId("not-ready");
  await expect(refusal).toContainText("Your savings wallet has too little SOL for this");
  await expect(refusal.getByTestId("missing-sol")).toHaveText(/It needs 0\.00\d+ SOL more, about \$0\.\d\d\./);
  await expect(refusal.getByRole("button", { name: "Add $1.00" })).toBeVisible();
  await inspectPage(page, "withdraw-lacks-sol");
  // Adding exactly the displayed amount suffices.
  const [, sol] = /needs ([\d.]+) SOL/.exec((await refusal.textContent())!)!;
  await fund(saver.serviceWallet.address, Number(sol));
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  expect(await listAssets(saver.serviceWallet.address)).toEqual([]);
});

test("a top-up for what a withdrawal or a sale lacks leads back to it", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  for (const [task, path] of [
    ["withdraw", "/dashboard/withdraw"],
    ["sell", "/dashboard/invest?sell"],
  ] as const) {
    await withdrawSol(saver);
    await page.goto(path);
    if (task === "sell") await page.getByRole("button", { name: "All", exact: true }).click();
    await page.getByRole("button", { name: /^Review the (sale|withdrawal)$/ }).click();
    await page.getByTestId("top-up").getByRole("button", { name: "Add $1.00" }).click();
    await clickSignButton(page, "Sign and add");
    const added = page.getByRole("dialog", { name: "Added" });
    await expect(added.getByRole("link", { name: "Invest now" })).toHaveCount(0);
    await added.getByRole("button", { name: `Continue to ${task}` }).click();
    await expect(page.getByRole("dialog", { name: /^Review your (sale|withdrawal)$/ })).toBeVisible();
  }
});
