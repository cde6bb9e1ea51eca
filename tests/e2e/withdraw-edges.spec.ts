import { ASSETS } from "../../lib/domain/assets";
import { expect, inspectPage, test } from "./support/fixtures";
import { clickSignButton, closeSheet, reviewWithdrawal } from "./support/flows";
import { callApi, listAssets } from "./support/service";
import { openSession } from "./support/session";
import { openTokenAccount, sendUnsolicitedTokens } from "./support/tokens";

/* Withdrawals from a wallet with too little SOL, or into which a stranger has meddled. */

test("a deposit for an account that a stranger opens before the withdrawal stays in the savings wallet", async ({
  page,
}) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/withdraw");
  const review = await reviewWithdrawal(page);
  await expect(review, "the deposit of one token account").toContainText("0.00148844 SOL");
  await openTokenAccount(saver.wallet, ASSETS.BTC.mint);
  await clickSignButton(page, "Sign and withdraw");
  // The most that the bytes allow, at the highest rent.
  await expect(page.getByTestId("deposit-unpaid")).toContainText("Up to 0.00203928 SOL");
  await expect(page.getByTestId("deposit-stays")).toHaveCount(0);
  await expect(page.getByTestId("service-wallet-empty")).toHaveCount(0);
  await inspectPage(page, "withdraw-done-deposit-unpaid");
  const { pendingLamports } = await callApi(`/api/portfolio/${saver.serviceWallet.address}`);
  expect(pendingLamports).toBe(1_488_440);
});

test("a refused withdrawal offers the one way that the SOL left by a sale into USDC pays for", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/invest?sell");
  await page.getByRole("button", { name: "50 %" }).click();
  await page.getByRole("button", { name: "Review the sale" }).click();
  await clickSignButton(page, "Sign and sell");
  await expect(page.getByRole("dialog", { name: "Sold" })).toBeVisible();
  await page.goto("/dashboard/withdraw");
  const refusal = page.getByTestId("not-ready");
  for (const option of ["Keep coins", "As SOL"]) {
    await page.getByText(option, { exact: true }).click();
    await expect(refusal, "of the choice before").toHaveCount(0);
    await page.getByRole("button", { name: "Review the withdrawal" }).click();
    await expect(refusal.getByTestId("missing-sol")).toHaveText(
      /^It needs 0\.0007\d+ SOL more, about \$0\.1\d\. “USDC \+ SOL” needs no more\.$/,
    );
    await expect(refusal.locator("p")).toHaveCount(2);
    await expect(refusal.getByRole("button", { name: "Add $1.00" }), "to keep the choice").toBeVisible();
    await inspectPage(page, option === "As SOL" ? "withdraw-as-sol-lacks-sol" : "withdraw-coins-lacks-sol");
  }
  await refusal.getByRole("button", { name: "Choose “USDC + SOL”" }).click();
  const review = page.getByRole("dialog", { name: "Review your withdrawal" });
  await expect(review.getByTestId("cash-out-review")).toContainText("about $30.00");
  await clickSignButton(page, "Sign, sell and withdraw");
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  expect(await listAssets(saver.serviceWallet.address)).toEqual([]);
  expect(await listAssets(saver.wallet)).toEqual(["SOL", "USDC"]);
});

test("a withdrawal of too many token accounts continues in reviewed parts", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.1 });
  await sendUnsolicitedTokens(saver.serviceWallet.address, 62);
  await page.goto("/dashboard/withdraw");
  const review = await reviewWithdrawal(page);
  await expect(review).toContainText("This needs more than one transaction");
  await inspectPage(page, "withdraw-first-part");
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  const nextReview = page.getByRole("dialog", { name: "Withdraw the rest" });
  await expect(nextReview).toContainText("This is the next one.");
  await inspectPage(page, "withdraw-next-part");
  await nextReview.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  await inspectPage(page, "withdraw-parts-done");
  expect(await listAssets(saver.serviceWallet.address)).toEqual([]);
});

test("tokens that cannot be sent do not block the rest of a withdrawal", async ({ page }) => {
  const saver = await openSession(page, { serviceSol: 0.1, hasBtc: true });
  await sendUnsolicitedTokens(saver.serviceWallet.address, 1, { frozen: true });
  await page.goto("/dashboard/withdraw");
  const review = await reviewWithdrawal(page);
  await expect(review.getByTestId("left-behind")).toContainText("Its issuer has frozen the token account.");
  await inspectPage(page, "withdraw-left-behind");
  await clickSignButton(page, "Sign and withdraw");
  const doneDialog = page.getByRole("dialog", { name: "Withdrawn" });
  await expect(doneDialog).toContainText("BTC");
  await expect(doneDialog.getByTestId("left-behind")).toContainText("Its issuer has frozen the token account.");
  await expect(doneDialog.getByTestId("service-wallet-empty")).toHaveCount(0);
  await inspectPage(page, "withdraw-left-behind-done");
  await closeSheet(page);
  // Only tokens that cannot move are left.
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await expect(page.getByTestId("not-ready")).toContainText(
    "None of it can be sent. Its issuer has frozen the token account.",
  );
});
