import { readFile } from "node:fs/promises";
import Papa from "papaparse";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { fund, investSavings, saveRoundUps, withdrawSol } from "./support/service";
import { openSession } from "./support/session";

test("an empty activity page links to the first round-up", async ({ page }) => {
  await openSession(page, { sol: 0 });
  await page.goto("/dashboard/activity");
  await expect(page.getByText("Nothing has happened yet")).toBeVisible();
  await expect(page.getByRole("link", { name: "Round up a purchase" })).toBeVisible();
  await inspectPage(page, "activity-empty");
});

test("a person can filter, page and export the activity", async ({ page, watch }) => {
  const saver = await openSession(page);
  await saveRoundUps(saver, Array(40).fill(1.5));
  await investSavings(saver, "ETH");
  for (let i = 1; i <= 20; i++) await fund(saver.serviceWallet.address, i / 1000);
  await saveRoundUps(saver, [4.98, 27.63]);
  await withdrawSol(saver, "50000000");

  await page.goto("/dashboard/activity");
  const list = page.getByTestId("activity-list");
  await expect(list.getByRole("listitem")).toHaveCount(20);
  await expect(list.getByRole("listitem").first()).toContainText("Withdrawn");
  await expect(list.getByRole("listitem").nth(1)).toContainText("Saved change");
  await inspectPage(page, "activity");
  await page.getByRole("button", { name: "Older" }).click();
  await expect(list.getByRole("listitem")).toHaveCount(24);
  await expect(page.getByText("That is everything, back to the first transaction.")).toBeVisible();

  const typeFilter = page.getByLabel("Show", { exact: true });
  for (const [typeName, count] of [
    ["Saved change and top-ups", 2],
    ["Bought and sold", 1],
    ["Withdrawn", 1],
    ["Received", 20],
  ] as const) {
    await typeFilter.selectOption(typeName);
    await expect(list.getByRole("listitem"), typeName).toHaveCount(count);
  }
  await typeFilter.selectOption("Bought and sold");
  const swapItem = list.getByRole("listitem");
  await expect(swapItem).toContainText("Bought ETH");
  await swapItem.locator("summary").click();
  await expect(swapItem).toContainText("Refundable account deposit");
  await expect(swapItem).toContainText(/Price of SOL at the time\$\d/);
  await inspectPage(page, "activity-swap");
  await typeFilter.selectOption("Received");
  const receivedItem = list.getByRole("listitem").first();
  await receivedItem.locator("summary").click();
  await expect(receivedItem, "an estimated value names its price").toContainText("about $");
  await expect(receivedItem).toContainText("at the price of that day");
  await expect(receivedItem, "anyone can send").toContainText("Network feenot paid from this wallet");
  await expect(receivedItem).not.toContainText("Price of SOL");
  await typeFilter.selectOption("Other");
  await expect(page.getByText("No transaction matches this filter")).toBeVisible();
  await page.getByRole("button", { name: "Show everything" }).click();
  await expect(page.locator("main :focus"), "keyboard navigation continues there").toContainText("Bought ETH");
  await expect(list.getByRole("listitem")).toHaveCount(24);

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save all as CSV" }).click();
  const download = await downloading;
  await expect(page.getByText("24 transactions saved")).toBeVisible();
  expect(download.suggestedFilename()).toMatch(/^roundup-savings-\d{4}-\d\d-\d\d\.csv$/);
  const text = await readFile(await download.path(), "utf8");
  const { data: rows, errors } = Papa.parse<Record<string, string>>(text, { header: true, skipEmptyLines: true });
  expect(errors).toEqual([]);
  expect(new Set(rows.map(({ TxHash }) => TxHash)).size).toBe(24);
  const times = rows.map(({ Date: at }) => Date.parse(at!));
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(rows[0]).toMatchObject({ Type: "round_up", "Received Currency": "SOL", Status: "confirmed" });
  expect(rows[0], "the main wallet paid").toMatchObject({ "Fee Amount": "0", "Refundable Deposit (SOL)": "0" });
  expect(rows.some((row) => row["Received Currency"] === "ETH" && Number(row["Received Amount"]) > 0)).toBe(true);

  await page.getByRole("radio", { name: "Main wallet" }).check({ force: true });
  await expect(list.getByRole("listitem").filter({ hasText: "Saved change" })).toHaveCount(2);
  await expect(list.getByRole("listitem").filter({ hasText: "Received" })).toHaveCount(2);
  await inspectPage(page, "activity-main");

  watch.allow(FAILED_REQUEST);
  const olderReads: string[] = [];
  page.on("request", (request) => request.url().includes("before=") && olderReads.push(request.url()));
  const refusal = { status: 400, json: { ok: false, error: "Refused by the test.", code: "invalid_address" } };
  await page.route(`**/api/activity/${saver.wallet}?limit=20`, (route) => route.fulfill(refusal), { times: 1 });
  await page.goto(`/tx/${"1".repeat(88)}`);
  await page.getByRole("main").getByRole("alert").getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText(/^Not among the newest \d+ transactions of your wallets$/)).toBeVisible();
  expect(olderReads, "a retry reads only what failed").toEqual([]);
});
