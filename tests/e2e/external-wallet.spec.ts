import type { Locator, Page } from "@playwright/test";
import bs58 from "bs58";
import nacl from "tweetnacl";
import { encodeUtf8, toBase64, toHex } from "../../lib/solana/bytes";
import { SERVICE_WALLET_TEXT } from "../support/fixtures/wallet-texts";
import { type ExternalWallet, installWallet, WALLET_REASON, type WalletResponse } from "./support/external-wallet";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { findSavedDialog, reviewPurchase } from "./support/flows";
import { countActivity, fund } from "./support/service";
import { chooseWallet, createServiceWallet, DEMO_WALLET_NAME, findAlert, setUpWallet, signIn } from "./support/session";

const DECLINED = "You declined the signature";
const LOCKED = "The wallet is locked or disconnected";
const OTHER_ACCOUNT = "The wallet signed with another account";
const OTHER_TEXT = "The wallet signed another text";
const REASON = `Your wallet says: “${WALLET_REASON}”`;

/**
 * Repeats a request once per case, with these responses of the wallet, and expects the case's alert. Neighbouring cases
 * need different texts, because the earlier alert may still be visible.
 */
async function expectExplained(
  wallet: ExternalWallet,
  request: () => Promise<void>,
  alert: Locator,
  cases: [responses: WalletResponse[], text: string][],
): Promise<void> {
  for (const [responses, text] of cases) {
    wallet.nextResponses = responses;
    await request();
    await expect(alert).toContainText(text);
  }
}

async function openDashboard(page: Page, wallet: ExternalWallet): Promise<void> {
  await setUpWallet(page, wallet);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your savings" })).toBeVisible();
}

test("without an installed wallet the sandbox explains how to install one", async ({ page }) => {
  await page.goto("/dashboard");
  const main = page.getByRole("main");
  await expect(main).toContainText("No wallet found in this browser");
  await expect(main).toContainText("Your wallet would use play money here");
  await expect(main.getByRole("link", { name: "Install Solflare" })).toBeVisible();
  // This server has no public address, so a phone could not open the page.
  await expect(main).toContainText("it has no public https address");
  await expect(main.getByRole("img", { name: /QR/ })).toHaveCount(0);
  await expect(page.getByRole("button", { name: DEMO_WALLET_NAME })).toContainText("Play money");
  await inspectPage(page, "sandbox-no-wallet");

  await page.addInitScript(() => Object.defineProperty(navigator, "userAgent", { value: "iPhone" }));
  await page.reload();
  await expect(main, "a next step on a phone").toContainText("Open this page on a computer");
});

test("a person can retry each request that the installed wallet declined", async ({ page }) => {
  const wallet = await installWallet(page);
  await page.goto("/dashboard");
  await expect(page.getByRole("button", { name: wallet.name })).toContainText("Detected");
  await inspectPage(page, "onboarding-connect");

  const alert = findAlert(page);
  await expectExplained(wallet, () => chooseWallet(page, wallet), alert, [
    [["locked"], LOCKED],
    [["empty"], "The wallet showed no account"],
    [["with-reason"], REASON],
    [["refuse"], "You declined the connection"],
  ]);
  await inspectPage(page, "onboarding-connect-refused");
  await chooseWallet(page, wallet);

  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await expect(alert).toHaveCount(0);
  await inspectPage(page, "onboarding-sign-in");
  await expectExplained(wallet, () => signIn(page), alert, [
    [["locked"], LOCKED],
    [["old-offchain"], OTHER_TEXT],
    [["with-reason"], REASON],
    [["stated-old-offchain"], OTHER_TEXT],
  ]);
  await inspectPage(page, "onboarding-other-text");
  await expectExplained(wallet, () => signIn(page), alert, [
    [["refuse"], DECLINED],
    [["other-account"], OTHER_ACCOUNT],
  ]);
  await expect(alert).toContainText(wallet.address);
  await inspectPage(page, "onboarding-other-account");
  await signIn(page);

  await expect(page.getByRole("heading", { name: "Create your savings wallet" })).toBeVisible();
  await expect(page.getByText("The sandbox, and a real wallet")).toBeVisible();
  await inspectPage(page, "onboarding-service-wallet");
  await expectExplained(wallet, () => createServiceWallet(page), alert, [
    [["refuse"], DECLINED],
    [["agree", "other-account"], OTHER_ACCOUNT],
    [["old-offchain"], OTHER_TEXT],
    [["agree", "refuse"], DECLINED],
  ]);
  wallet.requests = [];
  await createServiceWallet(page);
  await expect(page.getByRole("heading", { name: "You are set up" })).toBeFocused();
  expect(wallet.requests, "two signatures to compare").toEqual(["signMessage", "signMessage"]);
  await inspectPage(page, "onboarding-done");
});

