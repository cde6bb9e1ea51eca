import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { createTempFolder, removeFolder } from "../support/app/app";
import { checkCalls } from "./calls";
import { formatReport } from "./report";
import { measureStorage } from "./storage";

/*
 * Counts the calls and commands of the requests that cost most, and the bytes that a wallet leaves in the store. Exits
 * with 1 when a target is missed. Usage: `npm run bench [-- --only calls|kept]`.
 */

const { only } = parseArgs({ options: { only: { type: "string" } } }).values;
if (only !== undefined && !["calls", "kept"].includes(only)) throw new Error("--only is calls or kept");
const folder = createTempFolder();
try {
  if (only !== "kept") {
    console.error("Building the app");
    execFileSync("npm", ["run", "build"], { stdio: ["ignore", "ignore", "inherit"] });
  }
  const checks = only === "kept" ? [] : await checkCalls(folder);
  const storage = only === "calls" ? null : await measureStorage(folder);
  const reportText = formatReport(checks, storage);
  console.log(reportText);
  // Only a full run replaces the kept report.
  if (only === undefined) writeFileSync("tests/bench/latest.md", reportText);
  if (checks.some(({ isMet }) => !isMet)) process.exitCode = 1;
} finally {
  removeFolder(folder);
}
