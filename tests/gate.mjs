import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

/**
 * `npm test`: everything that must hold, side by side where nothing waits for the other. Much of it waits for clocks, not for the
 * machine. Its end tells what failed, to whoever is shown nothing else.
 */

const JOBS = [
  { name: "lint", script: "lint" },
  { name: "unit", script: "test:unit" },
  { name: "build", script: "build" },
  // Both write what Next generates.
  { name: "types", script: "typecheck", after: "build" },
  { name: "api", script: "test:api", after: "build" },
  { name: "pages", script: "e2e", after: "build" },
];

/** Where vitest and Playwright begin to say what failed, and the lines that name each failure. */
const FAILURES = /^⎯+ (Failed|Unhandled) |^ {2}1\) /;
const TITLE = /^ FAIL |^⎯+ Unhandled |^ {2}\d+\) |^ *\w*Error: /;
const MOST_LINES = 150;

const done = new Map();
for (const { name, script, after } of JOBS) done.set(name, run(name, script, after && done.get(after)));

const results = await Promise.all(done.values());
for (const { name, word, lines } of results) {
  if (word === "FAILED") console.log(["", ...failuresIn(lines)].map(under(name)).join("\n"));
}
console.log(`\n${results.map(({ name, word, seconds }) => `${word} ${name} (${seconds} s)`).join("\n")}`);
process.exitCode = results.every(({ word }) => word === "passed") ? 0 : 1;

/** What a job said of its failures, of those that come late no more than the names; its end when it says nothing of the kind. */
function failuresIn(lines) {
  const from = lines.findIndex((line) => FAILURES.test(stripVTControlCharacters(line)));
  if (from < 0) return lines.slice(-60);
  const late = lines.slice(from + MOST_LINES).filter((line) => TITLE.test(stripVTControlCharacters(line)));
  return [...lines.slice(from, from + MOST_LINES), ...late];
}

function under(name) {
  return (line) => `${name.padEnd(5)} | ${line}`;
}

/** Runs an npm script, every line under its job's name, once what it waits for has passed. */
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
