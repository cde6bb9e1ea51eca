import type { Page } from "@playwright/test";
import { formatExactUsd, fromMicroUsd, toMicroUsd } from "../../lib/domain/money";
import { roundUp, splitFee, toRoundUpTerms } from "../../lib/domain/round-up";
import { expect, inspectPage, test } from "./support/fixtures";
import { clickSignButton, findSavedDialog, openPurchaseList } from "./support/flows";
import { callApi } from "./support/service";
import { openSession } from "./support/session";

/** 200 purchases with distinct prices and varied cents. */
const PRICES = Array.from({ length: 200 }, (_, i) => Number((3 + i * 0.37).toFixed(2)));
const CSV = [
  "Date,Description,Amount",
  ...PRICES.map(
    (usd, i) => `2026-10-${String((i % 28) + 1).padStart(2, "0")},"Shop no. ${i + 1}, town",$${usd.toFixed(2)}`,
  ),
].join("\n");

/** Sums the round-ups of these purchases with the service's functions, micro-dollars. */
function sumRoundUps(prices: number[]): bigint {
  const terms = toRoundUpTerms({ plan: "forest" });
  return prices.reduce((sum, usd) => sum + roundUp(toMicroUsd(usd), terms).microUsd, 0n);
}

async function openListFile(page: Page, content: string | Buffer): Promise<void> {
  await page.goto("/dashboard/round-up");
  await page.getByText("List", { exact: true }).click();
  await page
    .getByLabel("Open a CSV file")
    .setInputFiles({ name: "list.csv", mimeType: "text/csv", buffer: Buffer.from(content) });
}

