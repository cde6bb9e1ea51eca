import { formatExactUsd } from "../../lib/domain/money";
import { PLANS } from "../../lib/domain/plans";
import { type PlanOrCustom, previewRoundUp } from "../../lib/sdk/preview-round-up";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { holdRequests } from "./support/flows";
import { createSaver, fund, investSavings, registerServiceWallet, saveRoundUps } from "./support/service";

/** A purchase on each plan and on a custom step. One saves nothing, and two are cut by the ceiling. */
const PURCHASES: [purchaseUsd: number, ceilingUsd: number, choice: PlanOrCustom, incrementUsd?: number][] = [
  [4.98, 0.07, "seed"],
  [999.99, 1, "sprout"],
  [1234.567891, 0.07, "tree"],
  [12, 100, "forest"],
  [27.63, 1, "custom", 0.333333],
  [27.63, 70, "custom", 100],
];

// tests/unit/sdk/preview-round-up.test.ts holds the preview equal to the service's round-up.
test("the calculator shows the previewed round-up on every plan and a custom step", async ({ page }) => {
  await page.goto("/");
  const result = page.getByTestId("calculator-result");
  await page.getByText("Set a limit").click();
  for (const [purchaseUsd, ceilingUsd, choice, incrementUsd = 0] of PURCHASES) {
    await page.getByLabel("Save at most").fill(String(ceilingUsd));
    await page.getByRole("radio", { name: choice === "custom" ? "Custom" : PLANS[choice].name }).check();
    if (choice === "custom") await page.getByLabel("Round up to the next multiple of").fill(String(incrementUsd));
    await page.getByLabel("You pay").fill(String(purchaseUsd));
    const preview = previewRoundUp(purchaseUsd, { choice, ceilingUsd, incrementUsd });
    await expect(result).toContainText(`you save${formatExactUsd(preview.roundUpUsd)}`);
    if (preview.skipped) {
      await expect(result).toContainText("nothing is saved and nothing is charged");
      continue;
    }
    const findRow = (label: string | RegExp) => result.getByText(label).locator("xpath=..");
    await expect(findRow("Into your own wallet")).toContainText(formatExactUsd(preview.investedUsd));
    await expect(findRow(/^Service fee/)).toContainText(formatExactUsd(preview.feeUsd));
    await expect(result.getByText("Your limit cuts it")).toHaveCount(preview.capped ? 1 : 0);
  }
});

test("the page keeps values that a visitor entered before its code loaded", async ({ page }) => {
  const release = await holdRequests(page, "**/*.js");
  const navigation = page.goto("/");
  await page.getByLabel("You pay").fill("4.98");
  await page.getByRole("radio", { name: "Seed" }).check();
  await page.getByText("Compare plans and costs").click();
  await page.getByText("20 years").click();
  await page.getByLabel("Wallet address").fill("abc");
  release();
  await navigation;
  await expect(page.getByTestId("calculator-result")).toContainText("you save$0.02");
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
  for (const [text, explanation] of [
    ["", "Type an amount."],
    ["abc", "Write the amount with digits, like 27.63."],
    ["-3", "Write the amount with digits, like 27.63."],
    ["1000001", "At most $1,000,000.00."],
    ["1.500", "This can mean 1.5 or 1500. Write one of these."],
    ["5 €", "Write the amount in US dollars, not in €."],
  ] as const) {
    await pay.fill(text);
    await expect(pay).toHaveAccessibleDescription(explanation);
    await expect(pay).toHaveAttribute("aria-invalid", "true");
    await expect(page.getByTestId("calculator-result")).toHaveText(
      "Correct the amounts above and the change shows here.",
    );
  }
  await pay.fill("٢٧٫٦٣");
  await expect(page.getByTestId("calculator-result")).toContainText("$0.37");
  await pay.fill("5 €");
  await inspectPage(page, "landing-invalid");
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
  await inspectPage(page, "landing-plans");
  await page.getByLabel("Purchases a week").fill("1.5");
  await expect(page.getByLabel("Purchases a week")).toHaveAccessibleDescription("A whole number, please.");
  await expect(tree.getByText("unknown").first()).toBeAttached();
  await expect(page.getByRole("region", { name: "Growth" })).toContainText("Correct the amounts above.");
});

