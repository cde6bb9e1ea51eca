import { must } from "../../domain/not-as-shown";
import { ApiError } from "../calls/api-error";
import { WrongAccountError } from "../errors";
import { isSameMessage, isSignedBy } from "../sign/transactions";
import { buildRest, findDoubts, finish, SENT_SINCE } from "./build";
import type { AskingState } from "./phases";
import { type Outcome, type RelayStage, relay } from "./post-signed";
import { type FlowRecord, type InFlightRecord, type InFlightStep, isSameRequest, type KnownRecord } from "./record";
import type { FlowSpec, SignTransaction, Step } from "./types";
import type { Work } from "./work";

const QUOTE_EXPIRED = "The quote expired, so we refreshed the amounts. Please review again.";
const NEXT_PART = "This needs several parts. This is the next one.";
const EARLIER_LANDED = "The earlier part has arrived. Please review the rest.";

/**
 * Signs and sends the reviewed build. Call it under the wallet's lock. It builds again instead when bytes are in
 * flight, when the wallet sent something since the build, or when the build is too old.
 */
export async function signAndSend(work: Work, sign: SignTransaction): Promise<void> {
  const { spec, memory, world } = work;
  try {
    const stored = await memory.readRecord();
    const stamp = await work.guard(memory.readStamp());
    if (stored?.inFlight) return await adoptRecord(work, stored);
    const reviewed = work.state.record;
    if (!readProgress(work, stored)) return;
    const { state } = work;
    if (state.phase !== "asking") return;
    const { build, record } = state;
    if (stamp !== state.stamp || record.done.length !== reviewed?.done.length)
      return await buildRest(work, { note: SENT_SINCE });
    if (world().clock.now() >= state.expiresAt) return await buildRest(work, { note: QUOTE_EXPIRED });
    const rest = spec.findRest(record.request, record.done);
    if (rest === null) return await finish(work);
    await spec.verify(build, rest);
    const doubts = await work.guard(findDoubts(work, build));
    if (doubts.length > 0) return work.dispatch({ type: "doubtsFound", doubts });
    if (spec.listPrices) await work.guard(world().prices.confirm(spec.listPrices(build)));
    await sendAll(work, state, sign);
  } catch (error) {
    work.check();
    work.dispatch({ type: "failed", error: error as Error });
  }
}

/**
 * Uses the stored record instead of this tab's when both are of the same payment: another tab may have advanced it, and
 * a stale copy would repeat what landed.
 * @returns false when another tab has ended a payment that had begun to land
 */
export function readProgress(work: Work, stored: KnownRecord | null): boolean {
  const { record } = work.state;
  const isContinued = stored !== null && isSameRequest(stored.request, record?.request);
  if (isContinued) work.dispatch({ type: "progressRead", record: stored });
  else if (record?.done.length) work.dispatch({ type: "endedElsewhere" });
  return isContinued || !record?.done.length;
}

/** Follows the stored record, whichever tab stored it, and then shows what is left of it. */
export async function adoptRecord(work: Work, record: FlowRecord): Promise<void> {
  work.dispatch({ type: "recordAdopted", record });
  if (record.inFlight && (await followOutcome(work, record, true)) === null) return;
  await buildRest(work, { note: EARLIER_LANDED });
}

/** Sends each transaction of a verified build. The next one is signed only when the one before has landed. */
async function sendAll(work: Work, { waiting, record: reviewed }: AskingState, sign: SignTransaction): Promise<void> {
  let record = reviewed;
  for (const step of waiting) {
    const inFlight = await signStep(work, step, sign);
    if (inFlight === null) return;
    const landed = await sendStep(work, record, inFlight);
    if (landed === null) return;
    record = landed;
  }
  if (work.spec.findRest(record.request, record.done) === null) return finish(work);
  await buildRest(work, { note: NEXT_PART });
  const next = work.state;
  if (next.phase !== "review" || !work.spec.isAgreed?.(next.build, next.record)) return;
  work.dispatch({ type: "confirmed" });
  const { state } = work;
  if (state.phase === "asking") await sendAll(work, state, sign);
}

/** Returns the signed transaction. Returns null when the wallet did not sign; the state then holds the reason. */
async function signStep(work: Work, step: Step, sign: SignTransaction): Promise<InFlightStep | null> {
  work.check();
  try {
    // Without the race, a wallet that never answers would hold the lock after the person has cancelled.
    const signed = await work.race(sign(step.transaction));
    if (!isSignedBy(signed, work.spec.wallet)) throw new WrongAccountError();
    const about = await work.guard(readSigned(work.spec, step, signed));
    return { label: step.label, about, signed };
  } catch (error) {
    work.check();
    work.dispatch({ type: "signatureMissing", error });
    return null;
  }
}

