import { expect, type Page } from "@playwright/test";

/** One purchase on the round-up page, up to the review. */
export async function reviewPurchase(page: Page, usd: string): Promise<void> {
  await page.getByLabel("You paid").fill(usd);
  await page.getByRole("button", { name: "Review and save" }).click();
  await expect(page.getByRole("dialog", { name: "Look before you sign" }).getByTestId("save-breakdown")).toBeVisible();
}

/** One purchase on the round-up page, rounded up, signed and saved. */
export async function savePurchase(page: Page, usd: string): Promise<void> {
  await reviewPurchase(page, usd);
  await page.getByRole("dialog").getByRole("button", { name: "Sign and save" }).click();
  await expect(page.getByRole("dialog", { name: "Saved", exact: true })).toBeVisible();
}
