import { assertAsShown } from "../../domain/not-as-shown";
import { ApiError } from "../calls/api-error";
import { WrongAccountError } from "../errors";
import { isPaidAndSignedBy, isSameMessage } from "../sign/transactions";
import { buildRemainder, findDoubts, finishPayment, SENT_SINCE_NOTE } from "./build";
import { type FlowRecord, type InFlightRecord, type InFlightStep, isSameRequest, type KnownRecord } from "./record";
import { type RelayOutcome, type RelayStage, relay } from "./relay";
import type { FlowState } from "./state";
import type { FlowSpec, SignTransaction, Step } from "./types";
import type { Work } from "./work";

const QUOTE_EXPIRED_NOTE = "The quote expired, so we refreshed the amounts. Please review again.";
const NEXT_PART_NOTE = "This needs several parts. This is the next one.";
const EARLIER_LANDED_NOTE = "The earlier part is done. Please review the rest.";

/**
 * Signs and sends the reviewed build. Call it under the wallet's lock. It builds again instead when bytes are in
 * flight, when the wallet sent a transaction since the build, or when the build is too old.
 * @throws {SupersededError} any other failure ends in the state `failed`
 */
export async function signAndSend(work: Work, sign: SignTransaction): Promise<void> {
  const { spec, recordStore, getContext } = work;
  try {
    const storedRecord = await recordStore.readRecord();
    const sendCounter = await work.waitFor(recordStore.readSendCounter());
    if (storedRecord?.inFlight) return await adoptRecord(work, storedRecord);
    const reviewedRecord = work.state.record;
    if (!adoptProgress(work, storedRecord)) return;
    const { state } = work;
    if (state.phase !== "asking") return;
    const { build, record } = state;
    if (sendCounter !== state.sendCounter || record.done.length !== reviewedRecord?.done.length)
      return await buildRemainder(work, { note: SENT_SINCE_NOTE });
    if (getContext().clock.now() >= state.expiresAt) return await buildRemainder(work, { note: QUOTE_EXPIRED_NOTE });
    const remainingRequest = spec.getRemainingRequest(record.request, record.done);
    if (remainingRequest === null) return await finishPayment(work);
    await spec.verify(build, remainingRequest);
    const doubts = await work.waitFor(findDoubts(work, build));
    if (doubts.length > 0) return work.dispatch({ type: "doubtsFound", doubts });
    if (spec.listPrices) await work.waitFor(getContext().prices.confirm(spec.listPrices(build)));
    await sendAll(work, state, sign);
  } catch (error) {
    work.throwIfSuperseded();
    work.dispatch({ type: "failed", error });
  }
}

/**
 * Uses the stored record instead of this tab's when both are of the same action. Another tab may have advanced the
 * action, and a stale copy would repeat what landed.
 * @returns whether the action can continue: false when another tab has ended an action that had begun to land
 */
export function adoptProgress(work: Work, storedRecord: KnownRecord | null): boolean {
  const { record } = work.state;
  const isSamePayment = storedRecord !== null && isSameRequest(storedRecord.request, record?.request);
  if (isSamePayment) work.dispatch({ type: "progressRead", record: storedRecord });
  else if (record?.done.length) work.dispatch({ type: "endedElsewhere" });
  return isSamePayment || !record?.done.length;
}

/** Follows the bytes in flight of a stored record, whichever tab stored it. Then it builds what is left of it. */
export async function adoptRecord(work: Work, record: FlowRecord): Promise<void> {
  work.dispatch({ type: "recordAdopted", record });
  if (record.inFlight && (await followOutcome(work, record, true)) === null) return;
  await buildRemainder(work, { note: EARLIER_LANDED_NOTE });
}

type AskingState = Extract<FlowState, { phase: "asking" }>;

/**
 * Sends each transaction of a verified build. Each is signed only when the previous one has landed. Builds the rest again
 * when the time that is left is too short for a signature.
 */
async function sendAll(work: Work, reviewedState: AskingState, sign: SignTransaction): Promise<void> {
  let { record } = reviewedState;
  for (const [i, step] of reviewedState.unsignedSteps.entries()) {
    if (i > 0 && work.getContext().clock.now() >= reviewedState.expiresAt) break;
    const inFlight = await signStep(work, step, sign);
    if (inFlight === null) return;
    const landedRecord = await sendStep(work, record, inFlight);
    if (landedRecord === null) return;
    record = landedRecord;
  }
  if (work.spec.getRemainingRequest(record.request, record.done) === null) return finishPayment(work);
  await buildRemainder(work, { note: NEXT_PART_NOTE, isContinuing: work.spec.isCoveredByReview !== undefined });
  const nextState = work.state;
  if (nextState.phase !== "review" || !nextState.isContinuing) return;
  work.dispatch({ type: "confirmed" });
  const { state } = work;
  if (state.phase === "asking") await sendAll(work, state, sign);
}

/** Returns null when the wallet did not sign; the state then holds the reason. */
async function signStep(work: Work, step: Step, sign: SignTransaction): Promise<InFlightStep | null> {
  work.throwIfSuperseded();
  try {
    // Without the race, a wallet that never answers would hold the lock after the person has cancelled.
    const signed = await work.waitUntilSuperseded(sign(step.transaction));
    if (!isPaidAndSignedBy(signed, step.signer ?? work.spec.wallet)) throw new WrongAccountError();
    const about = await work.waitFor(verifySignedStep(work.spec, step, signed));
    return { label: step.label, about, signed };
  } catch (error) {
    work.throwIfSuperseded();
    work.dispatch({ type: "signatureMissing", error });
    return null;
  }
}

