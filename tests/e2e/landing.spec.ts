import { formatRoundUsd } from "../../app/_components/money";
import { computeMonthlyPace } from "../../app/_landing/calculator-fields";
import { computeYear } from "../../app/_landing/year";
import { formatExactUsd, fromMicroUsd, toMicroUsd } from "../../lib/domain/money";
import { PLANS, type PlanName } from "../../lib/domain/plans";
import { projectSavings } from "../../lib/domain/projection";
import { roundUp, splitFee, toRoundUpTerms } from "../../lib/domain/round-up";
import { expect, FAILED_REQUEST, inspectAll, test } from "./support/fixtures";
import { createSaver, fund, invest, registerServiceWallet, roundUp as save } from "./support/service";

interface Terms {
  plan?: PlanName;
  roundToUsd?: number;
  ceiling: number;
}

/** Returns the expected result, computed by the server's own rounding functions. */
function computeExpected(usd: number, terms: Terms) {
  const { feeBps, ...rounding } = toRoundUpTerms(terms);
  const change = roundUp(toMicroUsd(usd), rounding);
  const { fee, investment } = splitFee(change.microUsd, feeBps);
  const text = (microUsd: bigint) => formatExactUsd(fromMicroUsd(microUsd));
  return { ...change, saved: text(change.microUsd), fee: text(fee), investment: text(investment) };
}

/** A purchase on each plan and on a custom step. One saves nothing, and two are cut by the ceiling. */
const PURCHASES: [usd: number, terms: Terms][] = [
  [4.98, { plan: "seed", ceiling: 0.07 }],
  [999.99, { plan: "sprout", ceiling: 1 }],
  [1234.567891, { plan: "tree", ceiling: 0.07 }],
  [12, { plan: "forest", ceiling: 100 }],
  [27.63, { roundToUsd: 0.333333, ceiling: 1 }],
  [27.63, { roundToUsd: 100, ceiling: 70 }],
];

test("the calculator shows the service's round-up on every plan and a custom step", async ({ page }) => {
  await page.goto("/");
  const result = page.getByTestId("calculator-result");
  await page.getByText("Set a limit").click();
  for (const [usd, terms] of PURCHASES) {
    const { plan, roundToUsd, ceiling } = terms;
    await page.getByLabel("Save at most").fill(String(ceiling));
    await page.getByRole("radio", { name: plan ? PLANS[plan].name : "Custom" }).check();
    if (roundToUsd) await page.getByLabel("Round up to the next multiple of").fill(String(roundToUsd));
    await page.getByLabel("You pay").fill(String(usd));
    const answer = computeExpected(usd, terms);
    await expect(result).toContainText(`you save${answer.saved}`);
    if (answer.skipped) {
      await expect(result).toContainText("nothing is saved and nothing is charged");
      continue;
    }
    await expect(result.getByText("Into your own wallet").locator("xpath=..")).toContainText(answer.investment);
    await expect(result.getByText(/^Service fee/).locator("xpath=..")).toContainText(answer.fee);
    await expect(result.getByText("Your limit cuts it")).toHaveCount(answer.capped ? 1 : 0);
  }
});

