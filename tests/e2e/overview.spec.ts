import type { Page, Request } from "@playwright/test";
import { toIsoWeek } from "../../lib/domain/marks";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import {
  clickSignButton,
  findAmount,
  findNavigationLink,
  findSavedDialog,
  holdRequests,
  reviewInvestment,
  waitForSheetHistory,
} from "./support/flows";
import { callApi, countActivity, fund, investSavings, saveRoundUps } from "./support/service";
import { openSession } from "./support/session";
import { paySol } from "./support/tokens";

/** Height of two screens of a phone, rounded up, px. */
const MAX_PHONE_HEIGHT = 1_700;

const measurePageHeight = (page: Page) => page.evaluate(() => document.documentElement.scrollHeight);

test("the overview of an empty wallet offers play money as the next step", async ({ page }) => {
  await openSession(page, { sol: 0 });
  await page.goto("/dashboard");
  const next = page.getByRole("region", { name: "What comes next" });
  await expect(next).toContainText("Your main wallet is empty");
  await expect(page.getByText("Your savings wallet is empty")).toBeVisible();
  await expect(page.getByText("Nothing yet.")).toBeVisible();
  await inspectPage(page, "overview-empty");
  await page.getByText("Goal, money added and value").click();
  await expect(page.getByRole("button", { name: "Set a goal" })).toBeVisible();
  await next.getByRole("button", { name: "Get play money" }).click();
  await expect(next.getByRole("button", { name: "Make pretend purchases" })).toBeVisible();
  await expect(next).toContainText("Nothing to invest yet. You can invest once you have $5.00.");
  await expect(page.getByText("Updating…")).toHaveCount(0);
});

test("the meter states the amount that is missing to the minimum to invest", async ({ page }) => {
  const saver = await openSession(page);
  await saveRoundUps(saver, [4.02, 27.03]);
  await page.goto("/dashboard");
  await expect(page.getByRole("meter")).toHaveAttribute(
    "aria-valuetext",
    /^\$[23]\.\d\d more \(fee included\) and you can invest$/,
  );
  await expect(page.getByRole("region", { name: "What comes next" })).toHaveAttribute("data-next-action", "round-up");
  await inspectPage(page, "overview-below");
  await page.getByRole("button", { name: "Add money" }).click();
  await page.getByTestId("top-up").getByRole("button", { name: "Add $5.00" }).click();
  // The person leaves before the overview is read again, so the next page must read the balance.
  await page.route("**/api/overview/**", () => {});
  await page.getByRole("dialog", { name: "Review and sign" }).getByRole("button", { name: "Sign and add" }).click();
  await page.getByRole("dialog", { name: "Added" }).getByRole("link", { name: "Invest now" }).click();
  await expect(page.getByRole("dialog", { name: "Review your investment" })).toBeVisible();
  await expect(page.locator("[role=meter]")).toHaveAttribute("aria-valuetext", "Enough to invest");
});

test("a review that a link opens stays open while the router still reads its page", async ({ page }) => {
  const saver = await openSession(page);
  await saveRoundUps(saver, Array(20).fill(4.02));
  const isClick = (request: Request) => !("next-router-prefetch" in request.headers());
  const isPage = (request: Request) => /__PAGE__$/.test(request.headers()["next-router-segment-prefetch"] ?? "");
  const waitForInvest = (isAwaited: (request: Request) => boolean) =>
    page.waitForRequest((request) => /invest\?now&_rsc=/.test(request.url()) && isAwaited(request));
  // The router shows the page as soon as the prefetch or the request of the click brings it.
  const releasePrefetch = await holdRequests(page, /invest\?now&_rsc=/, isPage);
  const releaseClick = await holdRequests(page, /invest\?now&_rsc=/, isClick);
  const [prefetch, click] = [waitForInvest(isPage), waitForInvest(isClick)];
  await page.goto("/dashboard");
  const documents: string[] = [];
  page.on("request", (request) => request.isNavigationRequest() && documents.push(request.url()));
  await prefetch;
  await page.getByRole("link", { name: "Invest now" }).click();
  const clickRequest = await click;
  releasePrefetch();
  await expect(page.getByRole("dialog", { name: "Review your investment" })).toBeVisible();
  releaseClick();
  await (await clickRequest.response())!.finished();
  await clickSignButton(page, "Sign and invest");
  await expect(page.getByRole("dialog", { name: "Invested" })).toBeVisible();
  expect(documents, "documents that were loaded").toEqual([]);
});

