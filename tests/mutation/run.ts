import { readFileSync } from "node:fs";
import { relative } from "node:path";
import type { MutantResult, PartialStrykerOptions } from "@stryker-mutator/api/core";
import { Stryker } from "@stryker-mutator/core";
import { type FileResult, readResult, type Survivor, writeResult } from "./report";
import { TARGETS } from "./targets";

/**
 * `npm run mutate [-- FILE…]`: changes one expression of a file at a time, and counts the changes that the file's unit
 * tests notice.
 * Without arguments it runs all files of targets.ts, which takes minutes per file. FILE may be any part of a path. The
 * table goes to docs/mutation.md, and Stryker's own report to tests/.tmp/mutation.
 * `npm run mutate -- --survivors FILE…` repeats only the mutants that the last run of the same file left alive.
 */
async function main(args: string[]): Promise<void> {
  const onlySurvivors = args[0] === "--survivors";
  const wanted = onlySurvivors ? args.slice(1) : args;
  const isWanted = (file: string) => wanted.length === 0 || wanted.some((part) => file.includes(part));
  const targets = Object.entries(TARGETS).filter(([file]) => isWanted(file));
  if (targets.length === 0) throw new Error(`No file of tests/mutation/targets.ts contains ${wanted.join(" or ")}.`);
  for (const [file, tests] of targets) {
    // vitest.config.ts reads this variable in the runner's process.
    process.env.MUTATION_TESTS = tests.join(",");
    // Long random histories run once per mutant.
    process.env.FUZZ_RUNS ??= "5";
    const mutate = onlySurvivors ? survivorsOf(file) : [file];
    if (mutate.length === 0) continue;
    const result = summarize(file, await new Stryker(optionsFor(file, mutate)).runMutationTest());
    writeResult(file, onlySurvivors ? { ...result, mutants: readResult(file).mutants } : result);
  }
}

const reportOf = (file: string) => `tests/.tmp/mutation/${file.replaceAll("/", "-")}.json`;

/** Returns the parts of a file that the last run changed without any test noticing, as Stryker's option takes them. */
function survivorsOf(file: string): string[] {
  const { files }: { files: Record<string, { mutants: MutantResult[] }> } = JSON.parse(
    readFileSync(reportOf(file), "utf8"),
  );
  return files[file]!.mutants.filter(isAlive).map(({ location: { start, end } }) => {
    // Columns count from 1 in the report, and from 0 in the option.
    return `${file}:${start.line}:${start.column - 1}-${end.line}:${end.column - 1}`;
  });
}

function optionsFor(file: string, mutate: string[]): PartialStrykerOptions {
  return {
    mutate,
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner", "./tests/mutation/ignore-messages.mjs"],
    ignorers: ["messages"],
    vitest: { configFile: "tests/mutation/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    // A static mutant needs a fresh process for every test. The tests that use constants already check them.
    ignoreStatic: true,
    // Long enough that a slow machine does not count as a killed mutant.
    timeoutMS: 20_000,
    concurrency: Number(process.env.MUTATE_PROCESSES ?? 1),
    ignorePatterns: [
      "/*",
      "!/lib",
      "!/app",
      "!/tests",
      "/tests/.tmp",
      "/tests/e2e",
      "!/package.json",
      "!/tsconfig.json",
    ],
    tempDirName: "tests/.tmp/stryker",
    reporters: ["progress", "json"],
    jsonReporter: { fileName: reportOf(file) },
    disableTypeChecks: false,
  };
}

function summarize(file: string, results: MutantResult[]): FileResult {
  const lines = readFileSync(file, "utf8").split("\n");
  const isCounted = ({ status }: MutantResult) => /^(Killed|Timeout|Survived|NoCoverage)$/.test(status);
  const counted = results.filter((one) => isCounted(one) && relative(process.cwd(), one.fileName) === file);
  return { mutants: counted.length, survivors: counted.filter(isAlive).map((mutant) => toSurvivor(mutant, lines)) };
}

const isAlive = ({ status }: Pick<MutantResult, "status">) => status === "Survived" || status === "NoCoverage";

function toSurvivor({ location, replacement }: MutantResult, lines: string[]): Survivor {
  const { start, end } = location;
  const first = lines[start.line - 1] ?? "";
  const code = start.line === end.line ? first.slice(start.column - 1, end.column - 1) : first.slice(start.column - 1);
  return { line: start.line, code, to: shorten(replacement ?? "") };
}

const shorten = (text: string) => text.replaceAll(/\s+/g, " ").slice(0, 100);

await main(process.argv.slice(2));
