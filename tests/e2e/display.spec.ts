import type { Locator, Page } from "@playwright/test";
import { GUIDES } from "../../app/docs/_content/guides";
import { expect, FAILED_REQUEST, test } from "./support/fixtures";
import { openPurchaseList, reviewInvestment, reviewPurchase, reviewWithdrawal } from "./support/flows";
import { callApi, saveRoundUps } from "./support/service";
import { openSession } from "./support/session";

/** The window's width and the browser's text size, px. A browser's normal text has 16 px. */
const DISPLAYS = [
  { width: 320, textSize: 16 },
  { width: 390, textSize: 20 },
  { width: 390, textSize: 32 },
];

/** Lists what reaches beyond the right edge of the window, or of the open sheet. */
const listOverflows = (page: Page) =>
  page.evaluate(() => {
    const isCut = (node: Element, scroller: Element): boolean => {
      const parent = node.parentElement;
      if (parent === null || parent === scroller) return false;
      return getComputedStyle(parent).overflowX !== "visible" || isCut(parent, scroller);
    };
    return [document.documentElement, ...document.querySelectorAll(".sheet-scroll")].flatMap((scroller) => {
      const excess = scroller.scrollWidth - scroller.clientWidth;
      if (excess <= 0) return [];
      const edge = scroller.getBoundingClientRect().left + scroller.clientWidth;
      const nodes = [...scroller.querySelectorAll("*")].filter(
        (node) => node.getBoundingClientRect().right > edge + 1 && !node.matches(".sr-only") && !isCut(node, scroller),
      );
      const innermost = nodes.filter((node) => !nodes.some((other) => other !== node && node.contains(other)));
      return innermost.map((node) =>
        `${excess} px: <${node.localName}> ${node.parentElement?.textContent}`.slice(0, 120),
      );
    });
  });

test("no page scrolls sideways at 320 px, or at 390 px with text of 125 and 200 %", async ({
  page,
  context,
  watch,
}) => {
  test.slow();
  watch.allow(FAILED_REQUEST);
  const saver = await openSession(page, { sol: 2, serviceSol: 0.2, hasBtc: true });
  await saveRoundUps(saver, [4.98, 27.63]);
  await callApi("/api/keys/generate", { body: { name: "one" }, headers: saver.credentials });
  const { items } = await callApi(`/api/activity/${saver.serviceWallet.address}?limit=1`);
  const browserSession = await context.newCDPSession(page);
  const setTextSize = (standard: number) =>
    browserSession.send("Page.setFontSizes", { fontSizes: { standard, fixed: Math.round((standard * 13) / 16) } });

  const check = async (name: string) => {
    for (const { width, textSize } of DISPLAYS) {
      await page.setViewportSize({ width, height: 844 });
      await setTextSize(textSize);
      expect.soft(await listOverflows(page), `${name} at ${width} px with text of ${textSize} px`).toEqual([]);
    }
    await setTextSize(16);
  };
  const paths = [
    "/",
    "/docs",
    ...GUIDES.map(({ slug }) => `/docs/${slug}`),
    "/no-such-page",
    `/tx/${items[0].txSignature}`,
  ];
  for (const path of [...paths, "/dashboard/activity", "/dashboard/settings", "/dashboard/keys"]) {
    await page.goto(path);
    await expect(page.locator("h1")).toBeVisible();
    await expect(page.getByText(/^(Reading|Loading) /)).toHaveCount(0);
    await check(path);
  }
  await page.goto("/dashboard");
  await expect(page.getByTestId("invested-usd")).toBeVisible();
  await page.locator("details").evaluateAll((folds) => {
    for (const fold of folds) fold.setAttribute("open", "");
  });
  await check("/dashboard");
  await page.goto("/dashboard/round-up");
  await reviewPurchase(page, "27.63");
  await check("the review of a saving");
  await openPurchaseList(page);
  await check("a list of purchases");
  await page.goto("/dashboard/invest");
  await page.getByText("Several assets").click();
  await check("/dashboard/invest");
  await reviewInvestment(page);
  await check("the review of an investment");
  await page.goto("/dashboard/invest");
  await page.getByText("Sell", { exact: true }).click();
  await check("a sale");
  await page.goto("/dashboard/withdraw");
  await reviewWithdrawal(page);
  await check("the review of a withdrawal");
});

/** Returns the colour that is seen behind the part's text. Forced colours keep a background's transparency. */
const readBackground = (part: Locator) =>
  part.evaluate((node) => {
    const readColor = (element: Element): string => {
      const { backgroundColor } = getComputedStyle(element);
      const isTransparent = /^rgba.*, 0\)$/.test(backgroundColor);
      return isTransparent && element.parentElement ? readColor(element.parentElement) : backgroundColor;
    };
    return readColor(node);
  });

test("in forced colours, what is chosen, switched on or pressed first differs from the rest", async ({ page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await openSession(page);
  const findOption = (isChecked: boolean) =>
    page.locator("label").filter({ has: page.locator(isChecked ? "input:checked" : "input:not(:checked)") });
  // Colours change in transitions, so each is read until it differs.
  const expectBackground = (part: Locator, message: string) => expect.poll(() => readBackground(part), { message }).not;
  const expectChoiceShown = async () =>
    expectBackground(findOption(true).first(), "the choice").toBe(await readBackground(findOption(false).first()));
  const pageBackground = await readBackground(page.locator("body"));

  await page.goto("/");
  const start = page.getByRole("link", { name: /^Continue/ });
  await expectBackground(start, "the first action").toBe(pageBackground);
  await expectChoiceShown();

  await page.goto("/dashboard/round-up");
  await expectChoiceShown();
  const review = page.getByRole("button", { name: "Review and save" });
  await page.getByLabel("You paid").fill("12.00");
  await expect(review).toBeDisabled();
  const disabledBackground = await readBackground(review);
  await page.getByLabel("You paid").fill("27.63");
  await expect(review).toBeEnabled();
  await expectBackground(review, "when it can be pressed").toBe(disabledBackground);

  await page.goto("/dashboard/withdraw");
  await page.goto("/dashboard/settings");
  const control = page.getByRole("switch", { name: "Ask before each signature" });
  const knob = control.locator("span");
  const offBackground = await readBackground(control);
  await expectBackground(knob, "the knob, off").toBe(offBackground);
  await control.click();
  await expect(control).toBeChecked();
  await expectBackground(control, "the switch, on").toBe(offBackground);
  await expectBackground(knob, "the knob, on").toBe(await readBackground(control));
});
