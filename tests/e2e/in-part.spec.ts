import type { Page } from "@playwright/test";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { reviewInvestment, reviewWithdrawal } from "./support/flows";
import { openSession } from "./support/session";

// biome-ignore lint/suspicious/noExplicitAny: answers of every shape
async function changeAnswers(page: Page, path: string, change: (data: any) => void): Promise<void> {
  await page.route(`**${path}`, async (route) => {
    const response = await route.fetch();
    const json = await response.json();
    change(json.data);
    await route.fulfill({ response, json });
  });
}

const LIST_TOO_LONG = { account: null, reason: "The list of its Token-2022 accounts is too long to read." };

test("tokens that the service cannot read do not block the rest of a withdrawal", async ({ page }) => {
  await openSession(page, { serviceSol: 0.1, hasBtc: true });
  const addLeftOut = (data: { leftOut: unknown[] }) => data.leftOut.push(LIST_TOO_LONG);
  await changeAnswers(page, "/api/portfolio/**", addLeftOut);
  await changeAnswers(page, "/api/overview/**", ({ savings }) => addLeftOut(savings));
  await changeAnswers(page, "/api/withdraw/build", addLeftOut);
  await page.goto("/dashboard");
  await expect(page.getByTestId("left-out")).toContainText(LIST_TOO_LONG.reason);
  await expect(page.getByTestId("invested-usd")).toContainText("$");
  await inspectPage(page, "left-out-overview");
  await page.goto("/dashboard/withdraw");
  const review = await reviewWithdrawal(page);
  await expect(review.getByTestId("left-out")).toContainText(LIST_TOO_LONG.reason);
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  const doneDialog = page.getByRole("dialog", { name: "Withdrawn" });
  await expect(doneDialog.getByTestId("left-out")).toContainText(LIST_TOO_LONG.reason);
  await expect(
    doneDialog.getByTestId("service-wallet-empty"),
    "an unread list does not prove that the wallet is empty",
  ).toHaveCount(0);
  await inspectPage(page, "left-out-done");
});

test("a missing price of ETH does not block buying BTC", async ({ page }) => {
  await openSession(page, { serviceSol: 0.1 });
  // biome-ignore lint/suspicious/noExplicitAny: the service's answer
  const removeEthPrice = (data: any) => {
    delete data.prices.ETH;
    data.stale = true;
    data.problems = [{ asset: "ETH", problem: "missing", message: "No usable price is known right now." }];
  };
  await changeAnswers(page, "/api/price", removeEthPrice);
  await changeAnswers(page, "/api/overview/**", ({ prices }) => removeEthPrice(prices));
  await page.goto("/dashboard");
  const nextStep = page.getByRole("region", { name: "What comes next" });
  await expect(nextStep).toHaveAttribute("data-next-action", "invest");
  await expect(page.getByText(/Updated \d+ s ago; ETH uncertain/)).toBeVisible();
  await page.goto("/dashboard/invest");
  await expect(page.getByTestId("price-problems")).toBeEmpty();
  await page.getByRole("radio", { name: /^ETH/ }).check();
  await expect(page.getByTestId("price-problems")).toContainText("ETH cannot be traded right now");
  await inspectPage(page, "price-missing-invest");
  await page.getByRole("radio", { name: /^BTC/ }).check();
  await expect(await reviewInvestment(page)).toBeVisible();
});

test("the page explains why it rejects an offer far from the market price", async ({ page }) => {
  await openSession(page, { serviceSol: 0.1 });
  const reason = "The venue offers less BTC than the market price allows; try again later or another asset.";
  const refused = { ready: false, reason, transactions: [] };
  await changeAnswers(page, "/api/swap/build", (data) => Object.assign(data, refused));
  await page.goto("/dashboard/invest");
  const review = page.getByRole("button", { name: "Review the investment" });
  await review.click();
  const refusal = page.getByTestId("not-ready");
  await expect(refusal).toContainText("Not at this price");
  await expect(refusal).toContainText(reason);
  await inspectPage(page, "unfair-price");
  await page.unroute("**/api/swap/build");
  await refusal.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("dialog", { name: "Review your investment" })).toBeVisible();
});

test("an operator's pause of investing shows its reason and leaves withdrawals open", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  await openSession(page, { serviceSol: 0.1 });
  const error =
    "Investing is paused by the operator; reading, selling and withdrawing go on. Reason: the market is closed";
  await changeAnswers(page, "/api/health", (data) => {
    data.degraded = [{ part: "pause", reason: "invest paused by the operator: the market is closed" }];
  });
  await page.route("**/api/swap/build", (route) =>
    route.fulfill({ status: 503, json: { ok: false, error, code: "service_not_ready", requestId: "staged-1" } }),
  );
  await page.goto("/dashboard/invest");
  const main = page.getByRole("main");
  await expect(main).toContainText("Invest paused by the operator: the market is closed");
  await page.getByRole("button", { name: "Review the investment" }).click();
  const alert = main.getByRole("alert");
  await expect(alert).toContainText("Not available right now");
  await expect(alert).toContainText("Reason: the market is closed");
  await inspectPage(page, "paused");
  await page.goto("/dashboard/withdraw");
  await expect(await reviewWithdrawal(page)).toBeVisible();
});