test("the overview with investments fits two screens of a phone", async ({ page }) => {
  test.slow();
  const saver = await openSession(page);
  for (const asset of ["BTC", "ETH", "USDC"]) {
    await saveRoundUps(saver, Array(20).fill(4.02));
    await investSavings(saver, asset);
  }
  await page.goto("/dashboard");
  const holdings = page.getByRole("table", { name: "What the savings wallet holds" });
  for (const asset of ["BTC", "ETH", "USDC", "SOL"]) {
    await expect(holdings.getByRole("row").filter({ hasText: asset })).toContainText("%");
  }
  await expect(page.getByTestId("allocation").locator("circle").nth(3)).toBeVisible();
  await expectFitsPhone(page);
  await expectCrosshairMoves(page);
  await page.getByText("More", { exact: true }).click();
  await expect(page.getByText("At the price of each day.")).toBeVisible();
  await expect(page.getByText(/^Refundable account deposits/)).toBeVisible();
  const valueNow = findAmount(page, "Value now");
  await expect(page.getByTestId("total-usd"), "one number").toHaveText(await valueNow.innerText());
  const rows = await holdings.getByRole("row").allInnerTexts();
  const cents = rows.map((row) => Math.round(100 * Number(/(?<!<)\$([\d.]+)/.exec(row)?.[1] ?? 0)));
  const heldCents = cents.reduce((sum, value) => sum + value, 0);
  const savingsValue = findAmount(page, "In your savings wallet");
  await expect(savingsValue, "the holdings add up to it").toHaveText(`$${(heldCents / 100).toFixed(2)}`);
  await expect(page.getByText("all time")).toBeVisible();
  await expect(page.getByRole("group", { name: "How far back" }), "a new wallet has one range").toHaveCount(0);
  await page.getByText("As a table").click();
  const table = page.getByRole("table", { name: "Money added and value over time" });
  await expect(table).toContainText(/Saved change.*: \$/);
  await expect(table).toContainText("Bought BTC: $");
  const last = table.getByRole("row").nth(1);
  await expect(last.getByRole("cell").last(), "the line ends at the total").toHaveText(await valueNow.innerText());
  await expect(page.getByTestId("activity-list").getByRole("listitem")).toHaveCount(5);
  await expect(page.getByTestId("projection")).toContainText("At 5 % a year");
  await expect(page.getByText(/If you keep adding \$58\.\d\d a month, which is what you added so far\./)).toBeVisible();
  await inspectPage(page, "overview-invested");
  await setGoal(page);
  await fund(saver.serviceWallet.address, 0.1);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/dashboard");
  await expect(page.getByRole("heading", { name: "Ready to invest" })).toBeVisible();
  await expect(page.getByTestId("from-wallet")).toContainText("4 payments");
  const readyUsd = await page.getByTestId("investable-usd").innerText();
  await expect(page.getByText("As a table"), "this part loads last").toBeVisible();
  await expect(page.getByText("Automatic", { exact: true })).toBeVisible();
  expect(await measurePageHeight(page), "also with enough to invest").toBeLessThanOrEqual(MAX_PHONE_HEIGHT);
  const total = await page.getByTestId("total-usd").innerText();
  await page.goto("/dashboard/withdraw");
  await expect(page.getByTestId("service-total"), "one number").toHaveText(total);
  await page.goto("/dashboard");
  await page.getByRole("link", { name: "Invest now" }).click();
  const review = page.getByRole("dialog", { name: "Review your investment" });
  await expect(findAmount(review, "You invest")).toContainText(readyUsd);
  await expect(review).toContainText("You get BTC");
  await review.getByRole("button", { name: "Change coin" }).click();
  await page.getByRole("radio", { name: /^ETH/ }).check();
  await expect(await reviewInvestment(page)).toContainText("You get ETH");
});

/**
 * Expects the figures and actions above the tab bar of a phone, and the whole page within two screens, also while
 * payments wait to be saved.
 */
