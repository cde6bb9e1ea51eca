import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** `npm test`: everything that must hold, side by side where nothing waits for the other. Much of it waits for clocks, not for the machine. */

const JOBS = [
  { name: "lint", script: "lint" },
  { name: "unit", script: "test:unit" },
  { name: "build", script: "build" },
  // Both write what Next generates.
  { name: "types", script: "typecheck", after: "build" },
  { name: "api", script: "test:api", after: "build" },
  { name: "pages", script: "e2e", after: "build" },
];

const done = new Map();
for (const { name, script, after } of JOBS) done.set(name, run(name, script, after && done.get(after)));

const results = await Promise.all(done.values());
console.log(`\n${results.map(({ name, word, seconds }) => `${word} ${name} (${seconds} s)`).join("\n")}`);
process.exitCode = results.every(({ word }) => word === "passed") ? 0 : 1;

/** Runs an npm script, every line under its job's name, once what it waits for has passed. */
async function run(name, script, before) {
  if (before && (await before).word !== "passed") return { name, word: "skipped", seconds: 0 };
  const start = performance.now();
  const child = spawn("npm", ["run", "--silent", script], { stdio: ["ignore", "pipe", "pipe"] });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => console.log(`${name.padEnd(5)} | ${line}`));
  }
  const code = await new Promise((resolve) => child.once("close", resolve));
  return { name, word: code === 0 ? "passed" : "FAILED", seconds: Math.round((performance.now() - start) / 1000) };
}