test("one transaction saves the selected purchases of a file with 200 rows", async ({ page }) => {
  test.slow();
  const saver = await openSession(page);
  await openListFile(page, CSV);
  await expect(page.getByTestId("list-sum")).toHaveText("200 purchases, $7,963.00 in all");
  await page.getByRole("button", { name: "Use 200 purchases" }).click();

  const total = page.getByTestId("batch-total");
  const withChange = PRICES.filter((usd) => sumRoundUps([usd]) > 0n);
  await expect(total).toContainText(`${withChange.length} of 200 purchases have change to save`);
  await expect(total).toContainText(formatExactUsd(fromMicroUsd(sumRoundUps(PRICES))));
  await expect(page.getByText("Page 1 of 4")).toBeVisible();
  await inspectPage(page, "csv-list");
  await page.getByRole("button", { name: "Later" }).click();
  await expect(page.getByText("Shop no. 51, town", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Earlier" }).click();

  const excluded = [2, 3];
  for (const number of excluded)
    await page.getByRole("checkbox", { name: `Save Shop no. ${number}, town`, exact: true }).uncheck();
  const included = PRICES.filter((_, i) => !excluded.includes(i + 1));
  const sum = sumRoundUps(included);
  await expect(total).toContainText(formatExactUsd(fromMicroUsd(sum)));
  await page.reload();
  await expect(total, "a reload keeps the list and its exclusions").toContainText(formatExactUsd(fromMicroUsd(sum)));

  await page.getByRole("button", { name: "Review and save together" }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review, "a new savings wallet keeps a deposit").toContainText("Includes a refundable account deposit");
  await inspectPage(page, "csv-review");
  await clickSignButton(page, "Sign and save");
  await expect(findSavedDialog(page)).toContainText(
    // With the network fee of less than a cent, which rounds up.
    `You paid ${formatExactUsd(fromMicroUsd(sum + 10_000n))}, including`,
  );

  const { items } = await callApi(`/api/activity/${saver.serviceWallet.address}?limit=5`);
  expect(items, "one transaction for all").toHaveLength(1);
  const { fee } = splitFee(sum, 25n);
  expect(items[0].type).toBe("round_up");
  expect((items[0].serviceFeeLamports / 1e9) * 150).toBeCloseTo(fromMicroUsd(fee), 5);

  // Saved lines leave the list, so another click cannot save them twice.
  await page.getByText("Close", { exact: true }).click();
  const remainingCount = PRICES.length - withChange.length + excluded.length;
  await expect(total).toContainText(`0 of ${remainingCount} purchases have change to save`);
  await expect(page.getByRole("button", { name: "Review and save together" })).toBeDisabled();
});

/**
 * A bank's list in Windows-1252: lines above the header, decimal commas, a balance beside the amount, a pending and an
 * incoming row, a repeated row, markup, and euros. Purchases have no minus, but just as many rows are deposits.
 */
const BANK_LIST = `Kontoauszug;Leserin
Kontostand am 06.11.2026;1.204,50

Buchungstag;Empfänger;Umsatz;Saldo;Währung;Status
06.11.2026;Kino;24,20;1.180,30;USD;Vorgemerkt
05.11.2026;Bäckerei Süß – Köln;4,35;1.204,50;USD;Gebucht
05.11.2026;Bäckerei Süß – Köln;4,35;1.208,85;USD;Gebucht
04.11.2026;Gutschrift;-37,18;1.213,20;USD;Gebucht
03.11.2026;Gehalt;-900,00;1.176,02;USD;Gebucht
02.11.2026;<img src=x onerror=alert(1)>;12,49;276,02;USD;Gebucht
01.11.2026;Wien;2,60;288,51;EUR;Gebucht
01.11.2026;Lohn;-1,20;291,11;USD;Gebucht
01.11.2026;Zinsen;-0,80;289,91;USD;Gebucht
01.11.2026;Bonus;-5,00;289,11;USD;Gebucht`;
/** Windows-1252 has the dash at 0x96. The other letters stand where they do in Latin-1. */
const BANK_FILE = Buffer.from(BANK_LIST.replaceAll("–", "\x96"), "latin1");

test("a bank's file is saved as the person corrects it, and the next one is read that way at once", async ({
  page,
}) => {
  test.slow();
  await openSession(page);
  await page.setViewportSize({ width: 390, height: 844 });
  await openListFile(page, BANK_FILE);
  const sum = page.getByTestId("list-sum");
  const preview = page.getByRole("region", { name: "First rows of your list" });
  await expect(page.getByLabel("Header")).toHaveValue("3");
  await expect(preview.getByRole("row", { name: /^Left out: Status “Vorgemerkt”/ })).toBeVisible();
  // The guess takes the rows with a minus for purchases.
  await expect(preview.getByRole("row", { name: /^\$37\.18.*Gutschrift/ })).toBeVisible();
  await expect(page.getByRole("button", { name: "Review and save together" })).toBeHidden();
  await inspectPage(page, "csv-columns");

  await page.getByLabel("Purchases have").focus();
  await page.keyboard.press("ArrowUp");
  await expect(sum).toHaveText("3 purchases, $21.19 in all");
  await expect(preview.getByRole("row", { name: /^\$4\.35.*Bäckerei Süß – Köln/ })).toHaveCount(2);
  await page.reload();
  await expect(sum, "a reload keeps the correction").toHaveText("3 purchases, $21.19 in all");
  await page.getByLabel("Gebucht").uncheck();
  await expect(page.getByRole("button", { name: "Use 0 purchases" })).toBeDisabled();
  await page.getByLabel("Gebucht").check();
  await page.getByText("Which, and why").click();
  for (const reason of ["Row 5: Status “Vorgemerkt”.", "Row 8: money that came in, not a purchase."])
    await expect(page.getByText(reason)).toBeVisible();
  await expect(page.getByText("Row 11: in EUR, not in US dollars.")).toBeVisible();
  await page.getByRole("button", { name: "Use 3 purchases" }).focus();
  await page.keyboard.press("Enter");

  await expect(page.getByTestId("batch-total")).toContainText("2 of 3 purchases have change to save");
  await expect(page.getByText("same as a row above")).toBeVisible();
  await expect(page.getByText("<img src=x onerror=alert(1)>", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Change the columns" }).click();
  await expect(sum).toHaveText("3 purchases, $21.19 in all");
  await page.getByRole("button", { name: "Another list" }).click();

  await openListFile(page, `${BANK_LIST.split("\n")[3]}\n07.11.2026;Blumen;6,40;1.173,90;USD;Gebucht\n`);
  await expect(sum, "the next file with this header").toHaveText("1 purchase, $6.40 in all");
  await expect(page.getByLabel("Purchases have")).toHaveValue("plain");
  await page.getByRole("button", { name: "Use 1 purchase" }).click();
  await page.getByRole("button", { name: "Review and save together" }).click();
  await clickSignButton(page, "Sign and save");
  await expect(findSavedDialog(page)).toContainText("You paid $0.61, including");
});

test("a list that does not name its currency is read after the person has chosen dollars", async ({ page }) => {
  await openSession(page);
  await openListFile(page, "Date,Memo,Amount\n2026-11-02,Pub,-5.25\n2026-11-03,Tea,-1,100\n");
  await expect(page.getByText("Your list does not name it.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Use 0 purchases" })).toBeDisabled();
  await page.getByLabel("Currency").selectOption("Another one");
  await expect(page.getByText("Only amounts in US dollars can be rounded up")).toBeVisible();
  await expect(page.getByRole("button", { name: "Use 0 purchases" })).toBeDisabled();
  await page.getByLabel("Currency").selectOption("US dollars");
  await expect(page.getByTestId("list-sum")).toHaveText("1 purchase, $5.25 in all");
  await expect(page.getByRole("row", { name: /^Left out: more columns than the list has/ })).toBeVisible();
  await page.getByRole("button", { name: "Another list" }).click();

  await openListFile(page, 'Date,Memo,Amount\n2026-11-02,"Pub,-5.25\n2026-11-03,Tea,-1.10\n');
  await expect(page.getByText("Row 2 opens a quotation mark that is never closed")).toBeVisible();
  await page.getByRole("button", { name: "Another list" }).click();
  await openListFile(page, Buffer.from("504b030414000600", "hex"));
  await expect(page.getByText("This file is not text.")).toBeVisible();
  await page.getByLabel("Amounts that you paid, in dollars").fill("2026-11-02 Tea 3.10");
  await page.getByRole("button", { name: "Show the change" }).click();
  await expect(page.getByText("open its CSV file")).toBeVisible();
  await inspectPage(page, "csv-start");
});

test("saving a long list in parts continues after a reload", async ({ page }) => {
  await openSession(page, { sol: 4 });
  await openPurchaseList(page, Array.from({ length: 620 }, (_, i) => (3.01 + i * 0.1).toFixed(2)).join("\n"));
  await expect(page.getByTestId("batch-total")).toContainText("in 2 parts with a signature each");
  await page.getByRole("button", { name: "Review and save together" }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review.getByTestId("save-part")).toContainText("purchases 1 to 500 of 620");
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(review.getByTestId("save-part")).toContainText("purchases 501 to 620 of 620");
  await page.reload();
  const unfinished = page.getByTestId("unfinished");
  await expect(unfinished).toContainText("500 of 620 purchases are saved.");
  await expect(page.getByTestId("batch-total")).toContainText("120 of 120 purchases");
  await expect(page.getByRole("button", { name: "Review and save together" })).toBeDisabled();
  await unfinished.getByRole("button", { name: "Continue" }).click();
  await review.getByRole("button", { name: "Sign and save" }).click();
  const done = findSavedDialog(page);
  await expect(done).toContainText("You paid $334.82, including");
  await expect(done.getByText(/^Saved change$/), "a signature each").toHaveCount(2);
  await page.getByText("Close", { exact: true }).click();
  await expect(page.getByLabel("Amounts that you paid, in dollars")).toBeEmpty();
});

test("the example reaches the investment threshold on the largest plan", async ({ page }) => {
  await openSession(page);
  await openPurchaseList(page);
  await page.getByLabel("Plan").selectOption("sprout");
  await expect(page.getByText(/With this, \$\d\.\d\d more \(fee included\) and you can invest\./)).toBeVisible();
  await page.getByLabel("Plan").selectOption({ label: "Forest: next $1.00, fee 0.25 %" });
  await expect(page.getByText("With this you have enough to invest.")).toBeVisible();
  await page.getByRole("button", { name: "Review and save together" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign and save" }).click();
  await findSavedDialog(page).getByRole("link", { name: "Invest now" }).click();
  await expect(page.getByRole("dialog", { name: "Review your investment" })).toBeVisible();
});