async function expectFitsPhone(page: Page) {
  const size = page.viewportSize()!;
  await page.setViewportSize({ width: 390, height: 844 });
  const firstScreen = [
    page.getByTestId("total-usd"),
    page.getByTestId("invested-usd"),
    page.getByTestId("chart"),
    page.getByRole("button", { name: "Make pretend purchases" }),
    page.getByRole("button", { name: "Add money" }),
    page.getByRole("main").getByRole("link", { name: "Sell", exact: true }),
    page.getByRole("main").getByRole("link", { name: "Withdraw" }),
  ];
  const bar = (await page.getByRole("navigation", { name: "Dashboard" }).boundingBox())!;
  for (const part of firstScreen) {
    const { y, height } = (await part.boundingBox())!;
    expect(y + height, String(part)).toBeLessThanOrEqual(bar.y);
  }
  expect(await measurePageHeight(page)).toBeLessThanOrEqual(MAX_PHONE_HEIGHT);
  await page.getByRole("button", { name: "Make pretend purchases" }).click();
  await expect(page.getByTestId("from-wallet")).toContainText("4 payments");
  expect(await measurePageHeight(page)).toBeLessThanOrEqual(MAX_PHONE_HEIGHT);
  await page.setViewportSize(size);
}

/** Moves the chart's crosshair by key and by pointer, and expects its amounts in words and on the page. */
async function expectCrosshairMoves(page: Page) {
  const readout = page.getByTestId("readout");
  const crosshair = page.getByRole("slider", { name: "Value over time" });
  await expect(crosshair).toHaveAttribute("aria-valuetext", /^Now: \$58\.\d\d, added \$58\.\d\d$/);
  await crosshair.press("Home");
  await expect(crosshair).toHaveAttribute("aria-valuetext", /^\w{3},? \d\d:\d\d: \$0\.00, added \$0\.00$/);
  await expect(readout).toContainText("Value $0.00");
  await page.getByTestId("chart").click({ position: { x: 20, y: 20 } });
  await expect(crosshair, "so that arrow keys work after a click").toBeFocused();
  await expect(readout).not.toContainText("Now");
  await page.mouse.move(0, 0);
  await expect(readout).toContainText("Now");
  const { x, y } = (await page.getByTestId("chart").boundingBox())!;
  const touchChart = (type: string) =>
    page.getByTestId("chart").dispatchEvent(type, { pointerType: "touch", clientX: x + 20, clientY: y + 20 });
  await touchChart("pointerdown");
  await touchChart("pointerout");
  await expect(readout, "stays readable when the finger lifts").not.toContainText("Now");
  await page.getByRole("heading", { level: 1 }).dispatchEvent("pointerdown", { pointerType: "touch" });
  await expect(readout, "leaves with a touch elsewhere").toContainText("Now");
  await touchChart("pointerdown");
  await touchChart("pointercancel");
  await expect(readout, "leaves when the touch becomes a scroll").toContainText("Now");
}

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

async function setGoal(page: Page) {
  const card = page.locator("section").filter({ has: page.getByRole("heading", { name: "Your goal" }) });
  await page.getByRole("button", { name: "Set a goal" }).click();
  await expect(card.getByLabel("What for")).toBeFocused();
  await card.getByLabel("By when").fill(inDays(-1));
  await card.getByRole("button", { name: "Save goal" }).click();
  await expect(card.getByLabel("What for")).toHaveAccessibleDescription("Give it a name.");
  await expect(card.getByLabel("How much")).toHaveAccessibleDescription("Type an amount.");
  await expect(card.getByLabel("By when")).toHaveAccessibleDescription("Choose a day to come.");
  await inspectPage(page, "overview-goal-form", { within: card });
  await card.getByLabel("What for").fill("A new bike");
  await card.getByLabel("How much").fill("400,50");
  await card.getByLabel("By when").fill(inDays(365));
  await card.getByRole("button", { name: "Save goal" }).click();
  await expect(card).toContainText("A new bikeOn track$400.50 by");
  await page.reload();
  await page.getByText("More", { exact: true }).click();
  await expect(card.getByRole("progressbar", { name: "A new bike" })).toHaveAttribute("aria-valuenow", "14");
  await card.getByRole("button", { name: "Edit" }).click();
  await card.getByLabel("By when").fill("");
  await card.getByLabel("How much").fill("5.000,50");
  await card.getByRole("button", { name: "Save goal" }).click();
  await expect(card).toContainText(
    /Just started.*to go\. For example, at \$80\.00 a week you reach \$5,000\.50 in about 62 weeks, in \w+ \d{4}\./,
  );
  await expect(card).toContainText("After a week of saving, this page uses your own pace.");
  await inspectPage(page, "overview-goal", { within: card });
  await card.getByRole("button", { name: "Remove" }).click();
  await expect(card.getByRole("button", { name: "Set a goal" })).toBeVisible();
}

