import { findWraps } from "../../../domain/activity";
import { computePeriodClose, NOTHING_SAVED, type SignedMark } from "../../../domain/marks";
import { listMarksSetBy, type MarkedWrap } from "../../../domain/spending/spending";
import { STORE_KEYS } from "../../../domain/store-keys";
import { AppError, awaitOrNull, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { fromBase64, toBase64 } from "../../../solana/bytes";
import { decodeTransaction } from "../../../solana/transactions";
import {
  type ClaimRecord,
  createAlreadySavedError,
  endClaims,
  type HeldClaim,
  hashMessage,
  markClaimsSent,
  readClaim,
  readHeldSignature,
  replaceClaim,
  toClaimKey,
  writeClaim,
} from "../../records/claim-records";
import { findKnownMarkedWrap, listPayeeKeys } from "../../records/marked-payees";
import {
  recordRefusalDecision,
  recordSendDecision,
  resolveBound,
  toDecisionKey,
  wasRefused,
} from "../../records/message-records";
import { addToPending, removeFromPending } from "../../records/pending";
import { readAhead } from "../../records/read-ahead";
import { createAttempt, type RelayAttempt } from "../relay/attempt";
import { findLandedOutcome, type Outcome, readCaughtUpStates } from "../relay/outcomes";
import { relayTransaction } from "../relay/relay";
import { isNewerPayment, listNoteKeys, readMessageNote, readPaymentSlot } from "./batch-notes";
import { enforceChainMarks } from "./chain-marks";
import { toProgressKey } from "./mark-search";

/*
 * Takes the claim that a saving needs before it is sent.
 *
 * The problem: two devices, or one device that retries, can sign two messages that save the same payments, period or
 * reference. If both messages land, the wallet saves twice.
 * The invariant: execute lets at most one message of each mark land.
 * How it is kept: a message is sent only while the wallet's claim in the store names it. A claim names one message at a
 * time. It is freed in three cases only: the message has landed, it has certainly expired, or it was refused before it
 * was sent. For the third case, the first atomic write decides whether a message is sent or refused
 * (relay/message-records). The claim also records `sent` before the first send. Only the call that recorded the refusal
 * may free the claim.
 * Example: a phone posts M1. The process takes the claim and dies before it decides to send. The phone posts M1 again
 * while the wallet is empty. The simulation fails, so this call records "refused", finds no trace of M1 on the chain
 * and frees the claim. The laptop's M2 can take the claim at once. If the first process was only slow, it reads
 * "refused" and does not send M1. Without the second post, M2 gets 409 until M1 has landed or certainly expired.
 * `resolveHeldClaim` sends M1 to reach that outcome.
 */

/**
 * Age of a claim from which this process takes over its transaction. The process that took a younger claim may still
 * send the transaction. Most blockhashes expire in this time.
 */
const TAKEOVER_AFTER_MS = 60_000;
/** Maximum number of tries to take a claim. A try fails if another process changes the claim at the same time. */
const MAX_TRIES = 5;

const UNKNOWN_SERVICE_WALLET_TEXT =
  "The transaction's memo marks a saving, but the transaction pays no known service wallet. POST /api/wallet/derive registers a service wallet.";

/**
 * Takes the claim that a transaction with a mark needs before it is sent, and sets `hasClaim`. Does nothing for a
 * transaction without a mark, or without the round-up that its mark would describe. Idempotent: the same message may
 * take its claim again.
 * @returns the outcome if the transaction may only be followed, otherwise null
 * @throws AppError already_saved when another message holds the claim or has saved the mark; simulation_failed when the
 * message was refused before; invalid_transaction when its mark would not count; upstream_unavailable while the nodes
 * do not know the payment that its mark names
 */
export async function takeClaim(liveDeps: Deps, attempt: RelayAttempt): Promise<Outcome | null> {
  const { transaction, txSignature, movements } = attempt;
  const [signedMark, ...otherMarks] = attempt.marks;
  if (!signedMark) return null;
  // The blockhash may be invented: no node knows it, or every node lags. A claim for it could stay until the wallet's
  // next saving resolves it. Such a saving is only followed, never claimed or sent.
  if (attempt.mustReadStateFirst && !attempt.bound?.vouched) {
    attempt.isFollowedOnly = true;
    await addToPending(liveDeps, attempt);
    return relayTransaction(liveDeps, attempt);
  }
  const deps = await readAhead(liveDeps, listClaimKeys(liveDeps, attempt, signedMark));
  // Check this before taking the claim. Only the call that records a refusal frees the claim, and that call is over, so
  // this message would hold the claim until it has certainly expired.
  if (await wasRefused(deps, transaction.message))
    throw await recordRefusal(liveDeps, attempt, new AppError("simulation_failed", { txSignature }));
  if (otherMarks.length > 0)
    throw await recordMarkRefusal(liveDeps, attempt, "A transaction carries one mark at most.");
  if (listMarksSetBy(signedMark.wallet, { marks: [signedMark], movements }, deps.feeCollectors).length === 0)
    return null;
  const wrap = await findKnownMarkedWrap(deps, signedMark, movements);
  if (!wrap) throw await recordMarkRefusal(liveDeps, attempt, UNKNOWN_SERVICE_WALLET_TEXT);
  attempt.hasClaim = true;
  try {
    await acquireClaim(liveDeps, deps, attempt, signedMark, wrap);
  } catch (error) {
    // After any other error the claim may have been written, so the transaction stays listed as pending.
    if (error instanceof AppError && error.code === "already_saved") await removeFromPending(liveDeps, attempt);
    throw error;
  }
  return null;
}

/** Returns the store keys that decide whether an attempt may take its claim. */
function listClaimKeys(deps: Deps, { transaction, movements }: RelayAttempt, signedMark: SignedMark): string[] {
  const { wallet, mark } = signedMark;
  const { recentBlockhash } = transaction.decoded.message;
  const wraps = findWraps(movements, deps.feeCollectors).filter(({ from }) => from === wallet);
  return [
    toDecisionKey(deps, transaction.message),
    toClaimKey(signedMark),
    toProgressKey(signedMark),
    STORE_KEYS.listedPayment.toKey(wallet, mark.value),
    ...wraps.flatMap((wrap) => [
      ...listPayeeKeys(wallet, wrap.to),
      ...listNoteKeys({ ...signedMark, ...wrap, recentBlockhash }),
    ]),
  ];
}

/**
 * Writes the message into the wallet's claim. If another message holds the claim, first follows that message to its
 * outcome.
 * @param prefetchedDeps `liveDeps` with a store that has read `listClaimKeys` in advance; only the first try uses it
 * @throws AppError already_saved, invalid_transaction, upstream_*
 */
async function acquireClaim(
  liveDeps: Deps,
  prefetchedDeps: Deps,
  attempt: RelayAttempt,
  signedMark: SignedMark,
  wrap: MarkedWrap,
): Promise<void> {
  const { transaction, txSignature, bound, newestSlot } = attempt;
  const { value, kind } = signedMark.mark;
  const isThrough = kind === "through";
  const { recentBlockhash } = transaction.decoded.message;
  const messageHash = hashMessage(transaction);
  let slot: number | null = null;
  for (let tryCount = 0; tryCount < MAX_TRIES; tryCount++) {
    const deps = tryCount === 0 ? prefetchedDeps : liveDeps;
    const record = await readClaim(deps, signedMark);
    if (record?.held?.message === messageHash || record?.saved?.message === messageHash) return;
    // Check the mark after the claim. A message that holds it may land, even if no node still knows the named payment.
    slot ??= await requireMarkSlot(deps, attempt, signedMark);
    const lastSaved = record?.saved ?? null;
    // Payments are saved in order. A period or a reference is saved once.
    if (lastSaved && !(isThrough && (await isNewerPayment(deps, signedMark.wallet, { value, slot }, lastSaved))))
      throw createAlreadySavedError(lastSaved);
    const note = isThrough ? await readMessageNote(deps, { ...wrap, recentBlockhash }) : null;
    attempt.noteKeys = note?.keys ?? [];
    const after = note?.after;
    if (after !== undefined && after !== (lastSaved?.value ?? NOTHING_SAVED)) throw new AppError("already_saved");
    if (record?.held) await resolveHeldClaim(liveDeps, signedMark, { ...record, held: record.held });
    else {
      await enforceChainMarks(deps, signedMark, { txSignature, value, slot, after }, record, newestSlot);
      const held = {
        value,
        slot,
        message: messageHash,
        transaction: toBase64(transaction.bytes),
        bound,
        since: deps.clock.now(),
        sent: false,
      };
      // Start with the pending entry. If this process dies after the claim, another process then ends the claim.
      const [listingResult, claimResult] = await Promise.allSettled([
        addToPending(liveDeps, attempt),
        writeClaim(liveDeps, attempt, signedMark, record, { saved: lastSaved, held }),
      ]);
      if (claimResult.status === "rejected") throw claimResult.reason;
      if (listingResult.status === "rejected") {
        // A claim that is not listed would stay until the wallet's next saving.
        const freeClaim = { saved: lastSaved, held: null };
        if (claimResult.value) await awaitOrNull(replaceClaim(liveDeps, signedMark, { ...freeClaim, held }, freeClaim));
        throw listingResult.reason;
      }
      if (claimResult.value) return;
    }
  }
  throw new AppError("already_saved");
}

/**
 * Returns the slot of the payment that a `through` mark names, or 0. Refuses a mark that would not count.
 * @throws AppError invalid_transaction, upstream_unavailable
 */
async function requireMarkSlot(deps: Deps, attempt: RelayAttempt, { wallet, mark }: SignedMark): Promise<number> {
  if (mark.kind === "topup") {
    if ((computePeriodClose(mark.value) ?? Number.POSITIVE_INFINITY) > deps.clock.now()) return 0;
    const message = `The period ${mark.value} is over, and the period after it has ended too.`;
    throw await recordMarkRefusal(deps, attempt, message);
  }
  if (mark.kind === "ref") {
    if (mark.key !== null) return 0;
    const message = "The memo names a reference, but the transfer lacks the reference's key.";
    throw await recordMarkRefusal(deps, attempt, message);
  }
  const slot = await readPaymentSlot(deps, wallet, mark.value, attempt.newestSlot);
  if (slot !== null) return slot;
  throw await recordMarkRefusal(deps, attempt, "The mark names no confirmed transaction that the same wallet signed.");
}

/**
 * Follows the transaction that holds a claim to its outcome, and ends the claim.
 * @throws AppError already_saved while the outcome is unknown, or while the claim is younger than a minute
 */
async function resolveHeldClaim(
  deps: Deps,
  signedMark: SignedMark,
  record: ClaimRecord & { held: HeldClaim },
): Promise<void> {
  const { held } = record;
  const heldAttempt = createAttempt(decodeTransaction(fromBase64(held.transaction)!));
  const landedOutcome = await findLandedOutcome(deps, heldAttempt.txSignature);
  if (landedOutcome) {
    await endClaims(deps, heldAttempt, landedOutcome.error === null);
    return;
  }
  const ageMs = deps.clock.now() - held.since;
  // A negative age means that the clock of the writing instance ran ahead, so the claim's real age is unknown.
  if (ageMs >= 0 && ageMs < TAKEOVER_AFTER_MS) throw new AppError("already_saved");
  const { message, decoded } = heldAttempt.transaction;
  heldAttempt.bound =
    held.bound ??
    (await resolveBound(deps, decoded.message.recentBlockhash, null, deps.signatureWatch.getHighestSlot()));
  // No node gave a bound when the claim was taken. The bound is computed now and stored; otherwise the claim would
  // never expire.
  if (heldAttempt.bound && !held.bound)
    await replaceClaim(deps, signedMark, record, { ...record, held: { ...held, bound: heldAttempt.bound } });
  // Only following the transaction can prove that it can no longer land. Unless it was refused, the service also sends
  // it, because its device has posted these bytes for sending.
  heldAttempt.mustReadStateFirst = true;
  heldAttempt.isFollowedOnly = !(await recordSendDecision(deps, message));
  if (!heldAttempt.isFollowedOnly) await markClaimsSent(deps, heldAttempt);
  const outcome = await relayTransaction(deps, heldAttempt);
  if (outcome.state === "unknown") throw new AppError("already_saved");
  await endClaims(deps, heldAttempt, outcome.state === "landed" && outcome.error === null);
}

/** Records that a transaction is refused because of its mark. Returns the error to throw. */
const recordMarkRefusal = (deps: Deps, attempt: RelayAttempt, message: string) =>
  recordRefusal(deps, attempt, new AppError("invalid_transaction", { message }));

/**
 * Records a refusal before it is answered, and frees the message's claim if it was never sent.
 * @param error simulation_failed or invalid_transaction, which tell the client to rebuild
 * @returns the error to throw: `error`, or upstream_unavailable if another request has sent the message
 */
export async function recordRefusal(deps: Deps, attempt: RelayAttempt, error: AppError): Promise<AppError> {
  const decision = await recordRefusalDecision(deps, attempt.transaction.message);
  if (decision === "sent")
    return new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "refuses what was sent before") });
  if (decision === "first") await awaitOrNull(freeRefusedClaims(deps, attempt));
  return error;
}

/**
 * Frees the claim of a message that was refused and never sent. A node that has caught up must know none of the
 * message's signatures, because a client may have sent it directly. Otherwise the claim stays, and the wallet's next
 * message resolves it. Runs only in the call whose write recorded the refusal: no instance can send the message then.
 * @throws AppError upstream_unavailable when every node lags behind `newestSlot`
 */
async function freeRefusedClaims(deps: Deps, { transaction, txSignature, marks, newestSlot }: RelayAttempt) {
  for (const signedMark of marks) {
    const record = await readClaim(deps, signedMark);
    const held = record?.held;
    if (held?.message !== hashMessage(transaction) || held.sent) continue;
    // The claimed copy may carry another valid signature of the same message, so both signatures are checked.
    const states = await readCaughtUpStates(deps, [...new Set([txSignature, readHeldSignature(held)])], newestSlot);
    if (states.every((state) => state === null))
      await replaceClaim(deps, signedMark, record, { saved: record!.saved, held: null });
  }
}
