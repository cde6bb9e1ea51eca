import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { Builder, By, Capabilities, until, type WebDriver, type WebElement } from "selenium-webdriver";
import { createTempFolder, findFreePort, removeFolder, startServerApp } from "../support/app/app";

/*
 * A newcomer's journey in WebKit, at the widths of a phone and of a laptop: the set-up with play money, a saving and a
 * withdrawal. Playwright drives only its own build of WebKit, so this drives WebKitGTK's MiniBrowser over WebDriver.
 * `npm run test:browsers` runs it.
 */

const SIZES = [
  [390, 844],
  [1280, 800],
] as const;
const STEP_TIMEOUT_MS = 60_000;
/** A person who sees nothing happen for this time, ms, clicks again. */
const LOST_CLICK_MS = 20_000;

/** Opens a browser without tool bars, so that the page has the window's size. */
async function openBrowser(driverPort: number, [width, height]: readonly [number, number]): Promise<WebDriver> {
  const options = { args: ["--automation", "--full-screen"] };
  const driver = await new Builder()
    .usingServer(`http://127.0.0.1:${driverPort}`)
    .withCapabilities(new Capabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": options }))
    .build();
  await driver.manage().window().setRect({ x: 0, y: 0, width, height });
  return driver;
}

/** Records what the code of the open page throws from now on. A link to another document ends the record. */
async function recordErrors(driver: WebDriver): Promise<void> {
  await driver.executeScript(`
    window.thrownErrors = [];
    window.clickedTexts = [];
    addEventListener("click", ({ target }) => clickedTexts.push(target.textContent.slice(0, 40)), true);
    addEventListener("error", ({ message }) => thrownErrors.push(message));
    addEventListener("unhandledrejection", ({ reason }) => thrownErrors.push(String(reason)));
  `);
}

const expectNoErrors = async (driver: WebDriver) =>
  assert.deepEqual(await driver.executeScript("return thrownErrors"), []);

async function find(driver: WebDriver, locator: By): Promise<WebElement> {
  const element = await driver.wait(until.elementLocated(locator), STEP_TIMEOUT_MS);
  return driver.wait(until.elementIsVisible(element), STEP_TIMEOUT_MS);
}

/** Locates the enabled button or the link whose text starts so. */
const byText = (text: string): By =>
  By.xpath(`//*[(self::button[not(@disabled)] or self::a) and starts-with(normalize-space(), "${text}")]`);

const findControl = (driver: WebDriver, text: string): Promise<WebElement> => find(driver, byText(text));

/** Scrolls the button or the link out of the tab bar's way, and clicks it once it keeps its place for two frames. */
async function press(driver: WebDriver, text: string): Promise<void> {
  const control = await findControl(driver, text);
  await driver.executeAsyncScript(
    `const [control, resolve] = arguments;
    control.scrollIntoView({ block: "center", behavior: "instant" });
    const waitUntilStill = (earlierTop) => {
      const { top } = control.getBoundingClientRect();
      if (top === earlierTop) resolve();
      else requestAnimationFrame(() => requestAnimationFrame(() => waitUntilStill(top)));
    };
    waitUntilStill();`,
    control,
  );
  await control.click();
}

/** Presses the first control until the second one appears. The page may move the first one under the click. */
async function pressUntil(driver: WebDriver, text: string, nextText: string): Promise<void> {
  await press(driver, text);
  await driver.wait(until.elementLocated(byText(nextText)), LOST_CLICK_MS).catch(() => press(driver, text));
}

async function saveAndWithdraw(driver: WebDriver, url: string): Promise<void> {
  await driver.get(url);
  await press(driver, "Try it with play money");
  await findControl(driver, "Save $");
  await recordErrors(driver);
  await pressUntil(driver, "Save $", "Sign and save");
  await press(driver, "Sign and save");
  await find(driver, By.xpath('//*[@role="dialog"]//h2[normalize-space()="Saved"]'));
  await expectNoErrors(driver);
  await driver.get(`${url}/dashboard/withdraw`);
  await recordErrors(driver);
  await press(driver, "Review the withdrawal");
  await press(driver, "Sign and withdraw");
  await find(driver, By.css('[data-testid="service-wallet-empty"]'));
  await expectNoErrors(driver);
}

const driverPort = await findFreePort();
const driverProcess = spawn("WebKitWebDriver", [`--port=${driverPort}`], { stdio: "inherit" });
const dataDir = createTempFolder();
const app = await startServerApp({ dataDir });
try {
  for (const size of SIZES) {
    const driver = await openBrowser(driverPort, size);
    try {
      if (size === SIZES[0]) console.log(`browser: WebKitGTK ${(await driver.getCapabilities()).getBrowserVersion()}`);
      await saveAndWithdraw(driver, app.url);
      console.log(`passed: a newcomer saves and withdraws at ${size[0]} px`);
    } catch (error) {
      console.log("clicked:", await driver.executeScript("return window.clickedTexts"));
      console.log(await driver.findElement(By.css("body")).getText());
      throw error;
    } finally {
      await driver.quit();
    }
  }
} finally {
  driverProcess.kill();
  await app.stop();
  removeFolder(dataDir);
}