/** @throws {NotAsShown} when the wallet changed more than it may */
async function verifySignedStep(spec: FlowSpec, step: Step, signed: string): Promise<Step["about"]> {
  if (isSameMessage(step.transaction, signed)) return step.about;
  assertAsShown(spec.verifySigned !== undefined, "changed_by_wallet");
  return spec.verifySigned(step, signed);
}

/**
 * Stores signed bytes, posts them and follows them. Returns the record when they landed, and null otherwise. Superseded
 * work continues here and only leaves the state unchanged: posted bytes can land whatever the person does next, and
 * without their outcome the next start could pay again.
 */
async function sendStep(work: Work, record: KnownRecord, inFlight: InFlightStep): Promise<KnownRecord | null> {
  work.dispatch({ type: "signed" });
  work.dispatch({ type: "sendCounterChanged", sendCounter: await work.recordStore.incrementSendCounter() });
  const inFlightRecord = await work.recordStore.storeInFlight(record, inFlight);
  work.dispatch({ type: "signedStored", record: inFlightRecord });
  return followOutcome(work, inFlightRecord, false);
}

/** @returns the record when the bytes landed; null otherwise, and the state then holds the reason */
async function followOutcome(
  work: Work,
  inFlightRecord: InFlightRecord,
  mayHaveBeenPosted: boolean,
): Promise<KnownRecord | null> {
  const { outcome, record } = await awaitOutcome(work, inFlightRecord, { mayHaveBeenPosted });
  if ("landed" in outcome) {
    if (work.spec.isBlockableByTransfer?.(inFlightRecord.inFlight.about))
      await work.recordStore.setExpectsTransfers(false);
    return record;
  }
  if ("refused" in outcome) await handleRefusal(work, inFlightRecord.inFlight, outcome.refused);
  if ("elsewhere" in outcome) work.dispatch({ type: "savedElsewhere", error: outcome.elsewhere });
  return null;
}

/** Builds what is left again after a refusal that a new build can avoid. Any other refusal fails the action. */
async function handleRefusal(work: Work, { label, about }: InFlightStep, refusal: ApiError): Promise<void> {
  if (refusal.code === "transaction_expired") return buildRemainder(work, { note: formatExpiredNote(label) });
  const mayBeBlocked = work.spec.isBlockableByTransfer?.(about) && BLOCKED_BY_TRANSFER_CODES.has(refusal.code);
  // One build that expects transfers follows a refusal. If the service refuses that build too, no transfer was the reason.
  if (!mayBeBlocked || (await work.recordStore.expectsTransfers()))
    return work.dispatch({ type: "failed", error: refusal });
  await work.recordStore.setExpectsTransfers(true);
  await buildRemainder(work, { note: formatBlockedNote(label) });
}

/** @returns the outcome and the record that contains it; null when it stays unknown, which `note` then explains */
export async function awaitOutcome(
  work: Work,
  { request, done, inFlight }: InFlightRecord,
  { mayHaveBeenPosted, note = null }: { mayHaveBeenPosted: boolean; note?: string | null },
): Promise<{ outcome: RelayOutcome; record: KnownRecord | null }> {
  const { label, about, signed } = inFlight;
  const outcome = await relayOrUnknown(work, signed, mayHaveBeenPosted);
  if ("unknown" in outcome) {
    work.dispatch({ type: "outcomeUnknown", error: outcome.unknown, note });
    return { outcome, record: null };
  }
  const landedSteps = "landed" in outcome ? [{ label, about, txSignature: outcome.landed.txSignature }] : [];
  const record = { request, done: [...done, ...landedSteps], inFlight: null };
  try {
    work.dispatch({ type: "sendCounterChanged", sendCounter: await work.recordStore.incrementSendCounter() });
    await work.recordStore.storeOutcome(record);
  } finally {
    // A storage failure does not change what landed. A later start finds the bytes in flight and asks again.
    work.dispatch({ type: "outcomeStored", record, hasLanded: landedSteps.length > 0 });
    if ("landed" in outcome) work.getContext().onLanded?.(about, outcome.landed.txSignature);
  }
  return { outcome, record };
}

/** Relays signed bytes. An error of any kind leaves the outcome unknown: the bytes may have reached the service. */
async function relayOrUnknown(work: Work, signed: string, mayHaveBeenPosted: boolean): Promise<RelayOutcome> {
  const { calls, clock, maxWaitMs } = work.getContext();
  const onStage = (stage: RelayStage) => work.dispatch({ type: "stageChanged", stage });
  try {
    return await relay(signed, { calls, clock, maxWaitMs, mayHaveBeenPosted, onStage });
  } catch (cause) {
    return { unknown: new ApiError("unreadable", "The outcome could not be read.", { cause }) };
  }
}

/** Refusals that a stranger's transfer to the wallet can cause. */
const BLOCKED_BY_TRANSFER_CODES: ReadonlySet<string> = new Set(["simulation_failed", "transaction_failed"]);

const formatBlockedNote = (label: string) =>
  `“${label}” was refused because the wallet changed before it arrived. Anyone can cause that by sending a little to it. This version cannot be refused that way. Please review again.`;

const formatExpiredNote = (label: string) =>
  `“${label}” expired before it arrived, so nothing happened. We refreshed the amounts. Please review again.`;