test("the page keeps values that a visitor entered before its code loaded", async ({ page }) => {
  let release = () => {};
  const releaseSignal = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/*.js", (route) => releaseSignal.then(() => route.continue()));
  const navigation = page.goto("/");
  await page.getByLabel("You pay").fill("4.98");
  await page.getByRole("radio", { name: "Seed" }).check();
  await page.getByText("Compare plans and costs").click();
  await page.getByText("20 years").click();
  await page.getByLabel("Wallet address").fill("abc");
  release();
  await navigation;
  await expect(page.getByTestId("calculator-result")).toContainText(
    `you save${computeExpected(4.98, { plan: "seed", ceiling: 1 }).saved}`,
  );
  await expect(page.getByRole("radio", { name: "Seed" })).toBeChecked();
  await expect(page.getByTestId("plan-years")).toBeVisible();
  await expect(page.getByRole("radio", { name: "20 years" })).toBeChecked();
  await expect(page.getByText("20 years", { exact: true }), "the choice, and the end of the chart").toHaveCount(2);
  await page.getByRole("button", { name: "Look up" }).click();
  await expect(page.getByLabel("Wallet address")).toHaveAccessibleDescription("An address has 32 to 44 characters.");
});

test("an invalid value shows an error instead of a result", async ({ page }) => {
  await page.goto("/");
  const pay = page.getByLabel("You pay");
  for (const [text, words] of [
    ["", "Type an amount."],
    ["abc", "Write the amount with digits, like 27.63."],
    ["-3", "Write the amount with digits, like 27.63."],
    ["1000001", "At most $1,000,000.00."],
  ] as const) {
    await pay.fill(text);
    await expect(pay).toHaveAccessibleDescription(words);
    await expect(pay).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByTestId("calculator-result")).toHaveText(
      "Correct the amounts above and the round-up shows here.",
    );
  }
  await inspectAll(page, "landing-invalid");
});

test("the yearly result depends on purchases, amounts and frequency", async ({ page }) => {
  await page.goto("/");
  await page.getByText("Compare plans and costs").click();
  const years = page.getByTestId("plan-years");
  const tree = years.getByRole("listitem").filter({ hasText: "Tree" });
  await page.getByLabel("Purchases a week").fill("10");
  await page.getByLabel("What you usually pay (optional)").fill("4.98 27.63");
  // 260 × 0.02 plus 260 × 0.37, with the fee of 0.5 % floored each time.
  await expect(tree).toContainText("$100.89");
  await expect(tree).toContainText("0.0026 SOL");
  await page.getByLabel("You save").selectOption("once a week, together");
  await expect(tree).toContainText("0.00026 SOL");
  await inspectAll(page, "landing-plans");
  await page.getByLabel("Purchases a week").fill("1.5");
  await expect(page.getByLabel("Purchases a week")).toHaveAccessibleDescription("A whole number, please.");
  await expect(tree.getByText("unknown").first()).toBeAttached();
  await expect(page.getByRole("region", { name: "Growth" })).toContainText("Correct the amounts above.");
});

test("the projection depends on plan, purchases, years and growth", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("radio", { name: "Recommended Forest" })).toBeChecked();
  const figures = page.getByTestId("projection");
  const expectProjection = async (choice: PlanName, perWeek: number, years: number, percent: number) => {
    const year = computeYear({ choice, incrementUsd: 0, ceilingUsd: 1 }, perWeek, [27.63]);
    const terms = {
      startMicroUsd: 0n,
      perMonthMicroUsd: computeMonthlyPace(year),
      growthBps: BigInt(percent * 100),
      years,
    };
    const { plainMicroUsd, grownMicroUsd } = projectSavings(terms).at(-1)!;
    await expect(figures).toContainText(`a year${formatRoundUsd(fromMicroUsd(grownMicroUsd))}`);
    await expect(figures, "plain money stands beside it").toContainText(
      `Without growth${formatRoundUsd(fromMicroUsd(plainMicroUsd))}`,
    );
  };
  await expectProjection("forest", 15, 10, 5);
  await page.getByRole("radio", { name: "Tree" }).check();
  await page.getByLabel("Purchases a week").fill("20");
  await page.getByText("20 years").click();
  const growth = page.getByRole("slider", { name: "Growth a year" });
  await expect(growth).toHaveAccessibleName(/An assumption, not a promise/);
  await growth.press("Home");
  await expect(growth).toHaveAttribute("aria-valuetext", "−10 %");
  await expectProjection("tree", 20, 20, -10);
});

test("the landing page has at most 276 words", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByText("Sandbox", { exact: true })).toBeVisible();
  const words = (await page.getByRole("main").innerText()).split(/\s+/).filter((word) => word !== "");
  expect(words.length).toBeLessThanOrEqual(276);
});

test("the picture of the landing page follows the chosen colours", async ({ page }) => {
  await page.goto("/");
  for (const theme of ["light", "dark"]) {
    await page.context().addCookies([{ name: "theme", value: theme, url: page.url() }]);
    await page.reload();
    const picture = page.getByRole("img", { name: /^The overview on a phone/ });
    await picture.scrollIntoViewIfNeeded();
    await expect(picture).toHaveAttribute("src", `/dashboard-${theme}.webp`);
    await expect.poll(() => picture.evaluate((img) => (img as HTMLImageElement).naturalWidth)).toBe(585);
  }
});

test("the landing page loads no wallet code before the visitor chooses a wallet", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  await page.goto("/");
  await expect(page.getByText("Play money only.")).toBeVisible();
  const top = async (name: string) => (await page.getByRole("heading", { name }).boundingBox())!.y;
  expect(await top("Questions"), "the questions come before the projection").toBeLessThan(
    await top("Where it could go"),
  );
  await inspectAll(page, "landing");
  const sources = await Promise.all(scripts.map(async (url) => (await fetch(url)).text()));
  expect(
    sources.some((source) => source.includes("wallet-standard:app-ready")),
    "wallet code before the visitor chooses a wallet",
  ).toBe(false);
  await page.getByRole("link", { name: "Use my own wallet" }).click();
  await expect(page.getByRole("heading", { name: "Set up in three steps" })).toBeVisible();
});

test("the start link of a returning person shows the value of their savings", async ({ page }) => {
  const saver = createSaver();
  await fund(saver.service.address, 0.1);
  await page.addInitScript(
    ([wallet, address]) => {
      localStorage.setItem(`roundup-service-wallet:${wallet}`, address!);
      localStorage.setItem(`roundup-service-network:${wallet}`, "sandbox");
      localStorage.setItem("walletName", '"Demo wallet"');
    },
    [saver.wallet, saver.service.address],
  );
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Continue · $15.00" })).toHaveAttribute("href", "/dashboard");
});

test("a visitor can look up any address without a wallet", async ({ page, watch }) => {
  const saver = createSaver();
  await registerServiceWallet(saver);
  await fund(saver.wallet, 3);
  await save(
    saver,
    Array.from({ length: 20 }, () => 1.5),
  );
  await invest(saver);
  await fund(saver.service.address, 0.01);
  await page.goto("/");
  const field = page.getByLabel("Wallet address");
  const lookUp = async (address: string) => {
    await field.fill(address);
    await page.getByRole("button", { name: "Look up" }).click();
  };
  await lookUp("");
  await expect(field).toHaveAccessibleDescription("Paste an address first.");
  await lookUp("0OIl");
  await expect(field).toHaveAccessibleDescription("An address has only letters and digits, without 0, O, I and l.");
  await lookUp("abc");
  await expect(field).toHaveAccessibleDescription("An address has 32 to 44 characters.");

  await lookUp(saver.service.address);
  const balances = page.getByRole("region", { name: "Balances" });
  await expect(balances.getByRole("row").filter({ hasText: "BTC" })).toContainText("$");
  await expect(balances.getByRole("row").filter({ hasText: "SOL" })).toContainText("$1.");
  await expect(page.getByRole("region", { name: "Threshold" })).toContainText("more to reach the usual goal of $5.00");
  await inspectAll(page, "landing-lookup");

  await lookUp(saver.wallet);
  await expect(page.getByRole("region", { name: "Threshold" })).toContainText("goal of $5.00 is reached");

  await lookUp(createSaver().wallet);
  await expect(balances).toContainText("Nothing at this address yet");
  await inspectAll(page, "landing-lookup-empty");

  watch.allow(FAILED_REQUEST);
  // The length is valid, but the value exceeds 32 bytes.
  await lookUp("z".repeat(44));
  await expect(page.getByTestId("lookup-result").getByRole("alert")).toContainText("This is not a wallet's address");
  await inspectAll(page, "landing-lookup-refused");

  await lookUp("2".repeat(88));
  await expect(page.getByLabel("Wallet address")).toHaveAccessibleDescription(
    /Activity in the dashboard finds a signature/,
  );
  await page.goto(`/tx/${"2".repeat(88)}`);
  await expect(page.getByText("Then this page shows the transaction")).toBeVisible();
});

test("the server sends every icon, manifest and picture of the page's head", async ({ page }) => {
  await page.goto("/");
  const links = await page
    .locator("head")
    .locator("link[rel*=icon], link[rel=manifest]")
    .evaluateAll((all) => all.map((link) => (link as HTMLLinkElement).href));
  const picture = await page.locator('head > meta[property="og:image"]').getAttribute("content");
  expect(picture, "this app has no PUBLIC_URL").toBe("/social.png");
  expect(links.length).toBe(4);
  for (const address of [...links, picture!]) {
    const answer = await page.request.get(address);
    expect(answer.status(), address).toBe(200);
    expect(answer.headers()["content-type"], address).toMatch(/^image\/|^application\/manifest\+json/);
  }
});
