import { ApiError } from "../../../lib/sdk";
import type { Fault } from "../fakes/fault-ports";
import type { Operation } from "./fault-operations";
import type { FaultWorld } from "./fault-world";

/** An honest client finishes within this time, whatever failed. */
const PATIENCE_MS = 10 * 60_000;
/** Pause between two attempts of the client. */
const AGAIN_MS = 10_000;
/** Longer than a staged pause, so every delayed call has taken effect. */
const LATE_MS = 90_000;
const SOON_MS = 5_000;
const STEP_MS = 1_000;

export interface Run {
  /** Names of the calls to the store and the nodes. */
  calls: string[];
  /** Broken guarantees. */
  wrong: string[];
}

/**
 * Runs an operation to its end while the staged calls fail.
 * @param pace runs after each staged second, and gives a real store the time to answer
 * @returns the guarantees that did not hold
 */
export async function runWithFaults(
  world: FaultWorld,
  operation: Operation,
  faults: Fault[],
  pace = async () => {},
): Promise<Run> {
  const { clock } = world.sandbox.deps;
  const work = await operation(world);
  await clock.advance(2_000);
  world.begin(faults);
  const began = clock.now();
  const wrong: string[] = [];
  let isOver = false;
  const client = async () => {
    while (clock.now() - began < PATIENCE_MS) {
      try {
        if (await work.attempt()) return;
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
      }
      await clock.sleep(AGAIN_MS);
    }
    wrong.push("the client did not finish within ten minutes");
  };
  const trying = client()
    .catch((error) => wrong.push(`the client ended with ${error}`))
    .finally(() => {
      isOver = true;
    });
  while (!isOver) {
    await clock.advance(STEP_MS);
    await pace();
  }
  await trying;
  const calls = [...world.plan.calls];
  await clock.advance(faults.some(({ kind }) => kind === "takes 70 s") ? LATE_MS : SOON_MS);
  return { calls, wrong: [...wrong, ...(await work.wrong()), ...liesOf(world), ...world.broken] };
}

function* liesOf({ sandbox: { chain }, saidDead, saidLanded }: FaultWorld): Generator<string> {
  for (const signature of saidDead)
    if (chain.signatureInfo(signature)) yield `${signature} landed, though it was said not to`;
  for (const signature of saidLanded)
    if (chain.signatureInfo(signature)?.err !== null) yield `${signature} was said to have landed`;
}
