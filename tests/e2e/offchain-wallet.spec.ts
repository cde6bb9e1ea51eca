import { readFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import nacl from "tweetnacl";
import { toBase64 } from "../../lib/solana/bytes";
import { encodeOffchainMessage } from "../support/fixtures/offchain-messages";
import { SERVICE_WALLET_TEXT } from "../support/fixtures/wallet-texts";
import { installWallet } from "./support/external-wallet";
import { expect, inspectPage, test } from "./support/fixtures";
import { clickSignButton, reviewWithdrawal, savePurchase } from "./support/flows";
import { countActivity, createCallerAddress, fund, listAssets } from "./support/service";
import { chooseWallet, createServiceWallet, findAlert, readServiceWallet, signIn } from "./support/session";

async function saveRecoveryFile(page: Page): Promise<string> {
  await expect(page.getByRole("heading", { name: "Save your recovery file" })).toBeVisible();
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save the file" }).click();
  return (await downloading).path();
}

/** Lists the bodies of the page's registrations of a service wallet. */
function listRegistrations(page: Page): string[] {
  const bodies: string[] = [];
  page.on("request", (request) => {
    if (request.method() === "POST" && request.url().endsWith("/api/wallet/derive")) bodies.push(request.postData()!);
  });
  return bodies;
}

/** The ways in which a hardware wallet signs a text: the options and the response of the fake wallet. */
const FORMS = [
  { name: "version 0 without saying so", options: {}, response: "offchain", version: 0 },
  { name: "version 0, which it states", options: {}, response: "stated-offchain", version: 0 },
  { name: "version 1 only", options: { signsTexts: false, signsOffchain: true }, response: "agree", version: 1 },
] as const;

for (const { name, options, response, version } of FORMS)
  test(`a wallet that signs off-chain messages of ${name} saves and leaves`, async ({ page }) => {
    const wallet = await installWallet(page, options);
    wallet.response = response;
    const registrations = listRegistrations(page);
    await page.goto("/dashboard");
    await chooseWallet(page, wallet);
    await signIn(page);
    await createServiceWallet(page);
    const path = await saveRecoveryFile(page);
    const message = encodeOffchainMessage(version, SERVICE_WALLET_TEXT, [wallet.address]);
    const signature = toBase64(nacl.sign.detached(message, wallet.keys.secretKey));
    expect(readFileSync(path, "utf8")).toBe(`${signature}\n`);

    const chooser = page.getByLabel("Choose the saved file");
    await chooser.setInputFiles({ name: "other.txt", mimeType: "text/plain", buffer: Buffer.from("another file") });
    await expect(findAlert(page)).toContainText("That is another file");
    await inspectPage(page, "onboarding-recovery-file");
    expect(registrations, "nothing is registered before the file was saved").toEqual([]);
    await chooser.setInputFiles(path);
    await expect(page.getByRole("heading", { name: "You are set up" })).toBeVisible();
    expect(registrations).toHaveLength(1);

    await fund(wallet.address, 1);
    await page.goto("/dashboard/round-up");
    await savePurchase(page, "27.63");
    expect(await countActivity(wallet.address, "round_up")).toBe(1);
    const { address } = await readServiceWallet(page);
    await page.goto("/dashboard/withdraw");
    wallet.requests = [];
    await reviewWithdrawal(page);
    await clickSignButton(page, "Sign and withdraw");
    await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
    expect(wallet.requests, "one signature recreates the key").toEqual([
      version === 1 ? "signOffchainMessage" : "signMessage",
    ]);
    expect(await listAssets(address)).toEqual([]);
  });

test("an abandoned set-up by off-chain message registers nothing", async ({ page }) => {
  const wallet = await installWallet(page, { signsTexts: false, signsOffchain: true });
  const registrations = listRegistrations(page);
  await page.goto("/dashboard");
  await chooseWallet(page, wallet);
  await signIn(page);
  await createServiceWallet(page);
  await saveRecoveryFile(page);
  await page.getByRole("button", { name: "Choose another wallet" }).click();
  await expect(page.getByRole("heading", { name: "Choose your wallet" })).toBeVisible();
  expect(registrations).toEqual([]);
});

test("a wallet that signs in another form finds its savings wallet, and leaves", async ({ browser }) => {
  const keys = nacl.sign.keyPair();
  const openBrowser = async () => {
    // One address could exceed the rate limit.
    const context = await browser.newContext({ extraHTTPHeaders: { "x-forwarded-for": createCallerAddress() } });
    const page = await context.newPage();
    const wallet = await installWallet(page, { signsOffchain: true, keys });
    await page.goto("/dashboard");
    await chooseWallet(page, wallet);
    return { page, wallet };
  };
  const { page: firstPage, wallet } = await openBrowser();
  // The device refuses plain texts, as Solflare does for a Ledger account.
  wallet.nextResponses = ["refuse"];
  await signIn(firstPage);
  await firstPage.getByRole("button", { name: "Use an off-chain message" }).click();
  await signIn(firstPage);
  await createServiceWallet(firstPage);
  await firstPage.getByLabel("Choose the saved file").setInputFiles(await saveRecoveryFile(firstPage));
  await expect(firstPage.getByRole("heading", { name: "You are set up" })).toBeVisible();
  expect(wallet.requests).toEqual([
    "connect",
    "signMessage",
    "signOffchainMessage",
    "signOffchainMessage",
    "signOffchainMessage",
  ]);
  const { address } = await readServiceWallet(firstPage);
  await fund(wallet.address, 1);
  await firstPage.goto("/dashboard/round-up");
  await savePurchase(firstPage, "27.63");

  const { page: secondPage } = await openBrowser();
  const registrations = listRegistrations(secondPage);
  await signIn(secondPage);
  await createServiceWallet(secondPage);
  await expect(findAlert(secondPage)).toContainText("You already have a savings wallet");
  await expect(findAlert(secondPage)).toContainText(address);
  await inspectPage(secondPage, "onboarding-other-savings-wallet");
  expect(registrations).toEqual([]);
  await secondPage.getByRole("button", { name: "Use an off-chain message" }).click();
  await createServiceWallet(secondPage);
  await secondPage.getByLabel("Choose the saved file").setInputFiles(await saveRecoveryFile(secondPage));
  await expect(secondPage.getByRole("heading", { name: "You are set up" })).toBeVisible();
  expect((await readServiceWallet(secondPage)).address).toBe(address);

  // The browser forgets the chosen form.
  await secondPage.evaluate((key) => localStorage.removeItem(key), `roundup-signs-offchain:${wallet.address}`);
  await secondPage.goto("/dashboard/withdraw");
  const review = await reviewWithdrawal(secondPage);
  await review.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(review.getByRole("alert")).toContainText("That signature opens another savings wallet");
  await review.getByRole("button", { name: "Use an off-chain message" }).click();
  await expect(secondPage.getByTestId("service-wallet-empty")).toBeVisible();
  expect(await listAssets(address)).toEqual([]);

  const { page: thirdPage, wallet: thirdWallet } = await openBrowser();
  await signIn(thirdPage);
  await createServiceWallet(thirdPage);
  const createAnyway = thirdPage.getByRole("button", { name: "Create a new one anyway" });
  await expect(createAnyway).toBeVisible();
  thirdWallet.nextResponses = ["agree", "refuse"];
  await createAnyway.click();
  await expect(findAlert(thirdPage)).toContainText("You declined the signature");
  await createServiceWallet(thirdPage);
  await expect(findAlert(thirdPage), "the person's word counts once").toContainText(
    "You already have a savings wallet",
  );
  await createAnyway.click();
  await expect(thirdPage.getByRole("heading", { name: "You are set up" })).toBeVisible();
  expect((await readServiceWallet(thirdPage)).address).not.toBe(address);
  for (const page of [firstPage, secondPage, thirdPage]) await page.context().close();
});

test("a hardware wallet that refuses Sign In With Solana connects first and signs in afterwards", async ({ page }) => {
  const wallet = await installWallet(page, { signsIn: true, signsTexts: false, signsOffchain: true });
  wallet.nextResponses = ["refuse"];
  await page.goto("/dashboard");
  await chooseWallet(page, wallet);
  await expect(findAlert(page)).toContainText("You declined the connection");
  await inspectPage(page, "onboarding-sign-in-refused");
  await page.getByRole("button", { name: "Connect first, sign in afterwards" }).click();
  await signIn(page);
  await expect(page.getByRole("heading", { name: "Create your savings wallet" })).toBeVisible();
  expect(wallet.requests).toEqual(["signIn", "connect", "signOffchainMessage"]);
});
