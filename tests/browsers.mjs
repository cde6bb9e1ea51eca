import { spawnSync } from "node:child_process";

/*
 * Runs journeys in Debian's browsers: those of `npm test` in its Chromium, which is newer than the pinned one, those with
 * the tag @browsers in Firefox, and a newcomer's in WebKit. A missing browser is skipped by name.
 */

const RUNS = [
  {
    browser: "the newest Chromium",
    commands: ["chromium"],
    packages: "chromium",
    script: "E2E_CHROMIUM=$(which chromium) npm run e2e -- --project core",
  },
  {
    browser: "Firefox",
    commands: ["firefox-esr"],
    packages: "firefox-esr",
    script: "E2E_FIREFOX=$(which firefox-esr) npm run e2e -- --project firefox",
  },
  {
    browser: "WebKit",
    commands: ["WebKitWebDriver", "xvfb-run"],
    packages: "webkit2gtk-driver and xvfb",
    // The browser needs a display.
    script: "xvfb-run --auto-servernum node --import tsx tests/e2e/webkit.ts",
  },
];

const isInstalled = (command) => spawnSync("which", [command]).status === 0;

for (const { browser, commands, packages, script } of RUNS) {
  if (commands.every(isInstalled)) {
    const { status } = spawnSync(script, { shell: true, stdio: "inherit" });
    if (status !== 0) process.exitCode = 1;
  } else console.log(`skipped: journeys in ${browser}; Debian's ${packages} would run them`);
}
