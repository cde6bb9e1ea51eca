import { describeDoubts, type PriceDoubt } from "../prices/guard";
import type { AnyRequest } from "./record";
import { isSavedElsewhere } from "./relay";
import type { FlowState, Offer, UnreadyBuild, VerifiedBuild } from "./state";
import type { BuildResult, FlowSpec } from "./types";
import type { Work } from "./work";

/** How long before a transaction expires it must be posted. */
const SENDING_MS = 5_000;

export const SENT_SINCE_NOTE = "Your wallet sent something else, so we refreshed the amounts. Please review again.";
const PRICE_CHANGED_NOTE = "The price has changed and you would get less. Please review again.";

/**
 * Builds what is left of the action and offers it for review. With nothing left, the action is done. The options are
 * members of the next state.
 * @throws {SupersededError} and errors from storage; any other failure ends in the state `failed` or `elsewhere`
 */
export async function buildRemainder(
  work: Work,
  {
    note,
    renewalCount = 0,
    isContinuing = false,
  }: { note: string | null; renewalCount?: number; isContinuing?: boolean },
): Promise<void> {
  work.throwIfSuperseded();
  const { record } = work.state;
  // Nothing is built while an outcome is unknown: the action could be made twice.
  if (record === null || record.inFlight) return;
  const remainingRequest = work.spec.getRemainingRequest(record.request, record.done);
  if (remainingRequest === null) return finishPayment(work);
  // A renewal by a timer keeps this note: the person may not have read it yet.
  const shownNote = renewalCount > 0 && work.state.note === SENT_SINCE_NOTE ? SENT_SINCE_NOTE : note;
  work.dispatch({ type: "buildStarted", note: shownNote, renewalCount, isContinuing });
  try {
    const previousState = work.state;
    const result = await requestBuild(work, remainingRequest);
    if ("refusedBuild" in result)
      work.dispatch({ type: "buildRefused", build: result.refusedBuild, sendCounter: result.sendCounter });
    else work.dispatch({ type: "buildOffered", offer: toOffer(work, previousState, result) });
  } catch (cause) {
    work.throwIfSuperseded();
    const error = cause as Error;
    work.dispatch({ type: isSavedElsewhere(error) ? "savedElsewhere" : "failed", error });
  }
}

/** Removes the record of an action that landed completely, even if this work was superseded. */
export async function finishPayment(work: Work): Promise<void> {
  await work.recordStore.removeRecord();
  work.dispatch({ type: "finished" });
}

export async function findDoubts({ spec, getContext }: Work, build: BuildResult) {
  return spec.listPrices ? getContext().prices.listDoubts(spec.listPrices(build)) : [];
}

type VerifiedResult = Omit<Offer, "previousBuild" | "note" | "isContinuing">;

async function requestBuild(
  work: Work,
  remainingRequest: AnyRequest,
): Promise<VerifiedResult | { refusedBuild: UnreadyBuild; sendCounter: string }> {
  const { spec, recordStore } = work;
  // Read the counter before the request: the build does not know of anything that is sent from now on.
  const sendCounter = await recordStore.readSendCounter();
  const { calls, clock, signingMs = 0 } = work.getContext();
  const requestedAt = clock.now();
  const expectsTransfers = spec.isBlockableByTransfer !== undefined && (await recordStore.expectsTransfers());
  const answer = await work.waitFor(spec.build(calls, remainingRequest, expectsTransfers));
  const doubts = answer.ready ? await work.waitFor(findDoubts(work, answer)) : [];
  const plausibleBuild = refuseImplausiblePrices(answer, doubts);
  const build = await work.waitFor(verifyBuild(spec, plausibleBuild, remainingRequest));
  if (!build.ready) return { refusedBuild: build, sendCounter };
  const unsignedSteps = spec.listSteps(build, remainingRequest);
  const validForMs = Math.min(...unsignedSteps.map((step) => step.validForMs));
  return { build, unsignedSteps, doubts, ...computeDeadlines(requestedAt, validForMs, signingMs), sendCounter };
}

/** Keeps time for the wallet and the network even where blockhashes live for a few seconds. */
function computeDeadlines(requestedAt: number, validForMs: number, signingMs: number) {
  const signBy = requestedAt + validForMs - Math.min(SENDING_MS, validForMs / 4);
  return { signBy, expiresAt: signBy - Math.min(signingMs, validForMs / 2) };
}

/** Verifies a build that is ready. No other function may make a `VerifiedBuild`. @throws {NotAsShown} */
const verifyBuild = async (spec: FlowSpec, build: BuildResult, remainingRequest: AnyRequest) =>
  (build.ready ? await spec.verify(build, remainingRequest) : build) as VerifiedBuild | UnreadyBuild;

/** Refuses a build with a price that is out of bounds. Nobody can accept such a price, so a review would be useless. */
function refuseImplausiblePrices(build: BuildResult, doubts: readonly PriceDoubt[]): BuildResult {
  const implausibleDoubts = doubts.filter(({ kind }) => kind === "implausible");
  return implausibleDoubts.length === 0 ? build : { ...build, ready: false, reason: describeDoubts(implausibleDoubts) };
}

function toOffer({ spec }: Work, state: FlowState, result: VerifiedResult): Offer {
  const { build, note, renewalCount } = state;
  const previousBuild = findReviewedBuild(state);
  const sentSinceNote = build !== null && state.sendCounter !== result.sendCounter ? SENT_SINCE_NOTE : null;
  const needsNewReview =
    renewalCount > 0 && previousBuild !== null && spec.needsNewReview?.(result.build, previousBuild);
  return {
    ...result,
    previousBuild,
    note: note ?? sentSinceNote ?? (needsNewReview ? PRICE_CHANGED_NOTE : null),
    isContinuing:
      state.isContinuing && state.record !== null && spec.isCoveredByReview?.(result.build, state.record) === true,
  };
}

/**
 * Returns the build that a person last acted on; null when there is none. A comparison with the last renewed build
 * would miss small losses that add up over several renewals.
 */
function findReviewedBuild({ build, previousBuild, renewalCount }: FlowState): VerifiedBuild | null {
  if (renewalCount > 1 && previousBuild) return previousBuild;
  return build?.ready ? build : null;
}
