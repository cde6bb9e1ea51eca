import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

/*
 * `npm test`: runs all checks, in parallel where no check depends on another. The last lines list the failures and what
 * was skipped, because some readers see only the end of the output.
 *
 * The API tests need the build, and then mostly wait for a chain in real time. The build and the API tests therefore
 * have the higher priority. The patient jobs use the CPU that is left.
 */

const JOBS = [
  { name: "build", script: "build" },
  { name: "unit", script: "test:unit", patient: true },
  { name: "lint", script: "lint", patient: true },
  { name: "api", script: "test:api", after: "build" },
  { name: "pages", script: "e2e", after: "build", patient: true },
  // The build and the type check both write Next's generated files, so they run one after the other.
  { name: "types", script: "typecheck", after: "build", patient: true },
];

/** Niceness of patient jobs and of every process that they start. */
const PATIENT_NICENESS = 5;

/** Matches the line at which vitest or Playwright starts to list failures, and the lines that name each failure. */
const FAILURE_REPORT = /^⎯+ (Failed|Unhandled) |^ {2}1\) /;
const FAILURE_NAME = /^ FAIL |^⎯+ Unhandled |^ {2}\d+\) |^ *\w*Error: /;
const MAX_LINES = 150;
/** Matches the line with which a test states that this machine cannot run it, and why. */
const SKIP_NOTE = /^skipped: /;

const runs = new Map();
for (const job of JOBS) runs.set(job.name, run(job, job.after && runs.get(job.after)));

const results = await Promise.all(runs.values());
for (const { name, outcome, lines } of results) {
  if (outcome === "FAILED") console.log(["", ...extractFailures(lines)].map(createPrefixer(name)).join("\n"));
}
const skips = results.flatMap(({ name, lines }) =>
  lines
    .map(stripVTControlCharacters)
    .filter((line) => SKIP_NOTE.test(line))
    .map(createPrefixer(name)),
);
if (skips.length > 0) console.log(`\n${[...new Set(skips)].join("\n")}`);
console.log(`\n${results.map(({ name, outcome, seconds }) => `${outcome} ${name} (${seconds} s)`).join("\n")}`);
process.exitCode = results.every(({ outcome }) => outcome === "passed") ? 0 : 1;

/**
 * Returns a job's failure report. Of a long report it keeps the start, and only the names of later failures. Without a
 * report it returns the job's last lines.
 */
function extractFailures(lines) {
  const from = lines.findIndex((line) => FAILURE_REPORT.test(stripVTControlCharacters(line)));
  if (from < 0) return lines.slice(-60);
  const late = lines.slice(from + MAX_LINES).filter((line) => FAILURE_NAME.test(stripVTControlCharacters(line)));
  return [...lines.slice(from, from + MAX_LINES), ...late];
}

function createPrefixer(name) {
  return (line) => `${name.padEnd(5)} | ${line}`;
}

/** Runs an npm script after the job that it depends on has passed. Prefixes every line with the job's name. */
async function run({ name, script, after, patient }, before) {
  if (before && (await before).outcome !== "passed") {
    return { name, outcome: "skipped", seconds: 0, lines: [`skipped: ${after} did not pass`] };
  }
  const lines = [];
  const start = performance.now();
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  if (patient) setPriority(child.pid, PATIENT_NICENESS);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      console.log(createPrefixer(name)(line));
    });
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  const seconds = Math.round((performance.now() - start) / 1000);
  return { name, outcome: code === 0 ? "passed" : "FAILED", seconds, lines };
}
