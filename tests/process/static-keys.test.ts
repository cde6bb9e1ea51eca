import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startNextApp } from "../support/app/app";
import { NO_CHAIN_SETTINGS, startTemporaryAppForFile } from "../support/app/app-for-file";
import { get } from "../support/client/client";
import { createFolderForFile } from "../support/store/temp-folder";

/* Tests that SIGHUP makes a running process read API_KEYS_FILE again. */

const OLD_KEY = "o".repeat(40);
const NEW_KEY = "n".repeat(40);
const folder = createFolderForFile();
const keysFile = join(folder, "keys");
await writeFile(keysFile, `shop:${OLD_KEY}\n`);
const app = await startTemporaryAppForFile("static-keys", {
  ...NO_CHAIN_SETTINGS,
  API_KEYS_FILE: keysFile,
  JUPITER_KEY: "x",
});

/** Sends SIGHUP and resolves with the notice that answers it. */
async function sendSighup(): Promise<string> {
  const lineCount = app.lines.length;
  app.child.kill("SIGHUP");
  return app.waitForLine((line) =>
    app.lines.indexOf(line) >= lineCount ? /"notice":"([^"]*keys[^"]*)"/i.exec(line)?.[1] : null,
  );
}

/** Returns the status of a call that needs a key, with the old and with the new key. */
const readStatuses = async () => {
  const readHealth = (key: string) => get("/api/health?verbose", { headers: { "x-api-key": key } });
  return [(await readHealth(OLD_KEY)).status, (await readHealth(NEW_KEY)).status];
};

test("both keys of one name work until a reload removes the old one", async () => {
  expect(await readStatuses()).toEqual([200, 401]);
  await writeFile(keysFile, `shop:${OLD_KEY}\nshop:${NEW_KEY}\n`);
  expect(await sendSighup()).toBe("API_KEYS_FILE was read again. Its keys: shop, shop.");
  expect(await readStatuses()).toEqual([200, 200]);
  await writeFile(keysFile, `# rotated\nshop:${NEW_KEY}`);
  await sendSighup();
  expect(await readStatuses()).toEqual([401, 200]);
});

test("an invalid, empty or missing file leaves the keys unchanged", async () => {
  for (const [text, notice] of [
    ["shop:too-short", /keys stay as they were\. .*API_KEYS: every key needs at least 32 characters/],
    ["# none at the moment\n", /keys stay as they were\. API_KEYS_FILE: the file holds no key\./],
    ["", /keys stay as they were\. API_KEYS_FILE: the file is empty\./],
  ] as const) {
    await writeFile(keysFile, text);
    expect(await sendSighup()).toMatch(notice);
    expect(await readStatuses()).toEqual([401, 200]);
  }
  await rm(keysFile);
  expect(await sendSighup()).toMatch(/API_KEYS_FILE: the file cannot be read \(ENOENT\)/);
  expect(await readStatuses()).toEqual([401, 200]);
  expect(app.lines.join("\n")).not.toMatch(/too-short|oooooo|nnnnnn/);
});

test("the log names the static key of a request", async () => {
  const headers = { "x-api-key": NEW_KEY, "x-request-id": "proxy-1" };
  const response = await fetch(`${app.url}/api/spending/nobody`, { headers });
  expect(response.headers.get("x-request-id")).toBe("proxy-1");
  const logLine = await app.waitForLine((line) => (line.includes('"keyName":"shop"') ? line : null));
  expect(logLine).toContain('"requestId":"proxy-1"');
});

test("the server reports a misspelt setting at startup", async () => {
  expect(app.lines.join("\n")).toContain("JUPITER_KEY is set, but it is not a setting of this service.");
});

test("SIGHUP makes `next start` reload the file too", async () => {
  const nextKeysFile = join(folder, "other-keys");
  await writeFile(nextKeysFile, `shop:${OLD_KEY}\n`);
  const next = await startNextApp({
    dataDir: join(folder, "next"),
    env: { ...NO_CHAIN_SETTINGS, API_KEYS_FILE: nextKeysFile },
  });
  onTestFinished(() => void next.stop());
  const readStatus = async (key: string) =>
    (await fetch(`${next.url}/api/health?verbose&probe=live`, { headers: { "x-api-key": key } })).status;
  expect(await readStatus(NEW_KEY)).toBe(401);
  await writeFile(nextKeysFile, `shop:${NEW_KEY}\n`);
  next.child.kill("SIGHUP");
  await expect.poll(() => readStatus(NEW_KEY), { timeout: 30_000 }).toBe(200);
  expect(await readStatus(OLD_KEY)).toBe(401);
});
