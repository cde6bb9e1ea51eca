#!/usr/bin/env bash
# playwright-core 1.64.1, Firefox ESR 153 (`firefox-esr` of Debian 12), react and react-dom 19.3.1, esbuild 0.28.2.
# Guess: in Firefox's `moz-firefox` channel (WebDriver BiDi), `locator.fill()` acts like typing, as in Chromium.
# Seen: the field shows the text, but React's onChange never runs. Over BiDi, Playwright's `fill` and `insertText` assign
# `element.value` in the page's own world. React has replaced that setter to remember the value, so at the "input" event
# it finds no difference. Keys (`pressSequentially`) work.
# Meaning: each form built with React seems broken in Firefox. Press keys there instead.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund playwright-core@1.64.1 react@19.3.1 react-dom@19.3.1 esbuild@0.28.2 >/dev/null
cat >page.jsx <<'PAGE'
import { useState } from "react";
import { createRoot } from "react-dom/client";
function Page() {
  const [text, setText] = useState("");
  return <><input value={text} onChange={(event) => setText(event.target.value)} /><output>{text}</output></>;
}
createRoot(document.body.appendChild(document.createElement("main"))).render(<Page />);
PAGE
npx esbuild page.jsx --bundle --jsx=automatic --define:process.env.NODE_ENV='"production"' --outfile=page.js --log-level=error
cat >run.mjs <<'PROGRAM'
import { readFileSync } from "node:fs";
import { firefox } from "playwright-core";
const browser = await firefox.launch({ channel: "moz-firefox", executablePath: process.argv[2] });
const page = await browser.newPage();
await page.setContent("<body></body>");
await page.addScriptTag({ content: readFileSync("page.js", "utf8") });
const readState = () => page.locator("output").textContent();
await page.locator("input").fill("filled");
const filled = await readState();
await page.locator("input").pressSequentially("typed");
const typed = await readState();
console.log(`Firefox ${browser.version()}: React's state after fill: "${filled}", after keys: "${typed}"`);
await browser.close();
process.exit(filled === "" && typed.endsWith("typed") ? 0 : 1);
PROGRAM
node run.mjs "$(command -v firefox-esr)"
