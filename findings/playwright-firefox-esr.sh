#!/usr/bin/env bash
# playwright-core 1.64.1 and 1.65.1, Firefox ESR 153 (`firefox-esr` of Debian 12).
# Guess: a minor version of Playwright goes on driving the newest long-term Firefox over WebDriver BiDi.
# Seen: 1.65 opens no page in it. Each new context sends `emulation.setMediaFeaturesOverride`, which Firefox 153 does not
# know, and the failure ends the context. No option avoids the command. 1.64 works.
# Meaning: pin Playwright beside the oldest Firefox that the tests run in, and upgrade the two together.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for version in 1.64.1 1.65.1; do
  mkdir "$folder/$version"
  cd "$folder/$version"
  npm init -y >/dev/null
  npm install --silent --no-audit --no-fund "playwright-core@$version" >/dev/null
  cat >run.mjs <<'PROGRAM'
import { firefox } from "playwright-core";
const browser = await firefox.launch({ channel: "moz-firefox", executablePath: process.argv[2] });
const outcome = await browser.newContext().then(
  () => "opens a context",
  (error) => error.message.split("\n")[0],
);
console.log(`Firefox ${browser.version()}: ${outcome}`);
await browser.close();
PROGRAM
  echo "playwright-core $version, $(node run.mjs "$(command -v firefox-esr)")" | tee -a "$folder/results"
done
grep -q "1.64.1.*opens a context" "$folder/results" && grep -q "1.65.1.*unknown command" "$folder/results"
