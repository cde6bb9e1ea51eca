import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createEmbeddedSandbox } from "../support/chain/embedded-sandbox";
import { FAULT_KINDS, type Fault, type FaultKind, isDistinctFault } from "../support/fakes/faulty-port";
import { KEY_OPERATIONS } from "../support/worlds/fault-key-operations";
import { MONEY_OPERATIONS, type StartOperation } from "../support/worlds/fault-operations";
import { createFaultWorld, type FaultWorld } from "../support/worlds/fault-world";
import { type RunResult, runWithFaults } from "../support/worlds/run-with-faults";

/*
 * Stages a fault at every call that the service makes to its store and its nodes, while an honest client retries with
 * the SDK. No payment is made twice. No transaction lands that the service reported as expired or refused. The client
 * finishes within ten minutes.
 */

/** Number of runs of a long test. 0 for a short test. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 0);
/** A short run stages about this many single faults for each operation, because retries repeat the same calls. */
const SINGLE_FAULT_COUNT = 40;
/** Number of random pairs of faults for each operation. */
const FAULT_PAIR_COUNT = RUNS === 0 ? 5 : Math.ceil(RUNS / 20);

/** Creates a function that runs the operation. The runs share one store; after a broken run, the store is new. */
function createRunner(operation: StartOperation) {
  const sandbox = createEmbeddedSandbox();
  let world: FaultWorld | null = null;
  return async (faults: Fault[]): Promise<RunResult> => {
    world ??= await createFaultWorld(sandbox);
    const run = await runWithFaults(world, operation, faults);
    if (run.violations.length > 0) world = null;
    return run;
  };
}

/** Returns every fault kind that has an effect at the call. For a short run, returns one of them. */
function selectKinds(call: string, index: number): FaultKind[] {
  const kinds = FAULT_KINDS.filter((kind) => isDistinctFault(call, kind));
  return RUNS > 0 ? kinds : [kinds[index % kinds.length]!];
}

describe.each(Object.entries({ ...MONEY_OPERATIONS, ...KEY_OPERATIONS }))("%s", (_name, operation) => {
  test("keeps every guarantee when any single call fails", async () => {
    const run = createRunner(operation);
    const { calls, violations } = await run([]);
    expect({ violations }).toEqual({ violations: [] });
    const brokenRuns: string[] = [];
    const step = RUNS > 0 ? 1 : Math.ceil(calls.length / SINGLE_FAULT_COUNT);
    for (let i = 0; i < calls.length; i += step) {
      const call = calls[i]!;
      for (const kind of selectKinds(call, i)) {
        const { violations } = await run([{ callNumber: i + 1, kind }]);
        if (violations.length > 0) brokenRuns.push(`call ${i + 1}, ${call}, ${kind}: ${violations.join("; ")}`);
      }
    }
    expect(brokenRuns).toEqual([]);
  });

  test("keeps every guarantee when two random calls fail", async () => {
    const run = createRunner(operation);
    const { calls } = await run([]);
    const anyFault = fc.record({
      callNumber: fc.integer({ min: 1, max: calls.length }),
      kind: fc.constantFrom(...FAULT_KINDS),
    });
    await fc.assert(
      fc.asyncProperty(anyFault, anyFault, async (firstFault, secondFault) => {
        expect((await run([firstFault, secondFault])).violations).toEqual([]);
      }),
      { numRuns: FAULT_PAIR_COUNT, endOnFailure: true },
    );
  });
});
