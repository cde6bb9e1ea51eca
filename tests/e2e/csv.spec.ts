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

test("one transaction saves the selected purchases of a file with 200 rows", async ({ page }) => {
  test.slow();
  const saver = await openSession(page);
  await page.goto("/dashboard/round-up");
  await page.getByText("List", { exact: true }).click();
  await expect(page.getByLabel("Paste your purchases: date, description, amount")).toBeVisible();
  await inspectPage(page, "csv-start");
  await page
    .getByLabel("Open a CSV file")
    .setInputFiles({ name: "card.csv", mimeType: "text/csv", buffer: Buffer.from(CSV) });

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

/** A list with a duplicate, a refund, three unreadable rows, markup as a description, and another currency. */
const UNCLEAR_CSV = `datum;text;betrag;währung
01.10.2026;Brot;4,35;USD
01.10.2026;Brot;4,35;USD
02.10.2026;Gutschrift;-18,25
03.10.2026;Kino;viel
04.10.2026;=HYPERLINK("http://evil");<b>5</b>
05.10.2026;<img src=x onerror=alert(1)>;12,49
06.10.2026;;
07.10.2026;Wien;2,00;EUR`;

test("the list names the line and the reason of each row that it leaves out", async ({ page }) => {
  await openSession(page);
  await openPurchaseList(page, UNCLEAR_CSV);
  await expect(page.getByText("5 rows are left out")).toBeVisible();
  await page.getByText("Which, and why").click();
  await expect(page.getByText("Line 4: money that came in, not a purchase.")).toBeVisible();
  await expect(page.getByText("Line 5: the amount “viel” cannot be read.")).toBeVisible();
  await expect(page.getByText("Line 8: has no amount.")).toBeVisible();
  await expect(page.getByText("<img src=x onerror=alert(1)>", { exact: true })).toBeVisible();
  await expect(page.getByTestId("batch-total")).toContainText("2 of 3 purchases have change to save");
  await expect(page.getByText("same as a row above")).toBeVisible();
  await expect(page.getByText("Line 9: in EUR, not in dollars")).toBeVisible();
  await inspectPage(page, "csv-unread");
  await page.getByLabel("1 EUR in dollars").fill("1,085");
  await expect(page.getByText("4 rows are left out")).toBeVisible();
  await expect(page.getByRole("row", { name: /Wien.*\$2\.17\s*2 EUR.*\$0\.83/ })).toBeVisible();
  await expect(page.getByTestId("batch-total")).toContainText("3 of 4 purchases have change to save");
  // An ambiguous value is asked about and not saved until answered.
  await page.getByRole("button", { name: "Another list" }).click();
  await page.getByLabel("Paste your purchases: date, description, amount").fill("Brot,12,40\nKiosk,7,15\n");
  await page.getByRole("button", { name: "Show the round-ups" }).click();
  await expect(page.getByText("“12,40” can be read in two ways. In this list it means")).toBeVisible();
  await expect(page.getByText("No purchases to round up")).toBeVisible();
  await page.getByText("12.40", { exact: true }).click();
  await expect(page.getByRole("row", { name: /Brot.*\$12\.40/ })).toBeVisible();
});

test("a line without columns is read, and asks for its amount if several numbers may be it", async ({ page }) => {
  await openSession(page);
  await openPurchaseList(page, "Coffee 4.35\nLunch, with Ann $12.60\n12 May Bakery 5.20 6.20\nVisa 4242");
  await expect(page.getByRole("row", { name: /Coffee.*\$4\.35/ })).toBeVisible();
  await expect(page.getByRole("row", { name: /Lunch, with Ann.*\$12\.60/ })).toBeVisible();
  await expect(page.getByText("2 rows are left out")).toBeVisible();
  await expect(page.getByText("Line 3, “12 May Bakery 5.20 6.20”: which number is the amount?")).toBeVisible();
  await inspectPage(page, "csv-line");
  await page.getByRole("group", { name: "Amount of line 3" }).getByText("6.20").click();
  await expect(page.getByRole("row", { name: /12 May Bakery 5\.20.*\$6\.20/ })).toBeVisible();
  await expect(page.getByText("1 row is left out")).toBeVisible();
  await page.reload();
  await expect(page.getByTestId("batch-total"), "a reload keeps the answer").toContainText("3 of 3 purchases");
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
  await expect(page.getByLabel("Paste your purchases: date, description, amount")).toBeEmpty();
});

test("the example list reaches the investment threshold on the largest plan", async ({ page }) => {
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
