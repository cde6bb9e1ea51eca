import { isCertainlyPastBound, mayBePastBound, mayShareChain } from "../../../domain/expiry";
import { awaitOrNull } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { SignatureReading } from "../../../ports/signature-watch";
import { resolveBoundNow } from "../../records/message-records";
import { isRecordedOutcome, type Outcome, recordOutcome, toLandedOutcome } from "./outcomes";
import { type FollowedPosting, readPayer } from "./posting";
import { recordEvent } from "./record-event";

/*
 * Sends a signed transaction and follows it to its outcome.
 *
 * The outcome `expired` is given only if the transaction can no longer land: two readings of a node's history, at least
 * 2 s apart and on one chain, must lack the signature past the transaction's bound plus a margin (domain/expiry). If
 * this service did not hand out the blockhash, a node must also say that the blockhash is no longer valid. Everything
 * else is `unknown`, and the client keeps asking.
 */

const CALLER_WAIT_MS = 25_000;
/** Upper limit for following a transaction: by then every transaction has landed or expired. */
const MAX_FOLLOW_MS = 5 * 60_000;
/** Interval for resending the same bytes, which is idempotent. Leaders drop transactions under load. */
const RESEND_MS = 1_500;
const MAX_POLL_MS = 1_000;
/** The first poll is one slot after the first send. Most transactions land within the first polls. */
const POLL_GROWTH = 1.25;
/** Interval of polls before the first send. Only the wallet itself can have sent the transaction then. */
const UNSENT_POLL_MS = 2_500;
/** Interval between readings that may prove the expiry. It keeps the two decisive readings at least 2 s apart. */
const EXPIRY_POLL_MS = 2_500;

/**
 * Sends the bytes repeatedly until they have landed or certainly expired. Returns `unknown` after CALLER_WAIT_MS; the
 * work then continues in the background if the process allows it. Concurrent calls for one signature share a follower.
 */
export async function relayTransaction(deps: Deps, posting: FollowedPosting): Promise<Outcome> {
  const unknownAfterTimeout = deps.clock.sleep(CALLER_WAIT_MS).then((): Outcome => ({ state: "unknown" }));
  const { txSignature, transaction, pendingEntry, isFollowedOnly } = posting;
  // A call that only follows does not share the follower of a call that sends.
  const key = `${isFollowedOnly ? "unsent:" : ""}${txSignature}`;
  const following = deps.background.run(key, (reserveBackgroundPlace) => {
    const releasePlace = deps.places.takeForTransaction(txSignature, readPayer(transaction), true);
    return followTransaction(deps, posting, reserveBackgroundPlace).finally(releasePlace);
  });
  const recording = deps.background.run(`record ${key}`, async () => recordOutcome(deps, posting, await following));
  // The caller waits only for the record. A process that dies before the event is written leaves it pending.
  if (pendingEntry)
    void deps.background.run(`event ${pendingEntry.name}`, async () => {
      const outcome = await following;
      if (outcome.state !== "unknown")
        await awaitOrNull(recordEvent(deps, pendingEntry, outcome, recording.then(isRecordedOutcome)));
    });
  return Promise.race([recording, unknownAfterTimeout]);
}

interface SendState {
  /** The first send while it waits for its turn, or for a node; otherwise null. */
  firstSend: Promise<void> | null;
  /** True once no new send may start. */
  isStopped: boolean;
  /** True once the outcome is known. Sends that are still queued are then dropped. */
  isOutcomeKnown: boolean;
}

async function followTransaction(
  deps: Deps,
  posting: FollowedPosting,
  reserveBackgroundPlace: () => boolean,
): Promise<Outcome> {
  const sendState: SendState = { firstSend: null, isStopped: false, isOutcomeKnown: false };
  // The sends begin first, because the first poll waits for the first send.
  const sending = posting.isFollowedOnly ? [] : [resendUntilStopped(deps, posting, sendState)];
  const outcomePolling = pollOutcome(deps, posting, reserveBackgroundPlace, sendState);
  const outcome = await Promise.race([outcomePolling, ...sending]).finally(() => {
    sendState.isStopped = true;
  });
  sendState.isOutcomeKnown = outcome.state !== "unknown";
  return outcome;
}

