import { ApiError } from "../../../lib/sdk";
import type { Fault } from "../fakes/faulty-port";
import type { StartOperation } from "./fault-operations";
import type { FaultWorld } from "./fault-world";

/** An honest client finishes within this time, ms, whatever failed. */
const CLIENT_DEADLINE_MS = 10 * 60_000;
/** Pause between two attempts of the client, ms. */
const RETRY_PAUSE_MS = 10_000;
/** Time for the last calls to take effect, ms. With delayed calls, it is longer than their delay. */
const DELAYED_CALLS_MS = 90_000;
const LAST_CALLS_MS = 5_000;
const STEP_MS = 1_000;

export type RunResult = Awaited<ReturnType<typeof runWithFaults>>;

/**
 * Runs an operation to its end while the staged calls fail.
 * @param waitForStore runs after each staged second, and gives a real store the time to answer
 * @returns the names of the calls to the store and the nodes, in order, and a sentence for each broken guarantee
 */
export async function runWithFaults(
  world: FaultWorld,
  operation: StartOperation,
  faults: Fault[],
  waitForStore = async () => {},
) {
  const { clock } = world.sandbox.deps;
  // Faults of the previous run must not fail the preparation of this run.
  world.startRun([]);
  const work = await operation(world);
  await clock.advance(2_000);
  world.startRun(faults);
  const startedAt = clock.now();
  const violations: string[] = [];
  let isOver = false;
  const runClient = async () => {
    while (clock.now() - startedAt < CLIENT_DEADLINE_MS) {
      try {
        if (await work.attempt()) return;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      await clock.sleep(RETRY_PAUSE_MS);
    }
    violations.push("the client did not finish within ten minutes");
  };
  const clientRun = runClient()
    .catch((error) => violations.push(`the client ended with ${error}`))
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await clock.advance(STEP_MS);
    await waitForStore();
  }
  await clientRun;
  const calls = [...world.plan.calls];
  await clock.advance(faults.some(({ kind }) => kind === "takes 70 s") ? DELAYED_CALLS_MS : LAST_CALLS_MS);
  // A fault that no call of the operation met must not fail a call of the checks.
  world.plan.faults = [];
  return {
    calls,
    violations: [
      ...violations,
      ...(await work.findViolations()),
      ...findFalseAnswers(world),
      ...world.contractViolations,
    ],
  };
}

/** Compares what the service reported with the chain. */
function* findFalseAnswers({ sandbox: { chain }, reportedDead, reportedLanded }: FaultWorld): Generator<string> {
  for (const signature of reportedDead)
    if (chain.findSignature(signature)) yield `${signature} landed, although the service reported it as dead`;
  for (const signature of reportedLanded)
    if (chain.findSignature(signature)?.err !== null) yield `${signature} was reported as landed, but did not`;
}
