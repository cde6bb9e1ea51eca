import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type BrowserContext, chromium, type Locator, type Page } from "@playwright/test";
import { createTempFolder, removeFolder } from "../support/app/app";
import { expect, inspectPage, test } from "./support/fixtures";
import {
  findNavigationLink,
  findSavedDialog,
  openConsole,
  reviewPurchase,
  reviewWithdrawal,
  sendCall,
} from "./support/flows";
import { countActivity, fund, listAssets, type Saver } from "./support/service";
import { DEMO_WALLET_NAME, openSession } from "./support/session";

/* What the browser stores can be blocked, full, or deleted while a tab is open. */

const BLOCKED_TITLE = "This browser blocks storage for this site";
const FULL_TITLE = "This browser’s storage for this site is full";

/** A person has blocked cookies and other site data in the browser's settings: each access to storage throws. */
const testWithBlockedSiteData = test.extend({
  context: async ({ launchOptions, extraHTTPHeaders, baseURL, viewport }, use) => {
    const folder = createTempFolder();
    mkdirSync(join(folder, "Default"));
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
    writeFileSync(join(folder, "Default", "Preferences"), JSON.stringify(preferences));
    const options = { ...launchOptions, extraHTTPHeaders, baseURL, viewport };
    const context: BrowserContext = await chromium.launchPersistentContext(folder, options);
    await use(context);
    await context.close();
    removeFolder(folder);
  },
});

async function expectReadingPagesWork(page: Page): Promise<void> {
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Try it with play money" })).toBeVisible();
  await page.goto("/docs");
  await sendCall(await openConsole(page, "list-plans"), "200");
  await page.goto("/docs/the-loop");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
}

/** Expects the dashboard to say what blocks it and what helps, instead of asking for a wallet. */
async function expectBlockedNotice(page: Page, path: string): Promise<void> {
  await page.goto(path);
  await expect(page.getByRole("heading", { name: BLOCKED_TITLE })).toBeVisible();
  await expect(page.getByRole("main")).toContainText("Allow cookies and site data for this site");
  await expect(page.getByRole("button", { name: DEMO_WALLET_NAME })).toBeHidden();
}

testWithBlockedSiteData(
  "with blocked site data, a person can read, is told before signing, and can still withdraw",
  async ({ page }) => {
    await page.goto("/");
    const readOutcome = page.evaluate(() => {
      try {
        return `${localStorage}`;
      } catch (error) {
        return (error as Error).name;
      }
    });
    test.skip((await readOutcome) !== "SecurityError", "a headless shell ignores the setting that blocks site data");
    await expectReadingPagesWork(page);
    for (const path of [`/tx/${"5".repeat(88)}`, "/dashboard?play", "/dashboard/withdraw"])
      await expectBlockedNotice(page, path);
    await inspectPage(page, "storage-blocked");

    const linkRequest = page.waitForRequest(
      (request) => /wallet\/derive$/.test(request.url()) && request.method() === "POST",
    );
    await page.getByRole("button", { name: "Continue without storage" }).click();
    await page.getByRole("button", { name: DEMO_WALLET_NAME }).click();
    await page.getByRole("button", { name: "Sign in", exact: true }).click();
    await page.getByRole("button", { name: "Create my savings wallet" }).click();
    const { publicKey } = (await linkRequest).postDataJSON();
    await page.getByRole("button", { name: "Get play money" }).click();
    await expect(page.getByText("2 SOL and 50 USDC of play money are in your wallet")).toBeVisible();
    await fund(publicKey, 0.2);
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await expect(page.getByRole("main")).toContainText(BLOCKED_TITLE);

    const withdrawal = await reviewWithdrawal(page);
    await expect(withdrawal).toContainText("Keep this tab open until it finishes.");
    await inspectPage(page, "storage-blocked-withdrawal");
    await withdrawal.getByRole("button", { name: "Sign and withdraw" }).click();
    await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
    expect(await listAssets(publicKey)).toEqual([]);
    await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();

    await findNavigationLink(page, "Save").click();
    const saving = await reviewPurchase(page, "27.63");
    await expect(saving).toContainText(BLOCKED_TITLE);
    await expect(saving.getByRole("button", { name: "Sign and save" })).toBeDisabled();
  },
);

test("where localStorage is null, as in some apps’ browsers, the pages work as with blocked site data", async ({
  page,
}) => {
  await page.addInitScript(() => Object.defineProperty(window, "localStorage", { value: null }));
  await expectReadingPagesWork(page);
  await expectBlockedNotice(page, "/dashboard");
});

