#!/usr/bin/env bash
# Chromium 156 (Debian's chromium 156.0.8078; CHROMIUM names another full Chromium), driven by playwright-core 1.58.2.
# Guess: a person who blocks cookies blocks what stores data: localStorage, sessionStorage and IndexedDB throw. The Web
# Locks API stores nothing, so a page that guards its storage still takes its locks, like its BroadcastChannel.
# Seen: `navigator.locks` is there, and both `request` and `query` reject with a SecurityError. BroadcastChannel works.
# Meaning: a check for `navigator.locks` is no check. Code that serialises a payment or elects a polling tab with a lock
# never runs its task in such a browser, even with its storage in memory. Treat the rejection as "no locks".
# A headless shell (as in @sparticuz/chromium) ignores the setting silently, so this cannot be tested there.
set -euo pipefail
browser=${CHROMIUM:-/usr/bin/chromium}
[[ -x $browser ]] || { echo "needs a full Chromium: set CHROMIUM" >&2; exit 2; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund playwright-core@1.58.2 >/dev/null
cat >run.mjs <<'PROGRAM'
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { chromium } from "playwright-core";
const server = createServer((_request, response) => response.end("hello")).listen(0, "127.0.0.1");
await new Promise((resolve) => server.once("listening", resolve));
mkdirSync("profile/Default", { recursive: true });
// The setting "Block all cookies", or "This site can't save data on your device".
const settings = { profile: { default_content_setting_values: { cookies: 2 } } };
writeFileSync("profile/Default/Preferences", JSON.stringify(settings));
const context = await chromium.launchPersistentContext("profile", {
  executablePath: process.argv[2],
  args: ["--no-sandbox"],
});
const page = await context.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);
const outcomes = await page.evaluate(async () => {
  const attempt = async (use) => {
    try {
      await use();
      return "works";
    } catch (error) {
      return error.name;
    }
  };
  return {
    localStorage: await attempt(() => localStorage),
    BroadcastChannel: await attempt(() => new BroadcastChannel("a").postMessage(1)),
    "navigator.locks": "locks" in navigator ? "is there" : "is missing",
    "navigator.locks.request": await attempt(() => navigator.locks.request("a", async () => {})),
    "navigator.locks.query": await attempt(() => navigator.locks.query()),
  };
});
console.log(`Chromium ${context.browser().version()}`);
for (const [name, outcome] of Object.entries(outcomes)) console.log(`${name}: ${outcome}`);
await context.close();
server.close();
const seen = Object.values(outcomes).join();
process.exit(seen === "SecurityError,works,is there,SecurityError,SecurityError" ? 0 : 1);
PROGRAM
node run.mjs "$browser"
