import { expect, inspectPage, test } from "./support/fixtures";
import {
  clickSignButton,
  expectOneScreen,
  findSavedDialog,
  reviewPurchase,
  savePurchase,
  waitForSheetHistory,
} from "./support/flows";
import { callApi } from "./support/service";
import { openSession } from "./support/session";

const readLamports = async (address: string): Promise<number> =>
  (await callApi(`/api/portfolio/${address}`)).pendingLamports;
const LAMPORTS = /^([\d,]+) lamports$/;

test("the reviewed amounts match the lamports that the chain moves", async ({ page }) => {
  const saver = await openSession(page, { sol: 1 });
  await page.goto("/dashboard/round-up");
  await expect(page.getByRole("heading", { level: 1, name: "Save" })).toBeVisible();
  await inspectPage(page, "round-up");
  await page.getByLabel("Plan").selectOption("sprout");
  await page.getByLabel("You paid").fill("27.63");
  await expect(page.getByTestId("round-up-preview")).toContainText("Rounded to $27.70");
  await expect(page.getByTestId("round-up-preview")).toContainText("$0.069475");
  await inspectPage(page, "round-up-preview");
  const review = await reviewPurchase(page, "27.63");
  await expect(review).toContainText("Returned when you leave.");
  await inspectPage(page, "round-up-review");

  await expectOneScreen(page, "Sign and save");

  const titles = await review
    .getByTestId("save-breakdown")
    .locator("[title$=' lamports']")
    .evaluateAll((nodes) => nodes.map((node) => node.getAttribute("title")!));
  const parts = titles.map((title) => Number(LAMPORTS.exec(title)![1]!.replaceAll(",", "")));
  const [arrived, deposit, fees, total, fee, network] = parts as [number, number, number, number, number, number];
  expect(fee + network).toBe(fees);
  expect(arrived + fees).toBe(total);
  expect(deposit, "a part of what arrives").toBeLessThanOrEqual(arrived);
  const lamportsBefore = await readLamports(saver.wallet);
  await clickSignButton(page, "Sign and save");
  await expect(findSavedDialog(page)).toContainText("You paid $0.11, including $0.01 of fees.");
  await expect(page.getByRole("dialog")).toContainText("arrived in your savings wallet");
  const success = page.getByTestId("success");
  await expect(success.getByTitle(/ lamports$/).first(), "as in the review").toHaveAttribute("title", titles[0]!);
  const arrivedText = await success.getByTitle(/ USD$/).first().innerText();
  await inspectPage(page, "round-up-done");
  expect(lamportsBefore - (await readLamports(saver.wallet))).toBe(total);
  expect(await readLamports(saver.serviceWallet.address)).toBe(arrived);
  await page.getByRole("link", { name: /^View / }).click();
  await expect(page.getByTestId("activity-list"), "the activity shows the confirmed amount").toContainText(arrivedText);
  await expect(page.getByTestId("activity-list")).toContainText(
    /Network feePaid by your main wallet<?\$0\.010\.\d+ SOL/,
  );
  await page.goto("/dashboard/round-up");
  await page.getByLabel("Plan").selectOption("sprout");
  await page.getByLabel("You paid").fill("12.40");
  await expect(page.getByTestId("round-up-preview")).toContainText("there is no change to save");
  await expect(page.getByRole("button", { name: "Review and save" })).toBeDisabled();
  await expect(await reviewPurchase(page, "3.51"), "only the first saving pays the deposit").not.toContainText(
    "Includes a refundable account deposit",
  );
});

test("the built transaction uses a custom step and ceiling", async ({ page }) => {
  await openSession(page, { sol: 1 });
  await page.goto("/dashboard/round-up");
  await page.getByLabel("Plan").selectOption({ label: "Custom: your own step" });
  await page.getByLabel("Round up to the next multiple of").fill("7");
  await page.getByLabel("Save at most, per payment").fill("0.30");
  await page.getByLabel("You paid").fill("27.63");
  await expect(page.getByTestId("round-up-preview")).toContainText("limited to your maximum");
  // The second click of a double click must not close the review again.
  await page.getByRole("button", { name: "Review and save" }).dblclick({ delay: 40 });
  await clickSignButton(page, "Sign and save");
  await expect(findSavedDialog(page)).toContainText("You paid $0.31, including $0.01 of fees.");
});

test("the review offers play money to an empty main wallet", async ({ page }) => {
  await openSession(page, { sol: 0 });
  await page.goto("/dashboard/round-up");
  const review = await reviewPurchase(page, "27.63");
  await expect(review.getByRole("alert")).toContainText("Your main wallet is short of SOL");
  await expect(review.getByRole("button", { name: "Sign and save" })).toBeDisabled();
  await inspectPage(page, "round-up-short");
  await review.getByRole("button", { name: "Get play money" }).press("Enter");
  await expect(review.getByRole("alert")).toHaveCount(0);
  const isFocusInSheet = () => page.evaluate(() => document.activeElement?.closest("[role=dialog]") !== null);
  await expect.poll(isFocusInSheet, "the focus stays in the sheet though its button is gone").toBe(true);
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toBeVisible();
});

test("a person's own limits block saving with an explanation", async ({ page }) => {
  await openSession(page, { sol: 1 });
  await page.goto("/dashboard/round-up");
  const limitNote = page.getByRole("status").filter({ hasText: "Your own limits stop this" });
  const review = page.getByRole("button", { name: "Review and save" });
  const limits = page.getByTestId("limits-set");
  await page.getByLabel("You paid").fill("27.63");
  await expect(review).toBeEnabled();
  await expect(limits).toHaveText("Set limits (optional)");
  await limits.click();
  for (const [label, value, words] of [
    ["Limit for one payment", "0.05", "above your limit"],
    ["Daily limit", "0.05", "over your daily limit"],
    ["Monthly limit", "0.05", "over your monthly limit"],
    ["Keep in my main wallet", "2", "less in your main wallet than you want to keep there"],
  ] as const) {
    await page.getByLabel(label).fill(value);
    await expect(limitNote, label).toContainText(words);
    await expect(review).toBeDisabled();
    await page.getByLabel(label).fill("");
    await expect(limitNote).toHaveCount(0);
  }
  await page.getByLabel("Daily limit").fill("0.50");
  await savePurchase(page, "27.63");
  await page.getByText("Close", { exact: true }).click();
  await expect(page.getByText("Saved today from this browser, service fee included: $0.37")).toBeVisible();
  await page.getByLabel("You paid").fill("27.63");
  await expect(limitNote).toContainText("over your daily limit");
  await waitForSheetHistory(page);
  await page.reload();
  await expect(limits, "the folded section shows the limit").toHaveText("$0.50 a day");
  await expect(page.getByLabel("Daily limit")).toHaveValue("0.5");
  await page.getByRole("button", { name: "Pause saving" }).click();
  await page.getByLabel("You paid").fill("27.63");
  await expect(limitNote).toContainText("Saving is paused");
  await inspectPage(page, "round-up-paused");
  await page.goto("/dashboard");
  const next = page.getByRole("region", { name: "What comes next" });
  await expect(next).toContainText("You paused saving.");
  await next.getByRole("button", { name: "Resume saving" }).click();
  await expect(next).not.toContainText("You paused saving.");
});
