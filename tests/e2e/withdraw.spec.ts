import { expect, inspectAll, test } from "./support/fixtures";
import { call, invest, newSaver } from "./support/service";
import { signedIn } from "./support/session";

test("an empty service wallet has nothing to withdraw, and says so", async ({ page }) => {
  await signedIn(page);
  await page.goto("/dashboard/withdraw");
  await expect(page.getByText("Your service wallet is empty")).toBeVisible();
  await inspectAll(page, "withdraw-empty");
});

test("everything leaves, to the last lamport, and the deposits come back", async ({ page }) => {
  const saver = await signedIn(page, { serviceSol: 0.2 });
  await invest(saver, "BTC");
  await page.goto("/dashboard/withdraw");
  await expect(page.getByRole("radio", { name: /^My main wallet/ })).toBeChecked();
  await inspectAll(page, "withdraw");
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  const review = page.getByRole("dialog", { name: "Review your withdrawal" });
  await expect(review).toContainText("Deposits that return");
  await expect(review.getByTestId("arrives")).toContainText(saver.wallet);
  await inspectAll(page, "withdraw-review");
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toContainText("No token and no SOL is left in it");
  await inspectAll(page, "withdraw-done");
  expect((await call(`/api/portfolio/${saver.service.address}`)).balances).toEqual([]);
});

test("a part goes to another address that was checked first", async ({ page }) => {
  const saver = await signedIn(page, { serviceSol: 0.1 });
  const other = newSaver().wallet;
  await page.goto("/dashboard/withdraw");
  await page.getByText("A part", { exact: true }).click();
  await page.getByLabel("Amount").fill("9");
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await expect(page.getByLabel("Amount")).toHaveAccessibleDescription("You have 0.1 SOL.");
  await page.getByLabel("Amount").fill("0.04");
  await page.getByRole("radio", { name: /^Another address/ }).check();
  const address = page.getByLabel("Address", { exact: true });
  for (const [text, words] of [
    ["", "Type or paste the address."],
    ["abc", "That is not a whole Solana address. Copy it again."],
    [saver.service.address, "That is the service wallet itself. Choose another one."],
    // The token program's account of the vault kind: derived, so off the curve.
    ["4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM", "That is not a whole Solana address. Copy it again."],
  ] as const) {
    await address.fill(text);
    await page.getByRole("button", { name: "Review the withdrawal" }).click();
    await expect(address).toHaveAccessibleDescription(words);
  }
  await inspectAll(page, "withdraw-part");
  await address.fill(other);
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  const review = page.getByRole("dialog", { name: "Review your withdrawal" });
  await expect(review.getByTestId("arrives")).toContainText("Arrives at another address");
  await expect(review.getByTestId("arrives")).toContainText(other);
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByRole("dialog", { name: "Withdrawn" })).toContainText("0.04 SOL");
  expect((await call(`/api/portfolio/${other}`)).pendingLamports).toBe(40_000_000);
});
