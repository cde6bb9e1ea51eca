import { expect, inspectAll, test } from "./support/fixtures";
import { invest, roundUp } from "./support/service";
import { signedIn } from "./support/session";

test("new and empty: play money is the next step", async ({ page }) => {
  await signedIn(page, { sol: 0 });
  await page.goto("/dashboard");
  const next = page.getByRole("region", { name: "What comes next" });
  await expect(next).toContainText("Your main wallet is empty");
  await expect(page.getByText("Your service wallet is empty")).toBeVisible();
  await expect(page.getByText("Nothing has happened yet")).toBeVisible();
  await inspectAll(page, "overview-empty");
  await next.getByRole("button", { name: "Get 2 SOL of play money" }).click();
  await expect(next.getByRole("link", { name: "Round up a purchase" })).toBeVisible();
});

test("below the threshold: what is missing, as a meter and in words", async ({ page }) => {
  const saver = await signedIn(page);
  await roundUp(saver, [4.02, 27.03]);
  await page.goto("/dashboard");
  await expect(page.getByRole("meter")).toHaveAttribute("aria-valuetext", /^\$[23]\.\d\d more and you can invest$/);
  await expect(page.getByRole("region", { name: "What comes next" })).toHaveAttribute("data-next-action", "round-up");
  await inspectAll(page, "overview-below");
});

test("the threshold reached: investing is the next step", async ({ page }) => {
  const saver = await signedIn(page);
  await roundUp(
    saver,
    Array.from({ length: 9 }, () => 4.02),
  );
  await page.goto("/dashboard");
  await expect(
    page.getByRole("region", { name: "What comes next" }).getByRole("link", { name: "Invest now" }),
  ).toBeVisible();
  await inspectAll(page, "overview-reached");
});

test("invested: holdings as a table and a picture, put in against worth now, the newest activity", async ({ page }) => {
  const saver = await signedIn(page);
  for (const asset of ["BTC", "ETH", "USDC"]) {
    await roundUp(
      saver,
      Array.from({ length: 20 }, () => 4.02),
    );
    await invest(saver, asset);
  }
  await page.goto("/dashboard");
  const holdings = page.getByRole("table", { name: "What the service wallet holds" });
  for (const asset of ["BTC", "ETH", "USDC", "SOL"]) {
    await expect(holdings.getByRole("row").filter({ hasText: asset })).toContainText("%");
  }
  await expect(page.locator("svg.recharts-surface")).toBeVisible();
  await expect(page.getByText("At the price of each day.")).toBeVisible();
  await expect(page.getByText("Refundable deposits")).toBeVisible();
  await expect(page.getByTestId("activity-list").getByRole("listitem")).toHaveCount(5);
  await inspectAll(page, "overview-invested");
});
