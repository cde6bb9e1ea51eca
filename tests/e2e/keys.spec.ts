import { expect, inspectPage, test } from "./support/fixtures";
import { findNavigationLink } from "./support/flows";
import { callApi } from "./support/service";
import { openSession } from "./support/session";

test("the page shows a new key once and lists its last use", async ({ page }) => {
  const saver = await openSession(page, { sol: 0 });
  await page.addInitScript(
    (key) => localStorage.setItem(key, '{"choice":"tree","multiplier":3}'),
    `roundup-terms:${saver.wallet}`,
  );
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("/dashboard/keys");
  await expect(page.getByText("No keys yet")).toBeVisible();
  const currentLink = page.getByRole("navigation", { name: "Dashboard" }).locator("[aria-current]");
  await expect(currentLink, "keys are part of the settings").toHaveText("Settings");
  await inspectPage(page, "keys-empty");

  await page.getByLabel("Name").fill("budget script");
  await page.getByLabel("Lifetime").selectOption("30 days");
  await page.getByRole("button", { name: "Generate key" }).click();
  await expect(page.getByRole("heading", { name: "Your new key: budget script" })).toBeFocused();
  await inspectPage(page, "keys-new");

  // The confirmation is visible for two seconds.
  const copiedNote = page.getByText("Copied", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Copy key" }).click();
  await copiedNote;
  const apiKey = await page.evaluate(() => navigator.clipboard.readText());
  expect(apiKey).toMatch(/^ru_test_/);
  const [, body] = /x-api-key: \w+".* -d '(.*)'/.exec(await page.getByText(`x-api-key: ${apiKey}`).innerText())!;

  const keyRow = page.getByRole("listitem").filter({ hasText: "budget script" });
  await expect(keyRow).toContainText("not used yet");
  const roundUp = await callApi("/api/roundup", { body: JSON.parse(body!), headers: { "x-api-key": apiKey } });
  expect(roundUp, "the settings of this browser").toMatchObject({ txValueUsd: 27.63, plan: "tree", multiplier: 3 });
  const lastUse = async () => (await callApi("/api/keys", { headers: saver.credentials })).keys[0].lastUsedAt;
  await expect.poll(lastUse, "the service records the use after it has answered").not.toBeNull();

  await page.getByRole("button", { name: "I have copied it" }).click();
  await expect(page.getByText(apiKey)).toHaveCount(0);
  await page.reload();
  await expect(keyRow).toContainText("last used");
  expect(await page.content(), "the page after the reload").not.toContain(apiKey);

  await page.getByRole("button", { name: "Revoke budget script" }).click();
  const sheet = page.getByRole("dialog", { name: "Revoke the key “budget script”?" });
  await expect(sheet).toBeVisible();
  await inspectPage(page, "keys-revoke");
  await sheet.getByRole("button", { name: "Keep key" }).click();
  await expect(sheet).toBeHidden();
  await expect(keyRow).toBeVisible();
  await page.getByRole("button", { name: "Revoke budget script" }).click();
  await sheet.getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByText("No keys yet")).toBeVisible();
  const call = callApi("/api/roundup", { body: { txValueUsd: 1 }, headers: { "x-api-key": apiKey } });
  await expect(call).rejects.toThrow(/401/);
});

test("a wallet with ten keys must revoke one before it creates the next", async ({ page }) => {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  const saver = await openSession(page, { sol: 0 });
  for (let i = 1; i <= 10; i++) {
    await callApi("/api/keys/generate", { body: { name: `script ${i}` }, headers: saver.credentials });
  }
  await page.goto("/dashboard/keys");
  await expect(page.getByText("A wallet has at most 10 keys. Revoke one to make room.")).toBeVisible();
  await expect(page.getByRole("button", { name: "Generate key" })).toBeDisabled();
  await inspectPage(page, "keys-full");
  await page.getByRole("button", { name: "Revoke script 3", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByRole("button", { name: "Generate key" })).toBeEnabled();

  await page.getByRole("button", { name: "Revoke script 4", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
  for (const name of ["first", "second"]) {
    await page.getByLabel("Name").fill(name);
    await page.getByRole("button", { name: "Generate key" }).click();
    await expect(page.getByRole("heading", { name: `Your new key: ${name}` })).toBeFocused();
  }
  await expect(page.getByRole("heading", { name: "Your new key: first" }), "the only time it is shown").toBeVisible();
  const activityLink = findNavigationLink(page, "Activity");
  page.once("dialog", (dialog) => dialog.dismiss());
  await activityLink.click();
  await expect(page).toHaveURL(/\/dashboard\/keys$/);
  const copyButtons = page.getByRole("button", { name: "Copy key" });
  await copyButtons.first().click();
  page.once("dialog", (dialog) => dialog.dismiss());
  await activityLink.click();
  await expect(page, "one key is not copied").toHaveURL(/\/dashboard\/keys$/);
  await copyButtons.last().click();
  await activityLink.click();
  await expect(page, "every key is copied").toHaveURL(/\/dashboard\/activity$/);
});