/** Sends at an interval until stopped. Ignores upstream failures, which do not tell the outcome. Never resolves. */
async function resendUntilStopped(
  { clock, rpc }: Deps,
  { transaction, bound, mustReadStateFirst }: FollowedPosting,
  sendState: SendState,
) {
  // The first reading needs time to find that the transaction has already landed.
  if (mustReadStateFirst) await clock.sleep(RESEND_MS);
  for (let isFirst = true; !sendState.isStopped; isFirst = false) {
    const shouldSend = () => !sendState.isOutcomeKnown;
    const sending = awaitOrNull(rpc.send(transaction.bytes, bound?.lastValidBlockHeight, shouldSend));
    if (isFirst)
      sendState.firstSend = sending
        .catch(() => {})
        .then(() => {
          sendState.firstSend = null;
        });
    await sending;
    await clock.sleep(RESEND_MS);
  }
  return new Promise<never>(() => {});
}

/**
 * Polls until the outcome is certain. Returns `unknown` after MAX_FOLLOW_MS, and already after CALLER_WAIT_MS if the
 * posting has `mustReadStateFirst` or no place for background work is free.
 */
async function pollOutcome(
  deps: Deps,
  posting: FollowedPosting,
  reserveBackgroundPlace: () => boolean,
  sendState: SendState,
): Promise<Outcome> {
  const { clock, rpc, signatureWatch } = deps;
  const { txSignature, transaction, mustReadStateFirst } = posting;
  const { recentBlockhash } = transaction.decoded.message;
  let startedAt = clock.now();
  let { bound } = posting;
  let boundReadAt = startedAt;
  let shouldSearchHistory = mustReadStateFirst;
  let pollMs = rpc.getSlotTime().slotMs;
  let previousReadingPastBound: SignatureReading | null = null;
  for (;;) {
    if (sendState.firstSend && !shouldSearchHistory) {
      await Promise.race([sendState.firstSend, clock.sleep(UNSENT_POLL_MS)]);
      pollMs = rpc.getSlotTime().slotMs;
    }
    const reading = await signatureWatch.poll(txSignature, { searchHistory: shouldSearchHistory, withinMs: pollMs });
    // A system clock that was set back would otherwise prolong the following by as much.
    startedAt = Math.min(startedAt, clock.now());
    boundReadAt = Math.min(boundReadAt, clock.now());
    const landedOutcome = toLandedOutcome(reading?.state ?? null);
    if (landedOutcome) return landedOutcome;
    if (reading?.state) previousReadingPastBound = null;
    else if (reading) {
      // After a rollback of the chain, the earlier reading proves nothing: the transaction can land in a new block.
      if (previousReadingPastBound && reading.head && !mayShareChain(previousReadingPastBound.head!, reading.head))
        previousReadingPastBound = null;
      if (!bound && clock.now() - boundReadAt >= EXPIRY_POLL_MS) {
        boundReadAt = clock.now();
        bound = await awaitOrNull(resolveBoundNow(deps, recentBlockhash));
      }
      if (bound && reading.head !== null && isCertainlyPastBound(bound, reading.slot, reading.head)) {
        sendState.isStopped = true;
        // A node that still accepts the blockhash disproves a bound that no node vouched for.
        const isExpired = bound.vouched || (await awaitOrNull(rpc.isBlockhashValid(recentBlockhash))) === false;
        if (isExpired && previousReadingPastBound) return { state: "expired", isRecorded: false };
        previousReadingPastBound = isExpired ? reading : null;
      }
      shouldSearchHistory = bound !== null && mayBePastBound(bound, reading.slot);
    }
    const ageMs = clock.now() - startedAt;
    const mustStop = ageMs >= CALLER_WAIT_MS && (mustReadStateFirst || !reserveBackgroundPlace());
    if (mustStop || ageMs >= MAX_FOLLOW_MS) return { state: "unknown" };
    pollMs = shouldSearchHistory ? EXPIRY_POLL_MS : Math.min(MAX_POLL_MS, pollMs * POLL_GROWTH);
  }
}
