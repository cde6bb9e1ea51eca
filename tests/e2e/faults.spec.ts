import type { Locator, Page } from "@playwright/test";
import { expect, FAILED_REQUEST, type FaultyApp, inspectPage, test } from "./support/faulty-app";
import {
  findNavigationLink,
  findSavedDialog,
  openConsole,
  pauseClock,
  reviewPurchase,
  sendCall,
} from "./support/flows";
import { openSession } from "./support/session";

interface View {
  name: string;
  path: string;
  /** Prefix of the path of the request that the view requires. */
  readPath: string;
  loadingText: string;
  failureTitle: string;
  findContent(page: Page): Locator;
}

const SAVINGS_TEXTS = { loadingText: "Reading your savings", failureTitle: "Your savings cannot be read right now" };

const VIEWS: View[] = [
  {
    ...SAVINGS_TEXTS,
    name: "Home",
    path: "/dashboard",
    readPath: "/api/overview/",
    findContent: (page) => page.getByTestId("investable-usd"),
  },
  {
    ...SAVINGS_TEXTS,
    name: "Invest",
    path: "/dashboard/invest",
    readPath: "/api/portfolio/",
    findContent: (page) => page.getByRole("button", { name: "Review the investment" }),
  },
  {
    ...SAVINGS_TEXTS,
    name: "Withdraw",
    path: "/dashboard/withdraw",
    readPath: "/api/portfolio/",
    findContent: (page) => page.getByRole("button", { name: "Review the withdrawal" }),
  },
  {
    name: "Activity",
    path: "/dashboard/activity",
    readPath: "/api/activity/",
    loadingText: "Reading the activity",
    failureTitle: "The activity cannot be read right now",
    findContent: (page) => page.getByTestId("activity-list"),
  },
  {
    name: "Keys",
    path: "/dashboard/keys",
    readPath: "/api/keys",
    loadingText: "Loading your keys",
    failureTitle: "Your keys could not be read",
    findContent: (page) => page.getByText("No keys yet"),
  },
];

const findAlerts = (page: Page) => page.getByRole("main").getByRole("alert");

const CHUNK = /\/_next\/static\/chunks\/.*\.js/;

/** Fails the first two downloads of each part that the dashboard loads after its HTML. */
async function failDownloadsTwice(page: Page, app: FaultyApp): Promise<void> {
  const html = await (await fetch(`${app.url}/dashboard`)).text();
  const tries = new Map<string, number>();
  await page.route(CHUNK, (route) => {
    const { pathname } = new URL(route.request().url());
    const count = (tries.get(pathname) ?? 0) + 1;
    tries.set(pathname, count);
    return html.includes(pathname) || count > 2 ? route.fallback() : route.abort();
  });
}

const openSaverSession = (page: Page, app: FaultyApp) => openSession(page, { base: app.url, sol: 1, serviceSol: 0.02 });

const clickUntil = (button: Locator, check: () => Promise<void>) =>
  expect(async () => {
    if (await button.isVisible()) await button.click({ timeout: 500 });
    await check();
  }).toPass();

async function useUpLimit(app: FaultyApp, address: string): Promise<void> {
  for (;;) {
    const { status } = await fetch(`${app.url}/api/auth`, { headers: { "x-forwarded-for": address } });
    if (status === 429) return;
  }
}

for (const view of VIEWS) {
  test(`${view.name} recovers from each failure without showing zeros`, async ({ page, app, front, watch }) => {
    watch.allow(FAILED_REQUEST);
    await openSaverSession(page, app);
    front.startFault(view.readPath, "hold");
    await page.goto(view.path);
    await expect(page.getByRole("status").filter({ hasText: view.loadingText })).toBeVisible();
    await inspectPage(page, `faults-${view.name.toLowerCase()}-slow`);

    front.startFault(view.readPath, "bad-gateway");
    front.endFaults("nothing");
    const failure = findAlerts(page).filter({ hasText: view.failureTitle });
    await expect(failure).toContainText("The service gave an answer that cannot be read.");
    await expect(failure).toContainText("front-0001");
    await expect(page.getByRole("main")).not.toContainText("$0.00");

    const tryAgain = failure.getByRole("button", { name: "Try again" });
    front.startFault(view.readPath, "hold");
    await tryAgain.click();
    await expect(tryAgain).toHaveAttribute("aria-busy", "true");
    front.startFault(view.readPath, "cut");
    front.endFaults("nothing");
    await expect(failure).toContainText("The service cannot be reached. Check your connection.");
    front.endFaults();
    // The keys do not need the chain.
    if (view.name !== "Keys") {
      await app.startFault("*");
      await tryAgain.click();
      await expect(failure.getByText(/^Request/)).toBeVisible();
      await expect(page.getByRole("main")).not.toContainText("$0.00");
      await inspectPage(page, `faults-${view.name.toLowerCase()}-failed`);
      await app.removeFaults();
    }
    // Parts of a view that load separately have their own retry.
    await clickUntil(findAlerts(page).getByRole("button", { name: "Try again" }).first(), async () => {
      await expect(view.findContent(page)).toBeVisible({ timeout: 500 });
      await expect(findAlerts(page)).toHaveCount(0, { timeout: 500 });
    });
  });
}

