import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Locator, Page } from "@playwright/test";
import { GUIDES } from "../../app/docs/_content/guides";
import { CONTRACTS } from "../../lib/contracts";
import { expect, FAILED_REQUEST, inspectPage, test } from "./support/fixtures";
import { findOperation, openConsole, sendCall } from "./support/flows";
import { callApi } from "./support/service";
import { DEMO_WALLET_NAME, openSession } from "./support/session";

const runFile = promisify(execFile);

/** Returns a heading's distance from the window's top, px. A link to the heading scrolls it smoothly to 16 px. */
const measureTop = (page: Page, id: string) =>
  page.locator(`#${id}`).evaluate((node) => Math.round(node.getBoundingClientRect().top));

async function readAnswer(part: Locator) {
  const text = await part.getByTestId("answer").locator("pre").textContent();
  return JSON.parse(text!);
}

/** Runs an operation's curl command in a shell, exactly as shown. */
async function runCurl(page: Page, id: string, baseURL: string, variables: Record<string, string> = {}) {
  const commandBlock = findOperation(page, id).locator("figure").filter({ hasText: "curl -s" }).locator("pre");
  await expect(commandBlock).toContainText(baseURL);
  const env = { ...process.env, ...variables };
  const { stdout } = await runFile("bash", ["-c", (await commandBlock.textContent())!], { env });
  return JSON.parse(stdout);
}

test("the contents and the search link to the anchor of an operation", { tag: "@browsers" }, async ({
  page,
  context,
  watch,
}) => {
  test.slow();
  // The browser may load the tab's icon again while it is offline.
  watch.allow(/ERR_INTERNET_DISCONNECTED \(\S+\/(favicon\.ico|icons\/icon\.svg)\)/);
  await page.goto("/docs");
  for (const { operation: id } of CONTRACTS) await expect(page.locator(`h3#${id}`)).toHaveCount(1);
  await inspectPage(page, "docs");
  const contents = page.getByRole("navigation", { name: "Documentation" });
  await contents.getByRole("link", { name: "POST /swap/build" }).click();
  await expect(page).toHaveURL(/\/docs#build-swap$/);
  await expect.poll(() => measureTop(page, "build-swap")).toBe(16);

  const search = page.getByRole("searchbox", { name: "Search the documentation" });
  await page.getByRole("heading", { level: 1 }).click();
  await page.keyboard.press("/");
  await expect(search).toBeFocused();
  await page.keyboard.type("minimumoutput");
  await expect(page.getByRole("search").getByRole("link").first()).toContainText("minimumOutputAmount");
  // Once loaded, the search needs no network.
  await context.setOffline(true);
  await search.fill("xyzzy");
  await expect(page.getByRole("search")).toContainText("Nothing matches “xyzzy”");
  await search.fill("revoke");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/docs#revoke-key$/);
  await expect.poll(() => measureTop(page, "revoke-key")).toBe(16);
  await context.setOffline(false);

  await page.goto("/docs#revoke-key");
  await expect.poll(() => measureTop(page, "revoke-key")).toBe(16);
  const ids = await page.locator("[id]").evaluateAll((nodes) => nodes.map(({ id }) => id));
  expect(new Set(ids).size, "ids are unique").toBe(ids.length);
  const anchorLinks = await page
    .locator('main a[href^="#"]')
    .evaluateAll((links) => links.map((link) => link.getAttribute("href")!));
  for (const href of anchorLinks) expect(ids).toContain(href.slice(1));
});

test("the reference links to every guide, which opens at its top", async ({ page }) => {
  await page.goto("/docs");
  for (const { slug, title } of GUIDES) {
    const link = page.getByRole("main").getByRole("link", { name: title }).first();
    await expect(link).toHaveAttribute("href", `/docs/${slug}`);
  }
  await page.evaluate(() => window.scrollTo({ top: 900, behavior: "instant" }));
  // A click would scroll to the link first.
  await page.getByRole("main").getByRole("link", { name: GUIDES[0]!.title }).first().dispatchEvent("click");
  await expect(page).toHaveURL(new RegExp(`/docs/${GUIDES[0]!.slug}$`));
  await expect.poll(() => page.evaluate(() => window.scrollY), "the guide's position").toBe(0);
});

for (const { slug, title } of GUIDES) {
  test(`the guide "${title}" passes the accessibility checks`, async ({ page }) => {
    await page.goto(`/docs/${slug}`);
    await inspectPage(page, `docs-${slug}`, { isLayoutKnown: slug !== GUIDES[0]!.slug });
  });
}

test("the contents fold and unfold on a phone", async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto("/docs");
  const contents = page.getByRole("navigation", { name: "Documentation" });
  await expect(contents.getByRole("link", { name: "GET /price", exact: true })).toBeHidden();
  await contents.getByRole("button", { name: "Contents" }).click();
  await contents.getByRole("link", { name: "GET /price", exact: true }).click();
  await expect(page.locator("#get-prices")).toBeInViewport();
});

