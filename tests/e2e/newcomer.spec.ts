import { expect, test } from "./support/fixtures";
import { savePurchase } from "./support/flows";
import { call } from "./support/service";
import { DEMO_WALLET } from "./support/session";

test("from the landing page to bitcoin and back, with nothing but the screen", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Start saving" }).click();
  await page.getByRole("button", { name: DEMO_WALLET }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("button", { name: "Create my savings wallet" }).click();
  await expect(page.getByRole("heading", { name: "You are set up" })).toBeVisible();
  await page.getByRole("button", { name: "Get 2 SOL of play money" }).click();
  await expect(page.getByText("2 SOL of play money are in your wallet")).toBeVisible();
  await page.getByRole("button", { name: "Continue" }).click();

  const next = page.getByRole("region", { name: "What comes next" });
  await expect(next).toContainText("Nothing is saved yet. Investing starts at your threshold of $5.00.");
  await next.getByRole("link", { name: "Round up a purchase" }).click();
  await page.getByLabel("Plan").selectOption({ label: "Forest: next $1.00, fee 0.25 %" });
  for (const price of ["4.02", "27.03", "12.01", "8.05", "31.02", "3.04"]) {
    await savePurchase(page, price);
    await page.getByRole("button", { name: "Round up another" }).click();
  }
  await savePurchase(page, "9.90");
  await expect(
    page.getByRole("dialog").getByRole("link", { name: "Invest now" }),
    "the next thing to do",
  ).toBeVisible();
  await page.getByRole("button", { name: "Round up another" }).click();

  const nav = page.getByRole("navigation", { name: "Dashboard" });
  await nav.getByRole("link", { name: "Overview" }).click();
  await expect(next).toContainText("can be invested now.");
  await expect(page.getByRole("meter")).toHaveAttribute("aria-valuetext", "Enough to invest");
  await next.getByRole("link", { name: "Invest now" }).click();
  await expect(page.getByRole("radio", { name: /^BTC/ })).toBeChecked();
  await page.getByRole("button", { name: "Review the investment" }).click();
  const review = page.getByRole("dialog", { name: "Review your investment" });
  await expect(review.getByTestId("swap-BTC")).toContainText("at least");
  await review.getByRole("button", { name: "Sign and invest" }).click();
  const invested = page.getByRole("dialog", { name: "Invested" });
  await expect(invested.getByTestId("bought-BTC")).toContainText(/0\.000\d+ BTC/);
  await invested.getByRole("link", { name: "See my savings" }).click();

  await expect(page.getByRole("row").filter({ hasText: "BTC" })).toContainText(/0\.000\d+ BTC/);
  await expect(page.getByTestId("invested-usd")).toHaveText(/^\$[45]\.\d\d$/);

  await nav.getByRole("link", { name: "Withdraw" }).click();
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  const withdrawal = page.getByRole("dialog", { name: "Review your withdrawal" });
  await expect(withdrawal.getByTestId("arrives")).toContainText("Arrives in your main wallet");
  await expect(withdrawal).toContainText("Nothing: it is empty afterwards");
  await withdrawal.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByRole("main").getByText("Your savings wallet is empty")).toBeVisible();

  const [[wallet, service]] = (await page.evaluate(() =>
    Object.entries(localStorage).flatMap(([key, value]) =>
      key.startsWith("roundup-service-wallet:") ? [[key.split(":")[1]!, value as string]] : [],
    ),
  )) as [[string, string]];
  const emptied = await call(`/api/portfolio/${service}`);
  expect(emptied.balances, "nothing is left behind").toEqual([]);
  const main = await call(`/api/portfolio/${wallet}`);
  expect(main.balances.map(({ asset }: { asset: string }) => asset).sort()).toEqual(["BTC", "SOL"]);
});