/** Fills the site's localStorage to the last character, as an app at the same address would. */
const fillStorage = (page: Page) =>
  page.evaluate(() => {
    for (let size = 2 ** 20; size >= 1; size /= 2) {
      for (let i = 0; ; i++) {
        try {
          localStorage.setItem(`other-app-${size}-${i}`, "x".repeat(size));
        } catch {
          break;
        }
      }
    }
  });

async function expectRefused(review: Locator, buttonName: string): Promise<void> {
  await expect(review.getByRole("alert").filter({ hasText: FULL_TITLE })).toContainText("This cannot be signed now");
  await expect(review.getByRole("button", { name: buttonName })).toBeDisabled();
}

test("with full storage, nothing is saved or sold unrecorded, everything can be withdrawn, and the page can make room", async ({
  page,
}) => {
  const saver = await openSession(page, { serviceSol: 0.2, hasBtc: true });
  await page.goto("/dashboard/round-up");
  await fillStorage(page);
  const saving = await reviewPurchase(page, "27.63");
  await expectRefused(saving, "Sign and save");
  await inspectPage(page, "storage-full-saving");
  await saving.getByRole("button", { name: "Delete their data" }).click();
  await saving.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toBeVisible();

  await page.goto("/dashboard/invest");
  await fillStorage(page);
  await page.getByText("Sell", { exact: true }).click();
  await page.getByRole("button", { name: "All", exact: true }).click();
  await page.getByRole("button", { name: "Review the sale" }).click();
  await expectRefused(page.getByRole("dialog"), "Sign and sell");

  await page.goto("/dashboard/withdraw");
  const withdrawal = await reviewWithdrawal(page);
  await expect(withdrawal).toContainText("Keep this tab open until it finishes.");
  await inspectPage(page, "storage-full-withdrawal");
  await withdrawal.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  expect(await listAssets(saver.serviceWallet.address)).toEqual([]);
});

test("the stored history and prices make room for a payment's record", async ({ page }) => {
  await openSession(page);
  await page.goto("/dashboard/round-up");
  await page.evaluate(() => localStorage.setItem("roundup-history:other", "x".repeat(100_000)));
  await fillStorage(page);
  const saving = await reviewPurchase(page, "27.63");
  await saving.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toBeVisible();
  expect(await page.evaluate(() => localStorage.getItem("roundup-history:other"))).toBeNull();
});

/** Opens a second tab of the same browser, signed in with the same wallet. */
async function openSecondTab(context: BrowserContext, { wallet, credentials }: Saver, path: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.addInitScript(
    ([key, signature]) => {
      if (!localStorage.getItem("e2e-second-tab")) sessionStorage.setItem(key, signature);
      localStorage.setItem("e2e-second-tab", "1");
    },
    [`roundup-auth:${wallet}`, credentials["x-signature"]] as const,
  );
  await tab.goto(path);
  return tab;
}

const listOwnKeys = (page: Page) =>
  page.evaluate(() =>
    [localStorage, sessionStorage].flatMap((storage) =>
      Object.keys(storage).filter((key) => /^(roundup-(?!session-ended)|walletName)/.test(key)),
    ),
  );

test("forgetting this browser in one tab ends the session of every tab", async ({ page, context }) => {
  const saver = await openSession(page);
  await page.goto("/dashboard/settings");
  const secondTab = await openSecondTab(context, saver, "/dashboard/round-up");
  await expect((await reviewPurchase(secondTab, "27.63")).getByRole("button", { name: "Sign and save" })).toBeEnabled();
  await page.getByRole("button", { name: "Forget this browser" }).click();
  await page.getByRole("button", { name: "Forget everything" }).click();
  await expect(page.getByRole("link", { name: "Try it with play money" })).toBeVisible();
  await expect(secondTab.getByRole("heading", { name: "Set up in three steps" })).toBeVisible();
  await expect(secondTab.getByRole("main")).toContainText("Another tab has forgotten this browser");
  await inspectPage(secondTab, "session-ended");
  expect([...(await listOwnKeys(page)), ...(await listOwnKeys(secondTab))]).toEqual([]);
});

test("after the browser has deleted the site data, an open tab signs and stores nothing more", async ({ page }) => {
  const saver = await openSession(page);
  await page.goto("/dashboard/round-up");
  const review = await reviewPurchase(page, "27.63");
  // A page gets no event for what it deletes itself, as for what some browsers delete.
  await page.evaluate(() => {
    localStorage.clear();
    localStorage.setItem("e2e-seeded", "1");
  });
  const posts: string[] = [];
  page.on("request", (request) => request.url().endsWith("/execute") && posts.push(request.url()));
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(page.getByRole("main")).toContainText("You were signed out");
  expect(posts).toEqual([]);
  expect(await listOwnKeys(page)).toEqual([]);
  expect(await countActivity(saver.wallet, "round_up")).toBe(0);
});
