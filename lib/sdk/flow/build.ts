import { describeDoubts, type PriceDoubt } from "../prices/guard";
import type { UnreadyBuild, VerifiedBuild } from "./phases";
import { isElsewhere } from "./post-signed";
import type { AnyRequest } from "./record";
import type { FlowState, Offer } from "./state";
import type { BuildResult, FlowSpec } from "./types";
import type { Work } from "./work";

/** How long a build can be signed. A blockhash lives for 150 blocks, at least 30 s; 5 s remain for sending. */
export const VALID_MS = 25_000;

export const SENT_SINCE = "Your wallet sent something else, so we refreshed the amounts. Please review again.";
const PRICE_CHANGED = "The price has changed and you would get less. Please review again.";

interface BuildOptions {
  /** Explains to the person why the transactions are built again. */
  note: string | null;
  /** How many times in a row a timer renewed the build. */
  renewals?: number;
}

/** Builds what is left of the payment and offers it for review. With nothing left, the payment is done. */
export async function buildRest(work: Work, { note, renewals = 0 }: BuildOptions): Promise<void> {
  work.check();
  const { record } = work.state;
  // Nothing is built while an outcome is unknown: the payment could be made twice.
  if (record === null || record.inFlight) return;
  const rest = work.spec.findRest(record.request, record.done);
  if (rest === null) return finish(work);
  // A renewal by a timer keeps this note: the person may not have read it yet.
  const kept = renewals > 0 && work.state.note === SENT_SINCE ? SENT_SINCE : note;
  work.dispatch({ type: "buildStarted", note: kept, renewals });
  try {
    const before = work.state;
    const result = await requestBuild(work, rest);
    if ("refused" in result) work.dispatch({ type: "buildRefused", build: result.refused, stamp: result.stamp });
    else work.dispatch({ type: "buildOffered", offer: toOffer(work, before, result) });
  } catch (cause) {
    work.check();
    const error = cause as Error;
    work.dispatch({ type: isElsewhere(error) ? "savedElsewhere" : "failed", error });
  }
}

/** Removes the record of a payment that landed completely, even if this work was superseded. */
export async function finish(work: Work): Promise<void> {
  await work.memory.removeRecord();
  work.dispatch({ type: "finished" });
}

/** Returns the prices of a build that a person must accept before it is signed. */
export async function findDoubts({ spec, world }: Work, build: BuildResult) {
  return spec.listPrices ? world().prices.listDoubts(spec.listPrices(build)) : [];
}

type VerifiedResult = Pick<Offer, "build" | "waiting" | "doubts" | "expiresAt" | "stamp">;

async function requestBuild(
  work: Work,
  rest: AnyRequest,
): Promise<VerifiedResult | { refused: UnreadyBuild; stamp: string }> {
  const { spec, memory } = work;
  // Read before the request: the build does not know of anything that is sent from now on.
  const stamp = await memory.readStamp();
  const { calls, clock } = work.world();
  const requestedAt = clock.now();
  const isCareful = spec.isSpoilable !== undefined && (await memory.isCareful());
  const answer = await work.guard(spec.build(calls, rest, isCareful));
  const doubts = answer.ready ? await work.guard(findDoubts(work, answer)) : [];
  const plausible = refuseImplausible(answer, doubts);
  const build = await work.guard(verifyBuild(spec, plausible, rest));
  if (!build.ready) return { refused: build, stamp };
  return { build, waiting: spec.listSteps(build, rest), doubts, expiresAt: requestedAt + VALID_MS, stamp };
}

/** Verifies a build that is ready. No other function may make a `VerifiedBuild`. @throws {NotAsShown} */
const verifyBuild = async (spec: FlowSpec, build: BuildResult, rest: AnyRequest) =>
  (build.ready ? await spec.verify(build, rest) : build) as VerifiedBuild | UnreadyBuild;

/** Refuses a build with a price that is out of bounds. Nobody can accept such a price, so a review would be useless. */
function refuseImplausible(build: BuildResult, doubts: readonly PriceDoubt[]): BuildResult {
  const implausible = doubts.filter(({ kind }) => kind === "implausible");
  return implausible.length === 0 ? build : { ...build, ready: false, reason: describeDoubts(implausible) };
}

/** Adds to a verified build what changed since the person last looked. */
function toOffer({ spec }: Work, state: FlowState, result: VerifiedResult): Offer {
  const { build, note, renewals } = state;
  const previous = findReviewed(state);
  const sentSince = build !== null && state.stamp !== result.stamp ? SENT_SINCE : null;
  const isWorse = renewals > 0 && previous !== null && spec.isWorse?.(result.build, previous);
  return { ...result, previous, note: note ?? sentSince ?? (isWorse ? PRICE_CHANGED : null) };
}

/** Returns the build that a person last acted on. Small losses over several renewals add up that way. */
function findReviewed({ build, previous, renewals }: FlowState): VerifiedBuild | null {
  if (renewals > 1 && previous) return previous;
  return build?.ready ? build : null;
}
