import type { Page } from "@playwright/test";
import { AUTH_TEXT } from "../support/fixtures/wallet-texts";
import { installWallet } from "./support/external-wallet";
import { expect, inspectPage, test } from "./support/fixtures";
import {
  findNavigationLink,
  findSavedDialog,
  holdRequests,
  reviewPurchase,
  reviewWithdrawal,
  waitForSheetHistory,
} from "./support/flows";
import { listAssets } from "./support/service";
import { openSession, readServiceWallet } from "./support/session";
import { countEffort } from "./support/words";

test.use({ contextOptions: { reducedMotion: "no-preference" } });

/**
 * Limits from the landing page to the signature that buys: six clicks, and 90 seconds of reading at 200 words a minute.
 */
const [MAX_CLICKS, MAX_WORDS] = [6, 300];
const MAX_SETUP_WORDS = 150;

test(`a newcomer on a phone buys bitcoin with play money in at most ${MAX_CLICKS} clicks`, {
  tag: "@browsers",
}, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await buyBitcoin(page, "setting-up");
});

test("a newcomer can buy and withdraw bitcoin using only what the page shows", { tag: "@browsers" }, async ({
  page,
}) => {
  await buyBitcoin(page);
  await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByRole("row").filter({ hasText: "BTC" })).toContainText(/0\.000\d+ BTC/);
  await expect(page.getByTestId("invested-usd")).toHaveText(/^\$\d+\.\d\d$/);

  await findNavigationLink(page, "Withdraw").click();
  const withdrawal = await reviewWithdrawal(page);
  await expect(withdrawal.getByTestId("arrives")).toContainText("Arrives in your main wallet");
  await expect(withdrawal).toContainText("Nothing: it is empty afterwards");
  await withdrawal.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByRole("main").getByText("Your savings wallet is empty")).toBeVisible();

  const { owner, address } = await readServiceWallet(page);
  expect(await listAssets(address), "nothing is left behind").toEqual([]);
  expect(await listAssets(owner)).toEqual(["BTC", "SOL", "USDC"]);

  await findNavigationLink(page, "Settings").click();
  await page.getByRole("button", { name: "Forget this browser" }).click();
  await expect(page.getByRole("dialog")).toContainText("You cannot get its play money back");
  await page.getByRole("dialog").getByRole("button", { name: "Keep" }).click();
  await waitForSheetHistory(page);
  await page.getByRole("button", { name: /^Account/ }).click();
  const mainBalance = await page.getByText(/^\$\d+\.\d\d, \d\.\d+ SOL$/).innerText();
  const [usd, sol] = mainBalance.replace("$", "").split(", ").map(Number.parseFloat) as [number, number];
  expect(usd, "the SOL alone, without the withdrawn bitcoin").toBeCloseTo(sol * 150, 1);
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Welcome back" })).toBeVisible();
  await page.getByRole("button", { name: "Forget this browser" }).click();
  await expect(page.getByRole("dialog")).toContainText("You cannot get its play money back");
  await expect(page.getByRole("dialog")).not.toContainText("Your savings stay");
  await expect(page.getByRole("dialog")).toContainText("Revoke your API keys first.");
  await inspectPage(page, "forget-browser");
  await page.getByRole("button", { name: "Forget everything" }).click();
  await expect(page.getByRole("link", { name: "Try it with play money" })).toBeVisible();
  expect(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("roundup-")))).toEqual([]);
});

test("code that loads late does not move the button to save after the set-up with play money", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Try it with play money" }).click();
  const saveButton = page.getByRole("button", { name: /^Save \$/ });
  // On a quick machine the set-up is over before anything sees it.
  await page.getByRole("heading", { name: "Setting up" }).or(saveButton).first().waitFor();
  const release = await holdRequests(page, "**/*.js");
  await saveButton.waitFor();
  const box = await saveButton.boundingBox();
  release();
  await page.waitForLoadState("networkidle");
  expect(await saveButton.boundingBox()).toEqual(box);
});

test(`setting up a user's own wallet takes three signatures and at most ${MAX_SETUP_WORDS} words, and a second tab one signature`, async ({
  page,
  context,
}) => {
  const wallet = await installWallet(page);
  // Use a window that shows the whole page.
  await page.setViewportSize({ width: 1280, height: 2_000 });
  const effort = countEffort(page);
  await page.goto("/dashboard");
  await effort.press(wallet.name);
  await effort.press(/^Sign in$/);
  await effort.press("Create my savings wallet");
  await expect(page.getByRole("button", { name: "Get play money" })).toBeVisible();
  await effort.press("Continue");
  expect(wallet.requests).toEqual(["connect", "signMessage", "signMessage", "signMessage"]);
  expect(effort.words(), effort.text()).toBeLessThanOrEqual(MAX_SETUP_WORDS);

  const secondTab = await context.newPage();
  const sameWallet = await installWallet(secondTab, { keys: wallet.keys });
  await secondTab.goto("/dashboard");
  await expect(secondTab.getByRole("heading", { level: 1, name: "Welcome back" })).toBeVisible();
  await secondTab.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(secondTab.getByRole("heading", { level: 1, name: "Your savings" })).toBeVisible();
  expect(sameWallet.requests).toEqual(["signMessage"]);
});

