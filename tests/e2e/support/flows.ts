import { expect, type Locator, type Page, type Request } from "@playwright/test";

export const findNavigationLink = (page: Page, name: string): Locator =>
  page.getByRole("navigation", { name: "Dashboard" }).getByRole("link", { name, exact: true });

export const findSavedDialog = (page: Page): Locator => page.getByRole("dialog", { name: "Saved", exact: true });

/** Enters one purchase on the round-up page and opens the review. @returns the sheet */
export async function reviewPurchase(page: Page, usd: string): Promise<Locator> {
  await page.getByLabel("You paid").fill(usd);
  await page.getByRole("button", { name: "Review and save" }).click();
  const review = page.getByRole("dialog", { name: "Review and sign" });
  await expect(review.getByTestId("save-breakdown")).toBeVisible();
  return review;
}

export async function savePurchase(page: Page, usd: string): Promise<void> {
  const review = await reviewPurchase(page, usd);
  await review.getByRole("button", { name: "Sign and save" }).click();
  await expect(findSavedDialog(page)).toBeVisible();
}

/** Opens the review of a withdrawal that the page has filled in. @returns the sheet */
export async function reviewWithdrawal(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Review the withdrawal" }).click();
  return page.getByRole("dialog", { name: "Review your withdrawal" });
}

/** Opens the review of an investment that the page has filled in. @returns the sheet */
export async function reviewInvestment(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Review the investment" }).click();
  return page.getByRole("dialog", { name: "Review your investment" });
}

/** Opens the list of purchases on the round-up page and types these amounts. Default: the page's own example. */
export async function openPurchaseList(page: Page, text?: string): Promise<void> {
  await page.goto("/dashboard/round-up");
  await page.getByText("List", { exact: true }).click();
  if (text === undefined) await page.getByRole("button", { name: "Fill in an example" }).click();
  else await page.getByLabel("Amounts that you paid, in dollars").fill(text);
  await page.getByRole("button", { name: "Show the change" }).click();
}

/**
 * Clicks the button with this name in the review. On a slow machine the quote can expire first. The page then rebuilds
 * the review, and this clicks the button once more, as a person does. A click is lost while a quote is renewed.
 */
export async function clickSignButton(page: Page, name: string): Promise<void> {
  const button = page.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog");
  const hasText = "The quote expired";
  const expiredNote = dialog.getByTestId("flow-note").filter({ hasText });
  const outcome = expiredNote.or(dialog.filter({ hasNot: button, hasNotText: hasText }));
  await dialog.locator(button).click();
  const isAnswered = await outcome.waitFor({ timeout: LOST_CLICK_MS }).then(
    () => true,
    () => false,
  );
  if (!isAnswered || (await expiredNote.isVisible())) await dialog.locator(button).click();
}

/** A person who sees nothing happen for this time, ms, clicks again. */
const LOST_CLICK_MS = 20_000;

/** Holds the page's requests to these addresses. @returns a function that lets them continue */
export async function holdRequests(
  page: Page,
  addressPattern: string | RegExp,
  isHeld: (request: Request) => boolean = () => true,
): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(addressPattern, (route) =>
    isHeld(route.request()) ? released.then(() => route.continue()) : route.fallback(),
  );
  return release;
}

/** Closes a sheet with the button at its end. */
export async function closeSheet(page: Page): Promise<void> {
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await waitForSheetHistory(page);
}

/** Returns the amount in the row of an itemised sum. */
export const findAmount = (part: Page | Locator, label: string): Locator =>
  part.getByText(label, { exact: true }).locator("xpath=ancestor-or-self::dt/following-sibling::dd");

/**
 * Waits until a closed sheet has stepped back in the history. The step would cancel a navigation that starts earlier.
 */
export async function waitForSheetHistory(page: Page): Promise<void> {
  await expect.poll(() => page.evaluate(() => history.state?.sheet === true)).toBe(false);
}

/**
 * Stops the page's clock until `page.clock.resume()`, so that a quote under review does not age on a slow machine.
 * Install the clock before the page loads.
 */
export async function pauseClock(page: Page): Promise<void> {
  // A clock can only be paused at a future time.
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 8_000);
}

/** Expects the whole review and the sign button to fit without scrolling, on a phone and on a laptop. */
export async function expectOneScreen(page: Page, buttonName: string): Promise<void> {
  const size = page.viewportSize()!;
  const dialog = page.getByRole("dialog");
  for (const [width, height] of [
    [390, 844],
    [1280, 800],
  ] as const) {
    await page.setViewportSize({ width, height });
    await expect(dialog.getByRole("button", { name: buttonName }), `${width} px`).toBeInViewport({ ratio: 1 });
    const measureHiddenPixels = () =>
      dialog.locator(".sheet-scroll").evaluate((node) => node.scrollHeight - node.clientHeight);
    await expect.poll(measureHiddenPixels, `to scroll at ${width} px`).toBe(0);
  }
  await page.setViewportSize(size);
}

export const findOperation = (page: Page, id: string): Locator =>
  page
    .locator("section")
    .filter({ has: page.locator(`h3#${id}`) })
    .last();

/** Opens the console of an operation in the documentation. @returns the operation's section */
export async function openConsole(page: Page, id: string): Promise<Locator> {
  const section = findOperation(page, id);
  await section.getByRole("button", { name: /^Try it/ }).click();
  return section;
}

export async function sendCall(section: Locator, status: string): Promise<void> {
  await section.getByRole("button", { name: "Send" }).click();
  await expect(section.getByTestId("answer")).toContainText(status);
}