test("Home treats unreadable payments as unknown, and reads them again without a click", async ({
  page,
  app,
  watch,
}) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  await openSession(page, { base: app.url, sol: 1 });
  await app.startFault("getSignaturesForAddress");
  await page.goto("/dashboard");
  await expect(findAlerts(page).filter({ hasText: "Your payments cannot be read right now" })).toBeVisible();
  await expect(page.getByTestId("total-usd")).toHaveText("$0.00");
  await expect(page.getByRole("button", { name: "Make pretend purchases" })).toHaveCount(0);
  await app.removeFaults();
  // The service asks the node again only some seconds after its failures.
  await expect(async () => {
    await page.clock.runFor(16_000);
    await expect(page.getByRole("button", { name: "Make pretend purchases" })).toBeVisible({ timeout: 2_000 });
    await expect(findAlerts(page)).toHaveCount(0, { timeout: 2_000 });
  }).toPass();
});

test("a rate-limited view counts down and resumes after the minute", async ({ page, app, address, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  await openSaverSession(page, app);
  await page.goto("/dashboard/keys");
  await expect(page.getByText("No keys yet")).toBeVisible();
  const otherViews = VIEWS.filter(({ name }) => name !== "Keys");
  const limitLine = page.getByTestId("limit-line");
  const readSeconds = async () => Number(/Resuming in (\d+) s/.exec(await limitLine.innerText())?.[1]);
  for (const view of otherViews) {
    // Use up the limit for each view: on a slow machine the minute ends before all have been checked.
    await useUpLimit(app, address);
    await findNavigationLink(page, view.name).click();
    await expect(page.getByRole("status").filter({ hasText: view.loadingText })).toBeVisible();
    await expect.poll(readSeconds).toBeGreaterThan(0);
    await expect(findAlerts(page)).toHaveCount(0);
  }
  const seconds = await readSeconds();
  await page.clock.fastForward(3_000);
  await expect.poll(readSeconds).toBeLessThanOrEqual(seconds - 3);
  await inspectPage(page, "faults-limited");
  await app.advanceClock();
  await page.clock.fastForward(61_000);
  for (const view of otherViews) {
    await findNavigationLink(page, view.name).click();
    await expect(view.findContent(page)).toBeVisible();
  }
  // A call may be under way while both clocks jump. Its refusal then names one more minute.
  await expect(async () => {
    await page.clock.fastForward(61_000);
    await expect(limitLine).toBeEmpty({ timeout: 2_000 });
  }).toPass();
});

test("a rate limit after the review delays the saving without an error", async ({ page, app, address, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  await openSaverSession(page, app);
  await page.goto("/dashboard/round-up");
  await reviewPurchase(page, "27.03");
  await pauseClock(page);
  await useUpLimit(app, address);
  await page.clock.resume();
  const review = page.getByRole("dialog");
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(review.getByTestId("limit-line")).toContainText("Resuming in");
  await expect(review.getByRole("alert")).toHaveCount(0);
  await inspectPage(page, "faults-limited-sheet");
  await app.advanceClock();
  await page.clock.fastForward(61_000);
  await expect(findSavedDialog(page)).toBeVisible();
});

test("the pages neither build with stale prices nor show a missing price as zero", async ({ page, app, watch }) => {
  watch.allow(FAILED_REQUEST);
  await openSaverSession(page, app);
  await page.goto("/dashboard");
  await expect(page.getByTestId("pending-usd")).toHaveText("$3.00");
  await app.startFault("/price/v3");
  await app.advanceClock();
  await page.reload();
  await expect(page.getByText("There is no fresh price right now, so nothing is saved or invested.")).toBeVisible();
  await expect(page.getByText(/1 SOL = \$150\.00\. Updated ([78]\d s|2 min) ago/)).toBeVisible();
  await expect(page.getByTestId("pending-usd")).toHaveText("$3.00");
  await inspectPage(page, "faults-price-old");
  const nextStep = page.getByRole("region", { name: "What comes next" });
  await expect(nextStep).toHaveAttribute("data-next-action", "wait-price");

  await page.goto("/dashboard/invest");
  await page.getByText("Limits").click();
  await page.getByLabel("Minimum to invest", { exact: true }).fill("1");
  await page.getByRole("button", { name: "Review the investment" }).click();
  await expect(findAlerts(page)).toContainText("price");
  await expect(findAlerts(page).getByRole("button", { name: /Try again/ })).toBeVisible();
  await inspectPage(page, "faults-price-old-invest");

  for (let i = 0; i < 4; i++) await app.advanceClock();
  await page.goto("/dashboard");
  await expect(page.getByText("Prices are unavailable right now.").first()).toBeVisible();
  await expect(page.getByTestId("pending-usd").getByText("unknown")).toBeAttached();
  await expect(page.getByRole("main")).toContainText("0.02 SOL");
  await expect(page.getByText("$0.00"), "only the holding of no token is known to be zero").toHaveCount(1);
  await expect(page.getByTestId("invested-usd")).toHaveText("$0.00");
  await inspectPage(page, "faults-price-unknown");

  await app.removeFaults();
  await clickUntil(nextStep.getByRole("button", { name: "Check again" }), () =>
    expect(nextStep).not.toHaveAttribute("data-next-action", "wait-price", { timeout: 1_000 }),
  );
});

test("figures stay visible with a note when a refresh fails", async ({ page, app, front, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  await openSaverSession(page, app);
  await page.goto("/dashboard");
  await expect(page.getByTestId("pending-usd")).toHaveText("$3.00");
  const growth = page.getByRole("region", { name: "Value over time" });
  // This loads separately and last. Data that is a minute old by then is requested again.
  await expect(growth.getByText("As a table")).toBeVisible();
  front.startFault("/api/overview/", "bad-gateway");
  await page.clock.runFor(61_000);
  await expect(page.getByText("These figures are from before:")).toBeVisible();
  await expect(page.getByTestId("pending-usd")).toHaveText("$3.00");
  await inspectPage(page, "faults-from-before");
  front.startFault("/api/activity/", "bad-gateway");
  await findNavigationLink(page, "Settings").click();
  // Navigation was cancelled before the page loaded, so nothing is read again.
  await expect(page.getByRole("heading", { level: 1, name: "Settings" })).toBeVisible();
  await findNavigationLink(page, "Home").click();
  await expect(growth, "an outdated chart says so").toContainText("These figures are from before:");
  front.endFaults();
  const retryButton = page
    .getByRole("status")
    .filter({ hasText: "from before" })
    .getByRole("button", { name: "Try again" });
  await clickUntil(retryButton.first(), () =>
    expect(page.getByText("These figures are from before:")).toHaveCount(0, { timeout: 500 }),
  );
});

test("every view keeps its data while the browser is offline", async ({ page, app, context, watch }) => {
  watch.allow(FAILED_REQUEST);
  watch.allow(/ChunkLoadError/);
  await openSaverSession(page, app);
  await page.goto("/dashboard");
  await failDownloadsTwice(page, app);
  // The page that has just been reloaded reloads once more when the prefetched parts of the next view did not download.
  await page.reload();
  await expect(page.getByText("As a table")).toBeVisible();
  await page.unroute(CHUNK);
  const roundUp = { name: "Save", findContent: (page: Page) => page.getByLabel("You paid") };
  for (const view of [roundUp, ...VIEWS]) {
    await findNavigationLink(page, view.name === "Keys" ? "Settings" : view.name).click();
    if (view.name === "Keys") await page.getByRole("link", { name: "API keys" }).click();
    await expect(view.findContent(page)).toBeVisible();
    await context.setOffline(true);
    await page.evaluate(() => window.scrollTo({ top: document.body.scrollHeight, behavior: "instant" }));
    await expect(page.getByText("You are offline"), "wherever the person has scrolled to").toBeInViewport();
    await expect(view.findContent(page)).toBeVisible();
    if (view.name === "Home") {
      await findNavigationLink(page, "Invest").click();
      await expect(page.getByText("Invest cannot open until then."), "a click is not lost silently").toBeInViewport();
      await inspectPage(page, "faults-offline");
      await expect(page).toHaveURL(/\/dashboard$/);
    }
    await context.setOffline(false);
    await expect(page.getByText("You are offline")).toHaveCount(0);
  }
  await context.setOffline(true);
  await page.getByRole("button", { name: "Generate key" }).click();
  const failure = findAlerts(page).filter({ hasText: "The key was not created" });
  await expect(failure).toContainText("The service cannot be reached.");
  await context.setOffline(false);
  await failure.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: /^Your new key/ })).toBeVisible();
});

