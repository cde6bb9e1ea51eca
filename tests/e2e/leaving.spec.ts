import bs58 from "bs58";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { openSession } from "./support/session";

test("after a warning, the page shows the service wallet's secret key for at most a minute", async ({
  page,
  context,
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.clock.install();
  const { serviceWallet } = await openSession(page, { serviceSol: 0.1 });
  await page.goto("/dashboard/withdraw");
  const secretKey = page.getByTestId("secret-key");
  const showButton = page.getByRole("button", { name: "Show the secret key" });
  const leaveSection = page.getByText("Leave without Roundup");
  await expect(showButton).toBeHidden();
  await leaveSection.click();
  await expect(page.getByText("Anyone with this key can take everything in your savings wallet")).toBeVisible();
  await expect(page.getByText("First your wallet asks for one signature")).toBeVisible();
  await inspectPage(page, "leaving-warning");
  await expect(secretKey).toHaveCount(0);
  await showButton.click();
  const base58 = bs58.encode(serviceWallet.keys.secretKey);
  await expect(secretKey).toHaveText(base58);
  const readClipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await page.getByRole("button", { name: "Copy for a wallet app" }).click();
  await expect.poll(readClipboard).toBe(base58);
  await page.getByRole("button", { name: "Copy as a keypair file" }).click();
  await expect.poll(readClipboard).toBe(JSON.stringify([...serviceWallet.keys.secretKey]));
  await inspectPage(page, "leaving-key");

  await page.getByRole("button", { name: "Hide it" }).click();
  await expect(secretKey).toHaveCount(0);
  await showButton.click();
  await expect(secretKey).toBeVisible();
  await page.clock.runFor(61_000);
  await expect(secretKey, "a minute later").toHaveCount(0);
  await showButton.click();
  await expect(secretKey).toBeVisible();
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await expect(secretKey, "when the tab is left").toHaveCount(0);
  await showButton.click();
  await expect(secretKey).toBeVisible();
  await leaveSection.click();
  await leaveSection.click();
  await expect(showButton, "after it was closed").toBeVisible();
  await expect(secretKey).toHaveCount(0);
  expect(await page.content()).not.toContain(base58);
  expect(await page.evaluate(() => JSON.stringify([localStorage, sessionStorage]))).not.toContain(base58);
});

test("the user can export the secret key when the service cannot read the chain", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  const { serviceWallet } = await openSession(page);
  await page.route("**/api/portfolio/**", (route) => route.abort());
  await page.goto("/dashboard/withdraw");
  await expect(page.getByText("Your savings cannot be read right now")).toBeVisible();
  await page.getByText("Leave without Roundup").click();
  await page.getByRole("button", { name: "Show the secret key" }).click();
  await expect(page.getByTestId("secret-key")).toHaveText(bs58.encode(serviceWallet.keys.secretKey));
});
