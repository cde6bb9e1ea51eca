#!/usr/bin/env bash
# @sparticuz/chromium 152.0.0 and 153.0.0 (Linux x64, Node 20 or later).
# Guess: after an upgrade of the package, `executablePath()` returns the Chromium that the new version carries.
# Seen: it returns any file named `chromium` in the temporary folder, without a look at its version. On a machine that
# ran the earlier package once, the later one goes on running the earlier browser, and nothing says so.
# Meaning: tests "in Chromium 153" run in 152 until the machine restarts. Give each version its own TMPDIR before the
# import, and print the browser's version in each run.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/temp"

# Installs a version of the package, and prints the version of the browser that it returns.
run_package() {
  mkdir "$folder/$1"
  (
    cd "$folder/$1"
    npm init -y >/dev/null
    npm install --silent --no-audit --no-fund "@sparticuz/chromium@$1" >/dev/null
    cat >run.mjs <<'PROGRAM'
import { execFileSync } from "node:child_process";
const { default: chromium } = await import("@sparticuz/chromium");
console.log(execFileSync(await chromium.executablePath(), ["--version"], { encoding: "utf8" }).trim());
PROGRAM
    AWS_LAMBDA_JS_RUNTIME=nodejs22.x TMPDIR="$2" node run.mjs
  )
}

earlier=$(run_package 152.0.0 "$folder/temp")
later=$(run_package 153.0.0 "$folder/temp")
rm -rf "$folder/153.0.0" && mkdir "$folder/other-temp"
alone=$(run_package 153.0.0 "$folder/other-temp")
echo "package 152.0.0:                                $earlier"
echo "package 153.0.0, in the same temporary folder:  $later"
echo "package 153.0.0, in a new temporary folder:     $alone"
[[ $earlier == "Chromium 152."* && $later == "$earlier" && $alone == "Chromium 153."* ]]