test("the demo wallet asks before each signature when its setting is on", { tag: "@browsers" }, async ({ page }) => {
  await openSession(page);
  const posts: string[] = [];
  page.on("request", (request) => request.url().endsWith("/api/swap/execute") && posts.push(request.url()));
  await page.goto("/dashboard/settings");
  await page.getByRole("switch", { name: "Ask before each signature" }).click();
  await inspectPage(page, "settings-demo-wallet");
  await findNavigationLink(page, "Save").click();
  const review = await reviewPurchase(page, "27.03");
  const payment = page.getByRole("dialog", { name: "Sign this payment?" });
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(payment, "the total of the review below").toContainText("Leaves your wallet$0.98");
  await expect(payment).toContainText(
    /To your savings wallet.*\$\d\.\d\d0\.\d+ SOL.*To another wallet.*Leaves your wallet\$/,
  );
  await inspectPage(page, "approval-payment");
  await payment.getByRole("button", { name: "Decline" }).click();
  await expect(payment).toHaveCount(0);
  await expect(review.getByRole("alert")).toContainText("You declined the signature");
  await review.getByRole("button", { name: "Sign and save" }).click();
  await payment.press("Escape");
  await expect(review.getByRole("alert"), "the sheet below stays").toContainText("You declined the signature");
  await review.getByRole("button", { name: "Sign and save" }).click();
  expect(posts, "before the approval").toEqual([]);
  await payment.getByRole("button", { name: "Approve" }).click();
  await expect(findSavedDialog(page)).toBeVisible();
  expect(posts).toHaveLength(1);

  await page.goto("/dashboard");
  await page.getByRole("button", { name: /^Account/ }).click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await expect(page.getByRole("heading", { name: "Welcome back" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Demo wallet/ })).toContainText("You used this wallet last.");
  await page.goto("/");
  await expect(page.getByRole("link", { name: /^Continue/ }), "no amount after signing out").toHaveText(
    "Continue to your savings",
  );
  await page.goto("/dashboard?play");
  const text = page.getByRole("dialog", { name: "Sign this text?" });
  await expect(text).toContainText(AUTH_TEXT);
  await inspectPage(page, "approval-text");
  await text.getByRole("button", { name: "Decline" }).click();
  await expect(page.locator("main").getByRole("alert")).toContainText("You declined the signature");
  await page.getByRole("button", { name: "Try again" }).click();
  await text.getByRole("button", { name: "Approve" }).click();
  await page.getByText("See what was signed").click();
  await expect(page.getByRole("main").getByText(AUTH_TEXT)).toBeVisible();
});

/**
 * Buys bitcoin from the landing page through visible controls only.
 * @param setup name of the set-up's screenshot, if wanted
 */
async function buyBitcoin(page: Page, setup?: string) {
  const effort = countEffort(page);
  const giveMoney = setup && (await holdRequests(page, "**/api/sandbox/airdrop"));
  await page.goto("/");
  await effort.press("Try it with play money");
  if (giveMoney) {
    await expect(page.getByText("Savings wallet(done)")).toBeVisible();
    await inspectPage(page, setup);
    giveMoney();
  }
  await effort.press(/^Save \$/);
  await effort.press("Sign and save");
  await expect(findSavedDialog(page)).toContainText("ready to invest.");
  await effort.press("Invest now");
  await expect(page.getByTestId("swap-BTC")).toContainText("at least");
  await expect(page.locator("[role=meter]")).toHaveAttribute("aria-valuetext", "Enough to invest");
  await effort.press("Sign and invest");
  const invested = page.getByRole("dialog", { name: "Invested" });
  await expect(invested.getByTestId("bought-BTC")).toContainText(/0\.000\d+ BTC/);
  expect(effort.clicks()).toBeLessThanOrEqual(MAX_CLICKS);
  // Which words the window shows depends on how each browser sets the lines.
  if (page.context().browser()!.browserType().name() === "chromium")
    expect(effort.words(), effort.text()).toBeLessThanOrEqual(MAX_WORDS);
}