test("one signature saves the selected payments of the wallet with a multiplier", async ({ page }) => {
  const saver = await openSession(page);
  // The shops' prices are random. Any change stays below this threshold.
  await page.addInitScript((key) => localStorage.setItem(key, '{"thresholdUsd":50}'), `roundup-guards:${saver.wallet}`);
  await page.goto("/dashboard");
  const pretendPurchases = page.getByRole("button", { name: "Make pretend purchases" });
  await expect(pretendPurchases).toBeVisible();
  await inspectPage(page, "overview-spend-some");
  await pretendPurchases.click();
  const card = page.getByTestId("from-wallet");
  await expect(card).toContainText("4 payments today");
  await inspectPage(page, "overview-spending");
  await findNavigationLink(page, "Save").click();
  await expect(card, "the Save page opens with the waiting payments").toContainText("4 payments today");
  await findNavigationLink(page, "Home").click();
  await card.getByText("Choose payments or multiply").click();
  await expect(card.getByRole("list"), "a cut list has a shade").toHaveCSS("background-attachment", "local, scroll");
  await card.getByRole("checkbox").first().uncheck();
  await expect(card).toContainText("3 payments");
  await card.getByText("×3", { exact: true }).click();
  await expect(card).toContainText("For these payments only.");
  const [change, sum] = /\$([\d.]+) × 3 = \$([\d.]+)\./
    .exec(await card.innerText())!
    .slice(1)
    .map(Number);
  expect(change! * 3, "the shown change times three is the shown sum").toBeCloseTo(sum!, 9);
  await inspectPage(page, "overview-spending-open");
  const save = card.getByRole("button", { name: /^Save \$/ });
  const usd = (await save.innerText()).slice("Save ".length);
  await save.click();
  const releaseReads = await holdRequests(page, "**/api/overview/**");
  const historyRead = page.waitForResponse(`**/api/activity/${saver.serviceWallet.address}*`);
  await page.getByRole("dialog").getByRole("button", { name: "Sign and save" }).click();
  const saved = findSavedDialog(page);
  await expect(saved.getByRole("button", { name: "Updating…" })).toBeVisible();
  await expect(saved, "the old balance counts no longer").not.toContainText("you can invest");
  await (await historyRead).finished();
  const main = page.locator("main");
  await expect(main).toContainText("Updating…");
  await expect(main, "the new history is not compared with the old balance").not.toContainText("all time");
  releaseReads();
  const paidUsd = Number(/You paid \$([\d.]+),/.exec(await saved.innerText())![1]);
  const networkFeeCents = Math.round((paidUsd - Number(usd.slice(1))) * 100);
  expect([0, 1], "the payment is the button's amount and the network fee").toContain(networkFeeCents);
  await saved.getByRole("link", { name: "See my savings" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Your savings" })).toBeFocused();
  await expect(page.getByTestId("nothing-spent")).toBeVisible();
  const terms = await page.evaluate((key) => localStorage.getItem(key), `roundup-terms:${saver.wallet}`);
  expect(terms, "the settings keep their multiplier").toBeNull();
  const { batches } = await callApi(`/api/spending/${saver.wallet}`, { headers: saver.credentials });
  expect(batches, "also what was unticked").toEqual([]);
  await waitForSheetHistory(page);
  await page.goto("/dashboard/round-up");
  await page.getByText("From my wallet").click();
  await expect(page.getByTestId("nothing-spent")).toBeVisible();
  await inspectPage(page, "round-up-from-wallet");
});

test("small payments are added up, and wait until they reach a dollar", async ({ page }) => {
  const saver = await openSession(page);
  // About 30 cents each. The price of SOL moves, so the test asserts no exact amount.
  await paySol(saver, [2_000_001, 2_000_002, 2_000_003]);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/dashboard");
  await expect(page.getByTestId("nothing-spent")).toContainText("Small payments wait until they reach $1.00");
  await inspectPage(page, "overview-small-waiting");
  await paySol(saver, [2_000_004]);
  await page.reload();
  const card = page.getByTestId("from-wallet");
  await expect(card).toContainText(/4 small payments, \$1\.\d\d today/);
  await card.getByText("Choose payments or multiply").click();
  const save = card.getByRole("button", { name: /^Save \$/ });
  await expect(card).toContainText(/This saves \d+ % of what you spent\./);
  const rows = card.getByRole("listitem");
  await expect(rows.first(), "the newest carries the sum").toContainText(/with small payments: \$1\.\d\d.*\$0\.\d\d$/);
  await expect(rows.filter({ hasText: /small$/ })).toHaveCount(3);
  await inspectPage(page, "overview-small-payments");
  await card.getByRole("checkbox").last().uncheck();
  await expect(card).toContainText("3 small payments, $0.");
  await expect(save, "the others would wait").toBeDisabled();
  await card.getByRole("checkbox").last().check();
  await save.click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toBeVisible();
  const { batches } = await callApi(`/api/spending/${saver.wallet}`, { headers: saver.credentials });
  expect(batches).toEqual([]);
});

/** Longer than auto-invest announces an investment, ms. */
const NOTICE_MS = 11_000;

test("auto-invest announces itself on every page, and a person can stop it before it invests", async ({
  page,
  watch,
}) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  await openSession(page, { serviceSol: 0.1 });
  await page.goto("/dashboard");
  const autoInvest = page.getByRole("switch", { name: "Auto-invest" });
  const stop = page.getByRole("button", { name: "Stop auto-invest" });
  const countdown = page.getByText(/^\$1\d\.\d\d will be invested in \d s$/);
  await page.getByText("Automatic", { exact: true }).click();
  await expect(autoInvest).not.toBeChecked();
  await autoInvest.click();
  await stop.click();
  await expect(autoInvest).not.toBeChecked();
  await expect(stop).toHaveCount(0);
  await autoInvest.click();
  await expect(countdown).toBeInViewport();
  await page.getByRole("button", { name: "Add money" }).click();
  await page.getByTestId("top-up").getByRole("button", { name: "Add $5.00" }).click();
  const sheet = page.getByRole("dialog", { name: "Review and sign" });
  await expect(sheet).toBeVisible();
  await expect(countdown, "nothing is bought under an open sheet").toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(countdown).toBeVisible();
  await waitForSheetHistory(page);
  await findNavigationLink(page, "Invest").click();
  await expect(page.getByTestId("auto-invest-on")).toContainText("It waits while you are on this page.");
  await expect(countdown).toHaveCount(0);
  const held = new Promise<() => Promise<void>>((resolve) => {
    void page.route("**/api/swap/execute", (route) => resolve(() => route.continue()), { times: 1 });
  });
  await findNavigationLink(page, "Activity").click();
  await expect(page.getByTestId("auto-invest-on")).toContainText("Buys BTC when you reach $5.00.");
  await expect(countdown).toBeInViewport();
  await inspectPage(page, "activity-by-itself");
  await page.clock.runFor(NOTICE_MS);
  const send = await held;
  await expect(page.getByText("Keep this tab open until it is done.")).toBeInViewport();
  await expect(page.getByText(/^Your investment/), "this tab is busy with it").toHaveCount(0);
  const releaseReads = await holdRequests(page, /\/api\/(overview|portfolio)\//);
  await send();
  const bought = page.getByText("Invested automatically", { exact: true });
  await expect(bought, "the old balance starts no second investment").toBeInViewport();
  await expect(countdown).toHaveCount(0);
  releaseReads();
  expect(await bought.evaluate((node) => node.closest(".fixed")), "covers nothing").toBeNull();
  await expect(page.getByTestId("success")).toContainText(/^\$1\d\.\d\d(About )?0\.000\d+ BTCPaid 0\.\d+ SOL/);
  await expect(page.getByRole("link", { name: "View Bought BTC" })).toHaveAttribute("href", /^\/tx\/\w{80,}$/);
  await findNavigationLink(page, "Home").click();
  await expect(page.getByRole("row").filter({ hasText: "BTC" })).toBeVisible();
  await page.getByText("Automatic", { exact: true }).click();
  await expect(autoInvest, "another page does not end it").toBeChecked();
  await page.reload();
  await expect(page.getByText("Auto-invest is paused")).toBeVisible();
  await expect(page.getByText("Auto-invest (paused) and weekly top-up")).toBeVisible();
  await page.getByText("Automatic", { exact: true }).click();
  await expect(autoInvest, "the key is gone with the page").not.toBeChecked();
  await page.getByRole("button", { name: "Resume" }).click();
  await expect(autoInvest).toBeChecked();
  await page.getByTestId("auto-invest-on").getByRole("button", { name: "Turn off" }).click();
  await expect(autoInvest).not.toBeChecked();
  await topUpWeekly(page);
  await page.keyboard.press("Escape");
  await waitForSheetHistory(page);
  const refusal = { status: 400, json: { ok: false, error: "Refused by the test.", code: "invalid_request" } };
  await page.route("**/api/swap/build", (route) => route.fulfill(refusal));
  await autoInvest.click();
  await expect(page.getByText(/will be invested in/).first()).toBeVisible();
  await page.clock.runFor(NOTICE_MS);
  const turnedOff = page.getByText("Auto-invest turned off", { exact: true });
  await expect(turnedOff).toBeVisible();
  await findNavigationLink(page, "Invest").click();
  await expect(page.getByRole("heading", { name: "Invest", level: 1 })).toBeVisible();
  await expect(turnedOff).toHaveCount(0);
  await findNavigationLink(page, "Home").click();
  await expect(turnedOff, "until it is closed").toBeVisible();
  await expect(page.getByText("Refused by the test.")).toBeVisible();
  await page.context().setOffline(true);
  await page.getByRole("button", { name: "Turn on again" }).click();
  await expect(page.getByTestId("auto-invest-on")).toBeVisible();
  await expect(turnedOff).toHaveCount(0);
  await expect(page.getByText(/will be invested in/), "no countdown while offline").toHaveCount(0);
  await page.context().setOffline(false);
  await expect(page.getByText(/will be invested in/).first()).toBeVisible();
  await stop.click();
});

/** Adds the week's amount, once: asked again, the service refuses the same period, as after `roundup watch`. */
async function topUpWeekly(page: Page) {
  const startWeekly = async () => {
    await page.getByLabel("Amount each week").fill("5");
    await page.getByRole("button", { name: "Start" }).dblclick();
    await expect(page.getByText("weekly top-up (on)")).toBeVisible();
    await page.getByRole("button", { name: "Add this week’s $5.00" }).click();
  };
  const weeks = [toIsoWeek(Date.now())];
  const topupRequest = page.waitForRequest("**/api/topup");
  await startWeekly();
  weeks.push(toIsoWeek(Date.now()));
  expect(weeks).toContain((await topupRequest).postDataJSON().period);
  await page.getByRole("dialog").getByRole("button", { name: "Sign and add" }).click();
  await expect(page.getByRole("dialog", { name: "Added" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.getByText("$5.00 every week, done for this week")).toBeVisible();
  await waitForSheetHistory(page);
  await page.getByRole("button", { name: "Stop weekly top-up" }).click();
  await startWeekly();
  await expect(page.getByText("$5.00 every week, done for this week")).toBeVisible();
}

test("the overview takes three calls to load and one call a minute afterwards", async ({ page }) => {
  const saver = await openSession(page, { sol: 1 });
  await saveRoundUps(saver, [4.02]);
  await page.clock.install();
  const calls: string[] = [];
  // Responses from the browser's cache do not reach the service.
  page.on("response", async (response) => {
    const path = new URL(response.url()).pathname;
    if (path.startsWith("/api/") && path !== "/api/plans") calls.push(path);
  });
  await page.goto("/dashboard");
  await expect(page.getByTestId("activity-list").getByRole("listitem")).toHaveCount(1);
  await page.getByText("More", { exact: true }).click();
  await expect(page.getByText("At the price of each day.")).toBeVisible();
  await expect(page.getByText("As a table"), "this part loads last").toBeVisible();
  expect(calls.length, calls.join()).toBeLessThanOrEqual(3);
  calls.length = 0;
  await page.clock.runFor(61_000);
  await expect.poll(() => calls).toEqual([`/api/overview/${saver.wallet}`]);
  await expect(page.getByRole("main")).toContainText("$0.00 all time");
  await fund(saver.serviceWallet.address, 1);
  await expect.poll(() => countActivity(saver.serviceWallet.address, "deposit")).toBe(1);
  await page.clock.runFor(61_000);
  await expect(page.getByTestId("activity-list"), "from another device").toContainText("Received");
  await expect(page.getByRole("main"), "is not shown as a gain").toContainText("$0.00 all time");
  expect(calls.slice(1)).toEqual([`/api/overview/${saver.wallet}`, `/api/activity/${saver.serviceWallet.address}`]);
});