test("a lookup shows the balances when the threshold fails to load", async ({ page, app, front, watch }) => {
  watch.allow(FAILED_REQUEST);
  const saver = await openSaverSession(page, app);
  await page.goto("/");
  await page.getByLabel("Wallet address").fill(saver.serviceWallet.address);
  front.startFault("/api/accumulator/", "bad-gateway");
  await page.getByRole("button", { name: "Look up" }).click();
  await expect(page.getByRole("region", { name: "Balances" })).toContainText("$3.00");
  const minimum = page.getByRole("region", { name: "Minimum to invest" });
  await expect(minimum).toContainText("The minimum to invest did not load");
  await inspectPage(page, "faults-lookup");
  front.endFaults();
  // The page retries after some seconds too, which removes the button.
  await clickUntil(minimum.getByRole("button", { name: "Try again" }), () =>
    expect(minimum).toContainText("$2.00 more to reach the usual minimum to invest", { timeout: 500 }),
  );
});

test("the documentation's console forgets an answer when it is offline, and counts down after a rate-limit refusal", async ({
  page,
  app,
  front,
  address,
  watch,
}) => {
  watch.allow(FAILED_REQUEST);
  await page.clock.install();
  await page.goto("/docs");
  const prices = await openConsole(page, "get-prices");
  await sendCall(prices, "200 Success");
  front.startFault("/api/price", "cut");
  await prices.getByRole("button", { name: "Send" }).click();
  await expect(prices).toContainText("The service cannot be reached. Check your connection and send it again.");
  front.startFault("/api/price", "hold");
  await prices.getByRole("button", { name: "Send" }).click();
  await expect(prices).not.toContainText("The service cannot be reached");
  await expect(prices.getByTestId("answer"), "of an earlier call").toHaveCount(0);
  front.endFaults();
  await expect(prices.getByTestId("answer")).toContainText("200 Success");
  await useUpLimit(app, address);
  await sendCall(prices, "429 Refused");
  await expect(prices.getByRole("button", { name: /^Send again in \d+ s$/ })).toBeDisabled();
  await app.advanceClock();
  await page.clock.fastForward(61_000);
  await prices.getByRole("button", { name: "Send again" }).click();
  await expect(prices.getByTestId("answer")).toContainText("200 Success");
});

test("a person can retry each step of the set-up once the service is back", async ({ page, front, app, watch }) => {
  watch.allow(FAILED_REQUEST);
  await page.goto("/dashboard");
  // Start before the step that reads the text, because the browser caches the text for some minutes.
  front.startFault("/api/auth", "cut");
  await page.getByRole("button", { name: /^Demo wallet/ }).click();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(findAlerts(page)).toContainText("You seem to be offline");
  front.endFaults();
  await findAlerts(page).getByRole("button", { name: "Try again" }).click();
  front.startFault("/api/wallet/derive", "bad-gateway");
  await page.getByRole("button", { name: "Create my savings wallet" }).click();
  await expect(findAlerts(page)).toContainText("The service gave an answer that cannot be read.");
  await inspectPage(page, "faults-onboarding");
  front.endFaults();
  await findAlerts(page).getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { name: "You are set up" })).toBeVisible();
  await app.startFault("requestAirdrop");
  await page.getByRole("button", { name: "Get play money" }).click();
  await expect(findAlerts(page)).toBeVisible();
  await app.removeFaults();
  await findAlerts(page).getByRole("button", { name: "Try again" }).click();
  await expect(page.getByText("2 SOL and 50 USDC of play money are in your wallet")).toBeVisible();
});
