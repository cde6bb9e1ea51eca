import { spawn } from "node:child_process";
import { setPriority } from "node:os";
import { createInterface } from "node:readline";
import { stripVTControlCharacters } from "node:util";

/*
 * Runs the checks of `npm test`, in parallel where no check depends on another. The last lines list the browser's
 * version, what was skipped, each result and the error of each failure: some readers see only the end of the output.
 *
 * The API tests need the build, and then mostly wait for a chain in real time. The build and the API tests therefore
 * have the higher priority. The other jobs use the CPU that is left.
 */

const JOBS = [
  { name: "build", script: "build" },
  { name: "unit", script: "test:unit", isLowPriority: true },
  { name: "lint", script: "lint", isLowPriority: true },
  { name: "api", script: "test:api", after: "build" },
  { name: "pages", script: "test:pages", after: "build", isLowPriority: true },
  // The build and the type check both write Next's generated files, so they run one after the other.
  { name: "types", script: "typecheck", after: "build", isLowPriority: true },
];

/** Niceness of low-priority jobs and of every process that they start. */
const LOW_PRIORITY_NICENESS = 5;

/** Matches the line at which vitest or Playwright starts to list failures. */
const FAILURE_REPORT_PATTERN = /^⎯+ (Failed|Unhandled) |^ {2}1\) /;
/** Matches the lines that name a failure. */
const FAILURE_NAME_PATTERN = /^ FAIL |^⎯+ Unhandled |^ {2}\d+\) |^ *\w*Error: /;
/** Maximum number of lines that are printed of a failure report, before the names of later failures. */
const MAX_REPORT_LINES = 150;
/** Matches a line that says which browser ran, or what this machine cannot run and why. */
const NOTE_PATTERN = /^(browser|skipped): /;

const SLOW_TESTS_NOTE = "skipped: slow tests; `npm run test:slow` runs them, and CI does";

const runs = new Map();
for (const job of JOBS) runs.set(job.name, runJob(job, job.after && runs.get(job.after)));

const results = await Promise.all(runs.values());
for (const { name, outcome, lines } of results) {
  if (outcome === "FAILED") console.log(["", ...extractFailures(lines)].map(createPrefixer(name)).join("\n"));
}
const notes = results.flatMap(({ name, lines }) =>
  lines
    .map(stripVTControlCharacters)
    .filter((line) => NOTE_PATTERN.test(line))
    .map(createPrefixer(name)),
);
console.log(`\n${[SLOW_TESTS_NOTE, ...new Set(notes)].join("\n")}`);
console.log();
for (const { name, outcome, seconds, lines } of results) {
  console.log(`${outcome} ${name} (${seconds} s)`);
  if (outcome === "FAILED") console.log(nameFailures(lines).map(createPrefixer(name)).join("\n"));
}
process.exitCode = results.every(({ outcome }) => outcome === "passed") ? 0 : 1;

/**
 * Returns a job's failure report. A long report is cut to its start and the names of the later failures. Without a
 * report, returns the job's last lines.
 */
function extractFailures(lines) {
  const start = lines.findIndex((line) => FAILURE_REPORT_PATTERN.test(stripVTControlCharacters(line)));
  if (start < 0) return lines.slice(-60);
  return [...lines.slice(start, start + MAX_REPORT_LINES), ...nameFailures(lines.slice(start + MAX_REPORT_LINES))];
}

/** Returns the lines that name a failure and its error, each once. */
function nameFailures(lines) {
  return [...new Set(lines.map(stripVTControlCharacters).filter((line) => FAILURE_NAME_PATTERN.test(line)))];
}

/** Creates a function that prefixes a line with the job's name. */
function createPrefixer(name) {
  return (line) => `${name.padEnd(5)} | ${line}`;
}

/** Runs an npm script after the job that it depends on has passed. Prefixes every line with the job's name. */
async function runJob({ name, script, after, isLowPriority }, dependency) {
  if (dependency && (await dependency).outcome !== "passed") {
    return { name, outcome: "skipped", seconds: 0, lines: [`skipped: ${after} did not pass`] };
  }
  const lines = [];
  const startedAt = performance.now();
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  if (isLowPriority) setPriority(child.pid, LOW_PRIORITY_NICENESS);
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      console.log(createPrefixer(name)(line));
    });
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  return { name, outcome: code === 0 ? "passed" : "FAILED", seconds, lines };
}