test("the console sends the typed values and shows errors as received", async ({ page, watch }) => {
  test.slow();
  await page.goto("/docs");
  const prices = await openConsole(page, "get-prices");
  await sendCall(prices, "200 Success");
  expect((await readAnswer(prices)).data.prices.BTC).toBeGreaterThan(0);

  const accumulator = await openConsole(page, "get-accumulator");
  await accumulator.getByRole("textbox", { name: "address" }).fill("nonsense");
  watch.allow(FAILED_REQUEST);
  await sendCall(accumulator, "400 Refused");
  expect((await readAnswer(accumulator)).code).toBe("invalid_address");

  const roundUp = await openConsole(page, "calculate-round-up");
  await expect(roundUp).toContainText("This call needs to know who you are");
  await sendCall(roundUp, "401 Refused");
  await expect(roundUp.getByRole("alert")).toContainText("x-wallet and x-signature, or x-api-key");
  await roundUp.getByLabel("Body, JSON").fill("{");
  await expect(roundUp).toContainText("This is not valid JSON.");
  await inspectPage(page, "docs-console", { within: roundUp });
});

test("a newcomer can sign in on the page and send a transaction from the console", async ({ page }) => {
  test.slow();
  await page.goto("/docs");
  const bar = page.getByRole("region", { name: "Credentials" });
  await bar.getByRole("button", { name: "Connect and sign in" }).click();
  const sheet = page.getByRole("dialog", { name: "Connect and sign in" });
  await sheet.getByRole("button", { name: DEMO_WALLET_NAME }).click();
  const signIn = sheet.getByRole("button", { name: "Sign in", exact: true });
  await expect(signIn).toBeVisible();
  await inspectPage(page, "docs-sign-in", { within: sheet });
  await signIn.click();
  await sheet.getByRole("button", { name: "Create my savings wallet" }).click();
  await expect(sheet).toBeHidden();
  await expect(bar).toContainText("Calls are signed in as");

  const derive = await openConsole(page, "derive-wallet");
  await derive.getByRole("button", { name: "Sign with your savings wallet" }).click();
  await expect(derive).toContainText("Signed. Now you can send it.");
  await sendCall(derive, "200 Success");

  const roundUp = await openConsole(page, "calculate-round-up");
  await sendCall(roundUp, "200 Success");
  expect((await readAnswer(roundUp)).data.roundUpUsd).toBe(0.37);

  await sendCall(await openConsole(page, "airdrop"), "200 Success");

  const wrap = await openConsole(page, "build-wrap");
  await sendCall(wrap, "200 Success");
  await wrap.getByRole("button", { name: "Take it to execute" }).click();
  const execute = findOperation(page, "execute-transaction");
  await execute.getByRole("button", { name: "Sign this transaction" }).click();
  await expect(execute).toContainText("Signed. Now you can send it.");
  await sendCall(execute, "200 Success");
  expect((await readAnswer(execute)).data.confirmed).toBe(true);

  await bar.getByRole("button", { name: "Sign out" }).click();
  await expect(bar).toContainText("Protected ones need a signed-in wallet");
});

test("an API key authenticates calls without appearing in the page's text", async ({ page }) => {
  const saver = await openSession(page, { sol: 0 });
  const { apiKey } = await callApi("/api/keys/generate", { body: { name: "docs" }, headers: saver.credentials });
  await page.goto("/docs");
  await page.getByRole("button", { name: "Use an API key" }).click();
  await page.getByLabel("API key", { exact: true }).fill(apiKey);
  await sendCall(await openConsole(page, "quote-swap"), "200 Success");
  expect(await page.locator("main").textContent()).not.toContain(apiKey);
});

test("the curl command of every public GET runs as shown", async ({ page, baseURL }) => {
  await page.goto("/docs");
  const contracts = CONTRACTS.filter(({ auth, method }) => auth === "none" && method === "GET");
  expect(contracts.length).toBeGreaterThan(4);
  for (const { operation } of contracts) {
    const answer = await runCurl(page, operation, baseURL!);
    expect(answer.ok ?? answer.openapi, operation).toBeTruthy();
  }
});

test("the language chosen for one example applies to all examples", async ({ page, baseURL, browser }) => {
  const saver = await openSession(page, { sol: 0 });
  await page.goto("/docs");
  const variables = { WALLET: saver.wallet, SIGNATURE: saver.credentials["x-signature"] };
  const { data } = await runCurl(page, "calculate-round-up", baseURL!, variables);
  expect(data.roundUpUsd).toBe(0.37);

  const findTab = (id: string, name: string) => findOperation(page, id).getByRole("tab", { name });
  await findTab("calculate-round-up", "curl").focus();
  await page.keyboard.press("ArrowLeft");
  await expect(findTab("calculate-round-up", "Python")).toBeFocused();
  const code = findOperation(page, "build-wrap").getByRole("tabpanel", { name: "Python" });
  await expect(code).toContainText(`requests.post("${baseURL}/api/wrap"`);
  await page.reload();
  await expect(code).toBeVisible();
  await findTab("get-prices", "TypeScript").click();
  await expect(findOperation(page, "build-wrap").getByRole("tabpanel", { name: "TypeScript" })).toContainText(
    'client.post("/api/wrap", {',
  );
  await inspectPage(page, "docs-languages", { within: findOperation(page, "build-wrap") });

  const withoutScript = await browser.newPage({ javaScriptEnabled: false });
  await withoutScript.goto(`${baseURL}/docs`);
  await expect(findOperation(withoutScript, "build-wrap").getByRole("tabpanel", { name: "curl" })).toBeVisible();
  await expect(withoutScript.getByRole("tab", { name: "Python" }).first()).toBeHidden();
  await withoutScript.close();
});
