import { type ExternalWallet, installWallet } from "./support/external-wallet";
import { type FaultyProxy, startFaultyProxy } from "./support/faulty-proxy";
import { test as base, expect, FAILED_REQUEST, inspectPage } from "./support/fixtures";
import { clickSignButton, findNavigationLink, reviewInvestment, reviewPurchase, savePurchase } from "./support/flows";
import { countActivity, createCallerAddress, fund } from "./support/service";
import { readServiceWallet, setUpWallet } from "./support/session";

const test = base.extend<{ front: FaultyProxy }>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright's own form
  front: async ({}, use) => {
    const front = await startFaultyProxy(process.env.E2E_URL!);
    await use(front);
    await front.stop();
  },
  baseURL: async ({ front }, use) => use(front.url),
});

function takeRequests(wallet: ExternalWallet): string[] {
  const { requests } = wallet;
  wallet.requests = [];
  return requests;
}

test("a reload resumes each step without a new request to the wallet", async ({ page, context }) => {
  test.slow();
  const wallet = await installWallet(page);
  await page.goto("/dashboard");
  await page.reload();
  await page.getByRole("button", { name: wallet.name }).click();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(takeRequests(wallet)).toEqual(["connect"]);

  await page.reload();
  await expect(page.getByRole("heading", { name: "Sign in" })).toBeVisible();
  expect(takeRequests(wallet), "a reload after the connection").toEqual([]);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Create your savings wallet" })).toBeVisible();
  expect(takeRequests(wallet)).toEqual(["signMessage"]);

  await page.reload();
  await expect(page.getByRole("heading", { name: "Create your savings wallet" })).toBeVisible();
  expect(takeRequests(wallet), "a reload after the sign-in").toEqual([]);
  await page.getByRole("button", { name: "Create my savings wallet" }).click();
  await expect(page.getByRole("heading", { name: "You are set up" })).toBeVisible();
  expect(takeRequests(wallet)).toEqual(["signMessage", "signMessage"]);

  await fund(wallet.address, 1);
  // This many reloads would reach the limit of 60 calls a minute, so use a new address.
  const useNewAddress = () => page.setExtraHTTPHeaders({ "x-forwarded-for": createCallerAddress() });
  await useNewAddress();
  for (const path of ["", "/round-up", "/invest", "/withdraw", "/activity", "/keys"]) {
    await page.goto(`/dashboard${path}`);
    await expect(page.getByRole("heading", { level: 1 })).not.toHaveText("Set up in three steps");
    await expect(page.getByRole("button", { name: /^Account/ })).toBeVisible();
  }
  expect(takeRequests(wallet), "full loads of every page").toEqual([]);
  await useNewAddress();

  await page.goto("/dashboard/round-up");
  await reviewPurchase(page, "3.13");
  await page.reload();
  await expect(page.getByRole("dialog")).toHaveCount(0);
  await savePurchase(page, "3.13");
  expect(takeRequests(wallet), "a saving is the wallet's own transaction").toEqual(["signTransaction"]);

  await fund((await readServiceWallet(page)).address, 0.1);
  await page.goto("/dashboard/invest");
  await page.getByRole("button", { name: "Review the investment" }).click();
  await page.reload();
  const sheet = await reviewInvestment(page);
  await expect(sheet).toContainText("First your wallet asks for one signature");
  wallet.nextResponses = ["refuse", "random-signature"];
  await sheet.getByRole("button", { name: "Sign and invest" }).click();
  await expect(sheet.getByRole("alert")).toContainText("You declined the signature");
  await sheet.getByRole("button", { name: "Sign and invest" }).click();
  await expect(sheet.getByRole("alert")).toContainText("That signature opens another savings wallet");
  await inspectPage(page, "invest-key-other");
  await sheet.getByRole("button", { name: "Sign and invest" }).click();
  await expect(page.getByRole("dialog", { name: "Invested" })).toBeVisible();
  expect(takeRequests(wallet), "one request for each attempt").toEqual(["signMessage", "signMessage", "signMessage"]);

  await page.getByRole("dialog").getByRole("link", { name: "See my savings" }).click();
  await findNavigationLink(page, "Withdraw").click();
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  await page.getByRole("button", { name: "Sign and withdraw" }).click();
  await expect(page.getByTestId("service-wallet-empty")).toBeVisible();
  expect(takeRequests(wallet), "the key is still in memory").toEqual([]);

  const stored = JSON.stringify(await context.storageState({ indexedDB: true }));
  const session = await page.evaluate(() => JSON.stringify(sessionStorage));
  for (const [name, value] of Object.entries({ stored, session })) {
    expect(value, `no key in ${name}`).not.toMatch(/secret|seed|privateKey/i);
  }
});

test("an investment continues after a reload without buying anything twice", async ({ page, front, watch }) => {
  test.slow();
  watch.allow(FAILED_REQUEST);
  const wallet = await installWallet(page);
  await setUpWallet(page, wallet);
  const { address } = await readServiceWallet(page);
  await fund(address, 0.3);
  await page.goto("/dashboard/invest");
  await page.getByText("Several assets").click();
  const review = await reviewInvestment(page);
  front.startFault("/api/swap/execute", "lose-answer");
  await review.getByRole("button", { name: "Sign and invest" }).click();
  await expect(page.getByRole("dialog", { name: "Investing" })).toBeVisible();
  await inspectPage(page, "invest-running");
  await expect.poll(() => front.requests).toContain("POST /api/swap/execute");
  front.endFaults();
  front.startFault("/api/swap/execute", "hold");
  await page.goto("/dashboard/activity");
  const banner = page.getByRole("main").getByText("Your investment may have been sent");
  await expect(banner).toBeVisible();
  await inspectPage(page, "unfinished-banner");
  takeRequests(wallet);
  await page.getByRole("link", { name: "Check now" }).click();
  await expect(page.getByRole("dialog", { name: "Checking…" })).toBeVisible();
  await inspectPage(page, "invest-checking");
  front.endFaults();
  const sheet = page.getByRole("dialog", { name: "Invest what is left" });
  await expect(sheet.getByTestId("run-progress")).toContainText("Done");
  await inspectPage(page, "invest-rest");
  await clickSignButton(page, "Sign and invest");
  await expect(page.getByRole("dialog", { name: "Invested" })).toBeVisible();
  expect(takeRequests(wallet)).toEqual(["signMessage"]);
  expect(await countActivity(address, "swap"), "nothing was bought twice").toBe(3);
});
