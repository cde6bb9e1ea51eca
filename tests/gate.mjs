import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

/**
 * `npm test`: runs all checks, in parallel where no check depends on another. Most of the time goes to timers, not to
 * the CPU. The last lines list the failures, because some readers see only the end of the output.
 */

const JOBS = [
  { name: "lint", script: "lint" },
  { name: "unit", script: "test:unit" },
  { name: "build", script: "build" },
  // The build and the type check both write Next's generated files, so they run one after the other.
  { name: "types", script: "typecheck", after: "build" },
  { name: "api", script: "test:api", after: "build" },
  { name: "pages", script: "e2e", after: "build" },
];

/** Matches the line at which vitest or Playwright starts to list failures, and the lines that name each failure. */
const FAILURES = /^⎯+ (Failed|Unhandled) |^ {2}1\) /;
const TITLE = /^ FAIL |^⎯+ Unhandled |^ {2}\d+\) |^ *\w*Error: /;
/** Matches the line with which a test file names what it skips on this machine. */
const SKIPPED = /^skipped: /;
const MOST_LINES = 150;

const done = new Map();
for (const { name, script, after } of JOBS) done.set(name, run(name, script, after && done.get(after)));

const results = await Promise.all(done.values());
for (const { name, word, lines } of results) {
  if (word === "FAILED") console.log(["", ...failuresIn(lines)].map(under(name)).join("\n"));
}
for (const line of new Set(results.flatMap(({ lines }) => lines.filter((line) => SKIPPED.test(line)))))
  console.log(line);
console.log(`\n${results.map(({ name, word, seconds }) => `${word} ${name} (${seconds} s)`).join("\n")}`);
process.exitCode = results.every(({ word }) => word === "passed") ? 0 : 1;

/**
 * Returns a job's failure report. Of a long report it keeps the start, and only the names of later failures. Without a
 * report it returns the job's last lines.
 */
function failuresIn(lines) {
  const from = lines.findIndex((line) => FAILURES.test(stripVTControlCharacters(line)));
  if (from < 0) return lines.slice(-60);
  const late = lines.slice(from + MOST_LINES).filter((line) => TITLE.test(stripVTControlCharacters(line)));
  return [...lines.slice(from, from + MOST_LINES), ...late];
}

function under(name) {
  return (line) => `${name.padEnd(5)} | ${line}`;
}

/** Runs an npm script after the job that it depends on has passed. Prefixes every line with the job's name. */
async function run(name, script, before) {
  if (before && (await before).word !== "passed") return { name, word: "skipped", seconds: 0, lines: [] };
  const lines = [];
  const start = performance.now();
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      console.log(under(name)(line));
    });
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  const seconds = Math.round((performance.now() - start) / 1000);
  return { name, word: code === 0 ? "passed" : "FAILED", seconds, lines };
}