/** Returns what the record keeps about signed bytes. @throws {NotAsShown} when they differ from the reviewed ones */
async function readSigned(spec: FlowSpec, step: Step, signed: string): Promise<Step["about"]> {
  if (isSameMessage(step.transaction, signed)) return step.about;
  must(spec.verifySigned !== undefined, "changed_by_wallet");
  return spec.verifySigned(step, signed);
}

/**
 * Stores signed bytes, posts them and follows them. Returns the record when they landed, and null otherwise.
 *
 * From here on, nothing is cancelled when the work is superseded. Bytes that may have been posted can land whatever the
 * person does next. If their outcome were not stored, the next start would find them in flight, or would pay again. A
 * superseded work therefore stores the outcome and reports what landed. It only leaves the state alone.
 */
async function sendStep(work: Work, record: KnownRecord, inFlight: InFlightStep): Promise<KnownRecord | null> {
  work.dispatch({ type: "signed" });
  work.dispatch({ type: "stampChanged", stamp: await work.memory.changeStamp() });
  const sent = await work.memory.storeSigned(record, inFlight);
  work.dispatch({ type: "signedStored", record: sent });
  return followOutcome(work, sent, false);
}

/**
 * Posts stored bytes until their outcome is known, and acts on it.
 * @param again whether the bytes may have been posted before
 * @returns the record when they landed; null otherwise, and the state then holds the reason
 */
async function followOutcome(work: Work, sent: InFlightRecord, again: boolean): Promise<KnownRecord | null> {
  const { outcome, record } = await awaitOutcome(work, sent, { again });
  if ("landed" in outcome) {
    if (work.spec.isSpoilable?.(sent.inFlight.about)) await work.memory.setCareful(false);
    return record;
  }
  if ("refused" in outcome) await handleRefusal(work, sent.inFlight, outcome.refused);
  if ("elsewhere" in outcome) work.dispatch({ type: "savedElsewhere", error: outcome.elsewhere });
  return null;
}

/** Builds what is left again where that can help. Other refusals would repeat, so the user sees them. */
async function handleRefusal(work: Work, { label, about }: InFlightStep, refused: ApiError): Promise<void> {
  if (refused.code === "transaction_expired") return buildRest(work, { note: formatExpired(label) });
  const isSpoiled = work.spec.isSpoilable?.(about) && SPOILABLE_CODES.has(refused.code);
  // One careful build follows a refusal. When the service refuses that build too, transfers are not the reason.
  if (!isSpoiled || (await work.memory.isCareful())) return work.dispatch({ type: "failed", error: refused });
  await work.memory.setCareful(true);
  await buildRest(work, { note: formatSpoiled(label) });
}

/**
 * Posts stored bytes until their outcome is known, and stores it.
 * @param options.note shown when the outcome stays unknown
 * @returns the outcome, and the record with it; a record of null means that the outcome is unknown
 */
export async function awaitOutcome(
  work: Work,
  { request, done, inFlight }: InFlightRecord,
  { again, note = null }: { again: boolean; note?: string | null },
): Promise<{ outcome: Outcome; record: KnownRecord | null }> {
  const { label, about, signed } = inFlight;
  const outcome = await post(work, signed, again);
  if ("unknown" in outcome) {
    work.dispatch({ type: "outcomeUnknown", error: outcome.unknown, note });
    return { outcome, record: null };
  }
  const landed = "landed" in outcome ? [{ label, about, txSignature: outcome.landed.txSignature }] : [];
  const record = { request, done: [...done, ...landed], inFlight: null };
  try {
    work.dispatch({ type: "stampChanged", stamp: await work.memory.changeStamp() });
    await work.memory.storeOutcome(record);
  } finally {
    // A storage that fails does not change what landed. A later start finds the bytes in flight and asks again.
    work.dispatch({ type: "outcomeStored", record, landed: landed.length > 0 });
    if ("landed" in outcome) work.world().onLanded(about, outcome.landed.txSignature);
  }
  return { outcome, record };
}

/** An error of any kind leaves the outcome unknown: the bytes may have reached the service. */
async function post(work: Work, signed: string, again: boolean): Promise<Outcome> {
  const { calls, clock, maxWaitMs } = work.world();
  const onStage = (stage: RelayStage) => work.dispatch({ type: "stageChanged", stage });
  try {
    return await relay(signed, { calls, clock, maxWaitMs, again, onStage });
  } catch (cause) {
    return { unknown: new ApiError("unreadable", "The outcome could not be read.", { cause }) };
  }
}

/** Refusals that a stranger's transfer to the wallet can cause. */
const SPOILABLE_CODES: ReadonlySet<string> = new Set(["simulation_failed", "transaction_failed"]);

const formatSpoiled = (label: string) =>
  `“${label}” was refused because the wallet changed before it arrived. Anyone can cause that by sending a little to it. This version cannot be refused that way. Please review again.`;

const formatExpired = (label: string) =>
  `“${label}” expired before it arrived, so nothing happened. We refreshed the amounts. Please review again.`;
