import { computePeriodClose, type SignedMark } from "../../../domain/marks";
import { listMarksSetBy } from "../../../domain/spending/spending";
import { AppError, awaitOrNull, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { toBase64 } from "../../../solana/bytes";
import {
  type ClaimRecord,
  endClaims,
  type HeldClaim,
  hashMessage,
  markClaimsSent,
  readClaim,
  readHeldSignature,
  replaceClaim,
  writeClaim,
} from "../../records/claim-records";
import { recordRefusalDecision, recordSendDecision, resolveBoundNow, wasRefused } from "../../records/message-records";
import { addToPending, type PendingEntry, removeFromPending } from "../../records/pending";
import { paysServiceWallet } from "../../records/service-wallets";
import { findLandedOutcome, type Outcome, readCaughtUpStates } from "../relay/outcomes";
import {
  decodeEarlierPosting,
  hasTokenInstructions,
  type KnownPosting,
  type SendablePosting,
  type SimulatedPosting,
} from "../relay/posting";
import { relayTransaction } from "../relay/relay";
import {
  createIncompleteHistoryError,
  findSaved,
  readStoredStanding,
  refuseUnlessNext,
  type StoredStanding,
} from "./next-saving";
import { readPaymentSlot } from "./payment-slot";

/*
 * Takes the claim that a saving needs before it is sent, so that execute lets at most one message of each mark land.
 *
 * A message is sent only while the wallet's claim in the store names it (records/claim-records). Of a message that was
 * refused unsent, only the call that recorded the refusal may free the claim. A process that died with a claim leaves it
 * to the same bytes when they are posted again, or to the wallet's next saving: `resolveHeldClaim` sends the held message
 * to reach its outcome.
 */

/** Age of a claim from which this process takes over its transaction. Until then its own process may still send it. */
const TAKEOVER_AFTER_MS = 60_000;
/** A try fails if another process changes the claim at the same time. */
const MAX_TRIES = 5;

const UNCOUNTED_TOKENS_TEXT =
  "The transaction's memo marks a saving, but the transaction pays no fee of it from the wallet's own account.";
const UNKNOWN_SERVICE_WALLET_TEXT =
  "The transaction's memo marks a saving, but the transaction pays no known savings wallet. POST /api/wallet/derive registers a savings wallet.";

/**
 * Takes the claim that a transaction with a mark needs. Does nothing for a transaction without a mark, or without the
 * saving that its mark would describe. The same message may take its claim again.
 * @returns the outcome if the transaction may only be followed, otherwise the posting, ready to be sent
 * @throws AppError already_saved when another message holds the claim or has saved the mark; simulation_failed when the
 * message was refused before; invalid_transaction when its mark would not count; upstream_unavailable while the nodes
 * do not know the payment that its mark names
 */
export async function takeClaim(deps: Deps, posting: SimulatedPosting): Promise<Outcome | SendablePosting> {
  const { transaction, txSignature, movements } = posting;
  const [signedMark, ...otherMarks] = posting.marks;
  const unclaimedPosting = { ...posting, hasClaim: false, pendingEntry: null };
  if (!signedMark) return unclaimedPosting;
  // The blockhash may be invented: no node knows it, or every node lags. A claim for it could stay for long, so such a
  // saving is only followed. So is one by an allowance that no simulation has proven: its wallet has not signed it.
  if (posting.mustReadStateFirst && (!posting.bound?.vouched || signedMark.delegate !== undefined)) {
    const pendingEntry = await addToPending(deps, posting, { hasClaim: false, isFollowedOnly: true });
    return relayTransaction(deps, { ...posting, pendingEntry, isRelayed: false, isFollowedOnly: true });
  }
  // All reads start in the same tick, so that a shared store gets one command.
  const [isRefused, hasServiceWallet, standing] = await Promise.all([
    wasRefused(deps, transaction.message),
    paysServiceWallet(deps, signedMark, movements),
    readStoredStanding(deps, signedMark),
  ]);
  // Only the call that records a refusal frees the claim, and that call is over.
  if (isRefused) throw await recordRefusal(deps, posting, new AppError("simulation_failed", { txSignature }));
  if (otherMarks.length > 0) throw await recordMarkRefusal(deps, posting, "A transaction carries one mark at most.");
  if (listMarksSetBy(signedMark.wallet, { marks: [signedMark], movements }, deps.feeCollectors).length === 0) {
    // A token account may change its owner until the transaction lands. The mark would then count without a claim.
    if (hasTokenInstructions(transaction)) throw await recordMarkRefusal(deps, posting, UNCOUNTED_TOKENS_TEXT);
    return unclaimedPosting;
  }
  if (!hasServiceWallet) throw await recordMarkRefusal(deps, posting, UNKNOWN_SERVICE_WALLET_TEXT);
  let pendingEntry: PendingEntry | null = null;
  const listAsPending = async () => {
    pendingEntry ??= await addToPending(deps, posting, { hasClaim: true, isFollowedOnly: false });
  };
  try {
    await acquireClaim(deps, posting, signedMark, standing, listAsPending);
  } catch (error) {
    // After any other error the claim may have been written, so the transaction stays listed as pending.
    if (error instanceof AppError && error.code === "already_saved") await removeFromPending(deps, pendingEntry);
    throw error;
  }
  return { ...posting, hasClaim: true, pendingEntry };
}

/**
 * Writes the message into the wallet's claim. First follows another message that holds the claim to its outcome.
 * @param firstStanding serves the first try; the later ones read it again
 */
async function acquireClaim(
  deps: Deps,
  posting: SimulatedPosting,
  signedMark: SignedMark,
  firstStanding: StoredStanding,
  listAsPending: () => Promise<void>,
): Promise<void> {
  const { transaction, txSignature, bound, newestSlot } = posting;
  const { value } = signedMark.mark;
  const messageHash = hashMessage(transaction);
  let slot: number | null = null;
  for (let tryCount = 0; tryCount < MAX_TRIES; tryCount++) {
    const standing = tryCount === 0 ? firstStanding : await readStoredStanding(deps, signedMark);
    const { record } = standing;
    if (record?.held?.message === messageHash || record?.saved?.message === messageHash) return;
    // A message that holds the claim may land, even if no node still knows the payment that its mark names.
    slot ??= await requireMarkSlot(deps, posting, signedMark);
    const { saved, isComplete, isUpdated } = await findSaved(
      deps,
      signedMark,
      standing,
      Math.max(newestSlot.slot, slot),
    );
    // A node that was behind has not shown that this very transaction has landed.
    if (!isComplete || saved?.txSignature === txSignature) throw createIncompleteHistoryError();
    refuseUnlessNext(signedMark, slot, saved);
    if (isUpdated) continue;
    if (record?.held) await resolveHeldClaim(deps, signedMark, { ...record, held: record.held });
    else {
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
        listAsPending(),
        writeClaim(deps, posting, signedMark, record, { saved, held }),
      ]);
      if (claimResult.status === "rejected") throw claimResult.reason;
      if (listingResult.status === "rejected") {
        // A claim that is not listed would stay until the wallet's next saving.
        const freeClaim = { saved, held: null };
        if (claimResult.value) await awaitOrNull(replaceClaim(deps, signedMark, { ...freeClaim, held }, freeClaim));
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
async function requireMarkSlot(deps: Deps, posting: KnownPosting, { wallet, mark }: SignedMark): Promise<number> {
  if (mark.kind === "topup") {
    if ((computePeriodClose(mark.value) ?? Number.POSITIVE_INFINITY) > deps.clock.now()) return 0;
    const message = `The period ${mark.value} is over, and the period after it has ended too.`;
    throw await recordMarkRefusal(deps, posting, message);
  }
  if (mark.kind === "ref") {
    if (mark.key !== null) return 0;
    const message = "The memo names a reference, but the transfer lacks the reference's key.";
    throw await recordMarkRefusal(deps, posting, message);
  }
  const slot = await readPaymentSlot(deps, wallet, mark.value, posting.newestSlot.slot);
  if (slot !== null) return slot;
  throw await recordMarkRefusal(deps, posting, "The mark names no confirmed transaction that the same wallet signed.");
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
  const heldPosting = decodeEarlierPosting(held.transaction, held.bound);
  const landedOutcome = await findLandedOutcome(deps, heldPosting.txSignature);
  if (landedOutcome) {
    await endClaims(deps, heldPosting, landedOutcome.error === null);
    return;
  }
  const ageMs = deps.clock.now() - held.since;
  // A negative age means that the clock of the writing instance ran ahead, so the claim's real age is unknown.
  if (ageMs >= 0 && ageMs < TAKEOVER_AFTER_MS) throw new AppError("already_saved");
  const { message, decoded } = heldPosting.transaction;
  const bound = held.bound ?? (await resolveBoundNow(deps, decoded.message.recentBlockhash));
  // Without a bound the claim would never expire.
  if (bound && !held.bound) await replaceClaim(deps, signedMark, record, { ...record, held: { ...held, bound } });
  // Unless it was refused, the service also sends the message: its device has posted these bytes for sending.
  const isFollowedOnly = !(await recordSendDecision(deps, message));
  if (!isFollowedOnly) await markClaimsSent(deps, heldPosting);
  const outcome = await relayTransaction(deps, { ...heldPosting, bound, isFollowedOnly });
  if (outcome.state === "unknown") throw new AppError("already_saved");
  await endClaims(deps, heldPosting, outcome.state === "landed" && outcome.error === null);
}

const recordMarkRefusal = (deps: Deps, posting: KnownPosting, message: string) =>
  recordRefusal(deps, posting, new AppError("invalid_transaction", { message }));

/**
 * Records a refusal before it is answered, and frees the message's claim if it was never sent.
 * @param error simulation_failed or invalid_transaction, which tell the client to rebuild
 * @returns the error to throw: `error`, or upstream_unavailable if another request has sent the message
 */
export async function recordRefusal(deps: Deps, posting: KnownPosting, error: AppError): Promise<AppError> {
  const decision = await recordRefusalDecision(deps, posting.transaction.message);
  if (decision === "sent")
    return new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "refuses what was sent before") });
  if (decision === "first") await awaitOrNull(freeRefusedClaims(deps, posting));
  return error;
}

/**
 * Frees the claim of a message that was refused and never sent, unless a node that has caught up knows one of its
 * signatures: a client may have sent it directly. Runs only in the call whose write recorded the refusal.
 * @throws AppError upstream_unavailable when every node lags behind `newestSlot`
 */
async function freeRefusedClaims(deps: Deps, { transaction, txSignature, marks, newestSlot }: KnownPosting) {
  for (const signedMark of marks) {
    const record = await readClaim(deps, signedMark);
    const held = record?.held;
    if (held?.message !== hashMessage(transaction) || held.sent) continue;
    // The claimed copy may carry another valid signature of the same message, so both signatures are checked.
    const states = await readCaughtUpStates(
      deps,
      [...new Set([txSignature, readHeldSignature(held)])],
      newestSlot.slot,
    );
    if (states.every((state) => state === null))
      await replaceClaim(deps, signedMark, record, { saved: record!.saved, held: null });
  }
}