test("of two wallets with one name, the page acts on the one that was clicked", async ({ page }) => {
  const [firstWallet, secondWallet] = [await installWallet(page), await installWallet(page)];
  await page.goto("/dashboard");
  await expect(page.getByRole("button", { name: firstWallet.name })).toHaveCount(2);
  await inspectPage(page, "onboarding-same-names");
  await page.getByRole("button", { name: `${secondWallet.name} (2)` }).click();
  await signIn(page);
  await createServiceWallet(page);
  await page.getByRole("button", { name: "Continue" }).click();
  const account = page.getByRole("button", { name: /^Account/ });
  await account.click();
  await expect(page.getByRole("dialog")).toContainText(secondWallet.address);
  await page.reload();
  await account.click();
  await expect(page.getByRole("dialog"), "after a reload").toContainText(secondWallet.address);
  await page.getByRole("button", { name: "Sign out" }).click();
  expect(firstWallet.requests).toEqual([]);

  await expect(page.getByText("You used this wallet last.")).toHaveCount(1);
  await page.getByRole("button", { name: firstWallet.name }).filter({ hasNotText: "(2)" }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(firstWallet.requests).toEqual(["connect"]);
});

test("a wallet with Sign In With Solana connects and signs in with one approval", async ({ page }) => {
  const wallet = await installWallet(page, { signsIn: true });
  await page.goto("/dashboard");
  await expectExplained(wallet, () => chooseWallet(page, wallet), findAlert(page), [
    [["refuse"], "You declined the connection"],
    [["locked"], LOCKED],
    [["other-account"], OTHER_ACCOUNT],
  ]);
  wallet.requests = [];
  await chooseWallet(page, wallet);
  await expect(page.getByRole("heading", { name: "Create your savings wallet" })).toBeVisible();
  expect(wallet.requests).toEqual(["signIn"]);
  await createServiceWallet(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your savings" })).toBeVisible();

  // In a newly loaded page the wallet connects silently, and the sign-in is still in force.
  wallet.requests = [];
  await page.goto("/dashboard/keys");
  wallet.nextResponses = ["refuse"];
  await page.getByRole("button", { name: "Generate key" }).click();
  await expect(findAlert(page)).toContainText(DECLINED);
  await page.getByRole("button", { name: "Generate key" }).click();
  await expect(page.getByText(/^ru_test_/)).toBeVisible();
  expect(wallet.requests).toEqual(["signMessage", "signMessage"]);
});

test("a sign-in answer that names the account only by its address connects that account", async ({ page }) => {
  const wallet = await installWallet(page, { signsIn: true, namesAddressOnly: true });
  await page.goto("/dashboard");
  await chooseWallet(page, wallet);
  await createServiceWallet(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: /^Account/ }).click();
  await expect(page.getByRole("dialog")).toContainText(wallet.address);
  expect(wallet.requests).toEqual(["signIn", "signMessage", "signMessage"]);
});

test("the page explains why it rejects a wallet whose signatures differ each time", async ({ page }) => {
  const wallet = await installWallet(page);
  wallet.response = "random-signature";
  await page.goto("/dashboard");
  await chooseWallet(page, wallet);
  await signIn(page);
  await createServiceWallet(page);
  await expect(findAlert(page)).toContainText("This wallet cannot be used for savings");
  await expect(findAlert(page)).toContainText("signed the same text in two different ways");
  await inspectPage(page, "onboarding-not-deterministic");
  await page.getByRole("button", { name: "Choose another wallet" }).click();
  await expect(page.getByRole("button", { name: DEMO_WALLET_NAME })).toBeVisible();
  await expect(findAlert(page)).toHaveCount(0);
});

for (const [options, reason, picture] of [
  [{ signsTexts: false }, "cannot sign a text with this account", "onboarding-cannot-sign"],
  [{ signsTransactions: false }, "sends each transaction as it signs it", "onboarding-cannot-sign-transactions"],
] as const)
  test(`the page names wallets that work when the connected one ${reason}`, async ({ page }) => {
    const wallet = await installWallet(page, options);
    await page.goto("/dashboard");
    await chooseWallet(page, wallet);
    await expect(page.getByRole("heading", { name: "This wallet cannot be used here" })).toBeVisible();
    await expect(findAlert(page)).toContainText(`${wallet.name} ${reason}`);
    await expect(page.getByRole("link", { name: "Install Phantom" })).toBeVisible();
    await inspectPage(page, picture);
    await page.getByRole("button", { name: "Choose another wallet" }).click();
    await expect(page.getByRole("button", { name: DEMO_WALLET_NAME })).toBeVisible();
    expect(wallet.requests).toEqual(["connect"]);
  });

test("a person can abandon a wallet that never answers", async ({ page }) => {
  const wallet = await installWallet(page);
  wallet.nextResponses = ["silent"];
  await page.goto("/dashboard");
  await chooseWallet(page, wallet);
  await expect(page.getByRole("heading", { name: `Connecting to ${wallet.name}` })).toBeVisible();
  await expect(page.getByText("No window? It may be hidden")).toBeVisible();
  await inspectPage(page, "onboarding-connecting");
  await page.getByRole("button", { name: "Choose another wallet" }).click();
  await chooseWallet(page, wallet);
  // The wallet is connected, so its next request is the signature.
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  wallet.nextResponses = ["silent"];
  await signIn(page);
  await expect(page.getByText("Confirm the text in your wallet’s window.")).toBeVisible();
  await inspectPage(page, "onboarding-sign-in-waiting");
  await page.getByRole("button", { name: "Ask again" }).click();
  await expect(page.getByRole("heading", { name: "Create your savings wallet" })).toBeVisible();
});

test("switching accounts in the wallet starts a separate session", async ({ page }) => {
  const wallet = await installWallet(page);
  const firstAddress = wallet.address;
  await openDashboard(page, wallet);
  await wallet.switchAccount();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  await signIn(page);
  await createServiceWallet(page);
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByRole("button", { name: /^Account/ }).click();
  await expect(page.getByRole("dialog")).toContainText(wallet.address);
  await expect(page.getByRole("dialog")).not.toContainText(firstAddress);
  await inspectPage(page, "account-menu");
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Choose your wallet" })).toBeVisible();
});

test("a saving is sent with a raised priority fee but with no other change", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  const wallet = await installWallet(page);
  await fund(wallet.address, 1);
  await openDashboard(page, wallet);
  await page.getByRole("link", { name: "Round up a purchase" }).click();
  const sheet = await reviewPurchase(page, "27.63");
  const sign = sheet.getByRole("button", { name: "Sign and save" });
  await expectExplained(wallet, () => sign.click(), sheet.getByRole("alert"), [
    [["add-transfer"], "The wallet changed the transaction"],
    [["locked"], LOCKED],
    [["refuse"], DECLINED],
    [["other-account"], OTHER_ACCOUNT],
  ]);
  await inspectPage(page, "round-up-other-account");
  wallet.nextResponses = ["raise-fee"];
  await sign.click();
  await expect(findSavedDialog(page)).toBeVisible();
  expect(await countActivity(wallet.address, "round_up")).toBe(1);
});

