import { readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Mutant } from "@stryker-mutator/api/core";
import { Instrumenter } from "@stryker-mutator/instrumenter";
import { createVitest, type Vitest } from "vitest/node";
import { ignoreErrorMessages } from "./ignore-messages";
import { type FileResult, type Survivor, writeResult } from "./report";
import { TARGETS } from "./targets";

/**
 * `npm run mutate [-- FILE…]`: changes one expression of a file at a time, and counts the changes that the file's unit
 * tests notice. FILE may be any part of a path; without arguments it runs all files of targets.ts. The table goes to
 * docs/mutation.md.
 *
 * Stryker's instrumenter writes all mutants of a file into one copy of it, where a global variable selects one. The
 * tests are therefore loaded once for all mutants (runner.ts). With Stryker's own test runner, each mutant loads them
 * again, which takes about 20 times as long.
 */
async function main(pathParts: string[]): Promise<void> {
  const isSelected = (file: string) => pathParts.length === 0 || pathParts.some((part) => file.includes(part));
  const targets = Object.entries(TARGETS).filter(([file]) => isSelected(file));
  if (targets.length === 0) throw new Error(`No file of tests/mutation/targets.ts contains ${pathParts.join(" or ")}.`);
  for (const [file, tests] of targets) {
    const result = await mutateFile(file, tests);
    writeResult(file, result);
    console.log(`${file}: ${result.survivors.length} of ${result.mutantCount} mutants survive`);
  }
}

/** The runner's report. */
export interface Outcome {
  /** Ids of the mutants that a test noticed. */
  killedIds: string[];
  /** Ids of the mutants whose code some test runs. */
  coveredIds: string[];
  /** Ids of the mutants whose code runs while a module loads. */
  loadedIds: string[];
}

const OUTCOME_PATH = join(tmpdir(), `mutation-${process.pid}.json`);

async function mutateFile(file: string, tests: string[]): Promise<FileResult> {
  const path = resolve(file);
  const source = readFileSync(path, "utf8");
  const options = { ignorers: [ignoreErrorMessages], plugins: null, excludedMutations: [] };
  const { files, mutants } = await new Instrumenter(SILENT_LOGGER).instrument(
    [{ name: path, content: source, mutate: true }],
    options,
  );
  const vitest = await startVitest(path, files[0]!.content, tests);
  await vitest.start();
  const hasFailure = vitest.state.getFiles().some(({ result }) => result?.state !== "pass");
  await vitest.close();
  if (hasFailure) throw new Error(`The tests of ${file} fail without any mutant.`);
  const outcome: Outcome = JSON.parse(readFileSync(OUTCOME_PATH, "utf8"));
  rmSync(OUTCOME_PATH);
  return summarizeResults(mutants, outcome, source.split("\n"));
}

/** Starts Vitest with the instrumented code in the place of the file. */
function startVitest(path: string, code: string, tests: string[]): Promise<Vitest> {
  // vitest.config.ts and runner.ts read these variables.
  process.env.MUTATION_TESTS = tests.join(",");
  process.env.MUTATION_OUTCOME = OUTCOME_PATH;
  const load = (id: string) => (id.split("?")[0] === path ? code : undefined);
  const plugins = [{ name: "mutants", enforce: "pre" as const, load }];
  return createVitest("test", { config: "tests/mutation/vitest.config.ts", watch: false }, { plugins });
}

/**
 * Leaves out the mutants of constants, whose code runs only while a module loads. Each of them would need a new process.
 */
function summarizeResults(
  mutants: readonly Mutant[],
  { killedIds, coveredIds, loadedIds }: Outcome,
  lines: string[],
): FileResult {
  const isConstant = ({ id }: Mutant) => loadedIds.includes(id) && !coveredIds.includes(id);
  const counted = mutants.filter((mutant) => mutant.status !== "Ignored" && !isConstant(mutant));
  const survivors = counted.filter(({ id }) => !killedIds.includes(id));
  return { mutantCount: counted.length, survivors: survivors.map((mutant) => toSurvivor(mutant, lines)) };
}

/** Describes a surviving mutant by its first line. Converts the instrumenter's 0-based line to 1-based. */
function toSurvivor({ location: { start, end }, replacement }: Mutant, lines: string[]): Survivor {
  const firstLine = lines[start.line]!;
  const code = firstLine.slice(start.column, start.line === end.line ? end.column : undefined);
  return { line: start.line + 1, code, replacement: shorten(replacement) };
}

const shorten = (text: string) => text.replaceAll(/\s+/g, " ").slice(0, 100);

/** A logger that drops all messages of the instrumenter. */
const SILENT_LOGGER = new Proxy({} as ConstructorParameters<typeof Instrumenter>[0], { get: () => () => false });

await main(process.argv.slice(2));