test("the projection depends on plan, purchases, years and growth", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("radio", { name: "Recommended Forest" })).toBeChecked();
  const figures = page.getByTestId("projection");
  await expect(figures).toContainText("a year$3,704");
  await expect(figures, "plain money stands beside it").toContainText("Without growth$2,879");
  await expect(page.getByRole("region", { name: "Growth" }), "15 × $0.369075 × 52 / 12").toContainText(
    "Forest, 15 purchases a week, $0.37 each, less the service fee: $23.99 a month.",
  );
  await page.getByRole("radio", { name: "Tree" }).check();
  await page.getByLabel("Purchases a week").fill("20");
  await page.getByText("20 years").click();
  const growth = page.getByRole("slider", { name: "Growth a year" });
  await expect(growth).toHaveAccessibleName(/An assumption, not a promise/);
  await growth.press("Home");
  await expect(growth).toHaveAttribute("aria-valuetext", "−10 %");
  await expect(figures).toContainText("a year$3,209");
  await expect(figures).toContainText("Without growth$7,658");
});

test("the landing page loads no wallet code before the visitor chooses a wallet", async ({ page }) => {
  const scripts: string[] = [];
  page.on("request", (request) => request.resourceType() === "script" && scripts.push(request.url()));
  await page.goto("/");
  await expect(page.getByText("Play money only.")).toBeVisible();
  const readTop = async (name: string) => (await page.getByRole("heading", { name }).boundingBox())!.y;
  expect(await readTop("Questions"), "the questions come before the projection").toBeLessThan(
    await readTop("Where it could go"),
  );
  await inspectPage(page, "landing");
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
  await fund(saver.serviceWallet.address, 0.1);
  await page.addInitScript(
    ([wallet, address]) => {
      localStorage.setItem(`roundup-service-wallet:${wallet}`, address!);
      localStorage.setItem(`roundup-service-network:${wallet}`, "sandbox");
      localStorage.setItem("walletName", '"Demo wallet"');
    },
    [saver.wallet, saver.serviceWallet.address],
  );
  await page.goto("/");
  await expect(page.getByRole("link", { name: "Continue · $15.00" })).toHaveAttribute("href", "/dashboard");
});

test("a visitor can look up any address without a wallet", async ({ page, watch }) => {
  const saver = createSaver();
  await registerServiceWallet(saver);
  await fund(saver.wallet, 3);
  await saveRoundUps(saver, Array(20).fill(1.5));
  await investSavings(saver);
  await fund(saver.serviceWallet.address, 0.01);
  await page.goto("/");
  const field = page.getByLabel("Wallet address");
  const lookUp = async (address: string) => {
    await field.fill(address);
    await page.getByRole("button", { name: "Look up" }).click();
  };
  for (const [text, explanation] of [
    ["", "Paste an address first."],
    ["0OIl", "An address has only letters and digits, without 0, O, I and l."],
    ["abc", "An address has 32 to 44 characters."],
    ["2".repeat(88), /Activity in the dashboard finds a signature/],
  ] as const) {
    await lookUp(text);
    await expect(field).toHaveAccessibleDescription(explanation);
  }

  await lookUp(saver.serviceWallet.address);
  const balances = page.getByRole("region", { name: "Balances" });
  await expect(balances.getByRole("row").filter({ hasText: "BTC" })).toContainText("$");
  await expect(balances.getByRole("row").filter({ hasText: "SOL" })).toContainText("$1.");
  await expect(balances, "the total of the dashboard includes them").toContainText(
    "Deposits of token accounts are not included.",
  );
  await expect(page.getByRole("region", { name: "Minimum to invest" })).toContainText(
    "more to reach the usual minimum to invest of $5.00",
  );
  await inspectPage(page, "landing-lookup");

  await lookUp(`\u200bsolana:${saver.wallet}`);
  await expect(page.getByRole("region", { name: "Minimum to invest" })).toContainText(
    "minimum to invest of $5.00 is reached",
  );

  await lookUp(createSaver().wallet);
  await expect(balances).toContainText("Nothing at this address yet");
  await inspectPage(page, "landing-lookup-empty");

  watch.allow(FAILED_REQUEST);
  // The length is valid, but the value exceeds 32 bytes.
  await lookUp("z".repeat(44));
  await expect(page.getByTestId("lookup-result").getByRole("alert")).toContainText("This is not a wallet's address");
  await inspectPage(page, "landing-lookup-refused");

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
