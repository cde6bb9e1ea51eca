import type { Page } from "@playwright/test";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/faulty-app";
import { findSavedDialog, pauseClock, reviewInvestment, waitForSheetHistory } from "./support/flows";
import { callApi, countActivity } from "./support/service";
import { openSession } from "./support/session";

const clickInDialog = (page: Page, name: string) => page.getByRole("dialog").getByRole("button", { name }).click();

test("an expired quote lands once after the page has rebuilt it", async ({ page, app, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  const saver = await openSession(page, { base: app.url, serviceSol: 0.1 });
  await page.goto("/dashboard/invest");
  await app.startFault("/swap/v2/build");
  await page.getByRole("button", { name: "Review the investment" }).click();
  const alert = page.getByRole("main").getByRole("alert");
  await expect(alert.getByText(/^Request/)).toBeVisible();
  await inspectPage(page, "stale-market");
  await app.removeFaults();
  await alert.getByRole("button", { name: /Try again/ }).click();
  await expect(page.getByRole("dialog", { name: "Review your investment" })).toBeVisible();
  await pauseClock(page);
  await app.expireBlockhashes();
  await page.clock.resume();
  await clickInDialog(page, "Sign and invest");
  await expect(page.getByTestId("flow-note")).toContainText("We refreshed the amounts. Please review again.");
  await inspectPage(page, "stale-invest");
  await clickInDialog(page, "Sign and invest");
  await expect(page.getByRole("dialog", { name: "Invested" })).toBeVisible();
  expect(await countActivity(saver.serviceWallet.address, "swap", app.url)).toBe(1);
});

test("a dropped transaction lands once after the page has rebuilt it", async ({ page, app, watch }) => {
  watch.allow(FAILED_REQUEST);
  const saver = await openSession(page, { base: app.url, serviceSol: 0.1 });
  await page.goto("/dashboard/invest");
  await expect(await reviewInvestment(page)).toBeVisible();
  await app.rpc("sandbox_dropTransactions", true);
  await clickInDialog(page, "Sign and invest");
  await expect(page.getByRole("dialog", { name: "Investing" })).toBeVisible();
  await expect(page.getByTestId("run-progress")).toContainText(/Being sent|Waiting for the chain to confirm/);
  await app.rpc("sandbox_dropTransactions", false);
  await app.rpc("sandbox_advanceSlots", 400);
  const note = page.getByTestId("flow-note");
  const invested = page.getByRole("dialog", { name: "Invested" });
  await expect(note.or(invested)).toBeVisible({ timeout: 40_000 });
  if (await note.isVisible()) {
    await expect(note).toContainText("so nothing happened");
    await clickInDialog(page, "Sign and invest");
  }
  await expect(invested).toBeVisible();
  expect(await countActivity(saver.serviceWallet.address, "swap", app.url)).toBe(1);
});

async function waitForUnknownOutcome(page: Page) {
  const dialog = page.getByRole("dialog", { name: "Checking whether it arrived" });
  await expect.poll(() => page.clock.runFor(2_500).then(() => dialog.isVisible()), { intervals: [50] }).toBe(true);
}

test("the page does not pay a saving with an unknown outcome twice", async ({ page, app, front, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  const saver = await openSession(page, { base: app.url });
  await page.goto("/dashboard/round-up");
  front.startFault("/api/wrap", "bad-gateway");
  await page.getByLabel("You paid").fill("27.63");
  await page.getByRole("button", { name: "Review and save" }).click();
  const failed = page.getByRole("dialog", { name: "Nothing was saved" });
  await expect(failed.getByRole("alert")).toContainText("front-0001");
  await inspectPage(page, "stale-round-up-failed");
  front.endFaults();
  await failed.getByRole("button", { name: "Try again" }).click();
  front.startFault("/api/swap/execute", "lose-answer");
  await clickInDialog(page, "Sign and save");
  await waitForUnknownOutcome(page);
  await inspectPage(page, "stale-round-up-unknown");
  await page.reload();
  await waitForUnknownOutcome(page);
  await page.getByRole("button", { name: "Close", exact: true }).click();
  await waitForSheetHistory(page);
  await expect(page.getByTestId("unfinished")).toContainText("whether it arrived: Change of $0.37.");
  await page.getByLabel("You paid").fill("27.63");
  await expect(page.getByTestId("round-up-preview")).toContainText("$0.37");
  await expect(page.getByRole("button", { name: "Review and save" })).toBeDisabled();
  await inspectPage(page, "stale-round-up-unfinished");
  await page.getByRole("button", { name: "Check now" }).click();
  await waitForUnknownOutcome(page);
  front.endFaults();
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(findSavedDialog(page), "the page checks again once it is online").toBeVisible();
  await page.getByText("Close", { exact: true }).click();
  await expect(page.getByText("Saved today from this browser, service fee included: $0.37")).toBeVisible();
  await expect(page.getByTestId("unfinished")).toHaveCount(0);
  const { items } = await callApi(`/api/activity/${saver.serviceWallet.address}?limit=20`, { base: app.url });
  expect(items).toHaveLength(1);
});
