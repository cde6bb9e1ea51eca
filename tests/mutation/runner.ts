import { setMaxListeners } from "node:events";
import { writeFileSync } from "node:fs";
import { type RunnerTestSuite as Suite, type RunnerTestCase as Test, TestRunner } from "vitest";
import type { Outcome } from "./run";

/** The object through which instrumented code and this runner communicate. Source: @stryker-mutator/instrumenter. */
interface Stryker {
  activeMutant?: string | undefined;
  currentTestId?: string | undefined;
  /**
   * The instrumented code throws after it has passed mutants more than `hitLimit` times, because it may loop forever.
   */
  hitCount?: number | undefined;
  hitLimit?: number | undefined;
  /** How often code with a mutant has run: for each mutant's id, by test, or while modules were loaded. */
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> };
}

/** All test files of one run share this. */
interface SharedState {
  __stryker__?: Stryker;
  __killed__?: Set<string>;
}

const shared = globalThis as SharedState;
shared.__stryker__ ??= { mutantCoverage: { static: {}, perTest: {} } };
shared.__killed__ ??= new Set();
const [stryker, killed] = [shared.__stryker__, shared.__killed__];

// Each run of a test adds a listener to its abort signal.
setMaxListeners(0);

/** A test hangs if it takes longer than this plus ten times its duration without a mutant. */
const MIN_TIMEOUT_MS = 3_000;
/** The instrumented code counts runs with a mutant under this name, apart from the runs without one. */
const MUTATED = "mutated";

/** Runs each test once without a mutant, then once with each mutant whose code it runs and that no test has noticed. */
export default class MutationRunner extends TestRunner {
  override onBeforeTryTask(test: Test): void {
    stryker.currentTestId = test.id;
    super.onBeforeTryTask(test);
  }

  async runTask(test: Test): Promise<void> {
    const start = performance.now();
    await TestRunner.getTestFn(test)();
    const timeoutMs = MIN_TIMEOUT_MS + 10 * (performance.now() - start);
    const hits = Object.entries(stryker.mutantCoverage.perTest[test.id] ?? {});
    stryker.currentTestId = MUTATED;
    for (const [id, count] of hits) {
      if (!killed.has(id) && (await isNoticed(test, id, count * 100, timeoutMs))) killed.add(id);
    }
    stryker.currentTestId = undefined;
  }

  override onAfterRunFiles(): void {
    const { static: loaded, perTest } = stryker.mutantCoverage;
    const { [MUTATED]: _, ...unchanged } = perTest;
    const outcome: Outcome = {
      killedIds: [...killed],
      coveredIds: Object.values(unchanged).flatMap((hits) => Object.keys(hits)),
      loadedIds: Object.keys(loaded),
    };
    writeFileSync(process.env.MUTATION_OUTCOME!, JSON.stringify(outcome));
    super.onAfterRunFiles();
  }
}

/** Returns whether the test fails or hangs with this mutant. */
async function isNoticed(test: Test, mutant: string, hitLimit: number, hangsMs: number): Promise<boolean> {
  Object.assign(stryker, { activeMutant: mutant, hitCount: 0, hitLimit });
  let timer: NodeJS.Timeout | undefined;
  const hangs = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(true), hangsMs);
  });
  try {
    return await Promise.race([hangs, runAgain(test).then(() => stryker.hitCount! > hitLimit)]);
  } catch {
    return true;
  } finally {
    clearTimeout(timer);
    Object.assign(stryker, { activeMutant: undefined, hitCount: undefined });
  }
}

async function runAgain(test: Test): Promise<void> {
  for (const suite of listSuites(test)) {
    for (const hook of TestRunner.getSuiteHooks(suite).beforeEach) await hook(test.context, suite);
  }
  await TestRunner.getTestFn(test)();
}

/** Returns the file and the suites around a test, outermost first. */
function listSuites({ suite, file }: Test): Suite[] {
  const suites: Suite[] = [];
  for (let ancestor = suite; ancestor; ancestor = ancestor.suite) suites.unshift(ancestor);
  return [file, ...suites];
}