test("the page does not send a signature that arrives after cancelling", async ({ page }) => {
  const wallet = await installWallet(page);
  await fund(wallet.address, 1);
  await openDashboard(page, wallet);
  await page.getByRole("link", { name: "Round up a purchase" }).click();
  const posts: string[] = [];
  page.on("request", (request) => request.url().endsWith("/api/swap/execute") && posts.push(request.url()));
  const sheet = await reviewPurchase(page, "27.63");
  wallet.nextResponses = ["later"];
  wallet.requests = [];
  await sheet.getByRole("button", { name: "Sign and save" }).click();
  await expect.poll(() => wallet.requests).toEqual(["signTransaction"]);
  await sheet.getByRole("button", { name: "Cancel" }).click();
  await expect(sheet).toHaveCount(0);
  wallet.release();
  await reviewPurchase(page, "3.45");
  await sheet.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toContainText("$0.55");
  expect(posts).toHaveLength(1);
});

test("the page says how long is left to sign while the wallet's window is open", async ({ page }) => {
  await page.clock.install();
  const wallet = await installWallet(page);
  await fund(wallet.address, 1);
  await openDashboard(page, wallet);
  await page.getByRole("link", { name: "Round up a purchase" }).click();
  const sheet = await reviewPurchase(page, "27.63");
  wallet.nextResponses = ["later"];
  await sheet.getByRole("button", { name: "Sign and save" }).click();
  await expect.poll(() => wallet.requests.at(-1)).toBe("signTransaction");
  await expect(sheet.getByRole("timer")).toHaveCount(0);
  await page.clock.runFor(17_000);
  await expect(sheet.getByRole("timer")).toHaveText(/^\d s left to sign in your wallet\.$/);
  await page.clock.runFor(10_000);
  await expect(sheet.getByRole("timer")).toContainText("It is too late to sign this.");
  await inspectPage(page, "round-up-too-late");
});

test("the leak check detects a derivation signature in every usual encoding", async ({ page, watch }) => {
  watch.allow(FAILED_REQUEST);
  watch.allow(/leaked=/);
  const wallet = await installWallet(page);
  await openDashboard(page, wallet);
  const signature = nacl.sign.detached(encodeUtf8(SERVICE_WALLET_TEXT), wallet.keys.secretKey);
  for (const form of [toBase64(signature), bs58.encode(signature), toHex(signature)]) {
    await page.evaluate((text) => fetch(`/api/auth?leaked=${encodeURIComponent(text)}`), form);
  }
  expect(watch.leaks()).toHaveLength(3);
});
