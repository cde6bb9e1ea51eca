import { NOTHING_SAVED, periodClosesAt, type SignedMark } from "../../../domain/marks";
import { marksSetBy } from "../../../domain/spending/spending";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { fromBase64, toBase64 } from "../../../solana/bytes";
import type { SystemMovement } from "../../../solana/system-instructions";
import { decodeTransaction, type SignedTransaction } from "../../../solana/transactions";
import { type Bound, boundOf, rememberRelayed } from "../relay/build-records";
import {
  type ClaimRecord,
  confirmSending,
  endClaims,
  type HeldClaim,
  marksOf,
  messageHash,
  readClaim,
  replaceClaim,
  signatureOf,
} from "../relay/claim-records";
import { relay } from "../relay/relay";
import { knownOutcome, type SeenSlot } from "../relay/relay-records";
import { refuseMarkedOnChain } from "./chain-marks";
import { markedWrap } from "./marked-wrap";
import { isNewer, noteOf, slotOfThrough } from "./through";

/*
 * Takes the claim that a saving needs before it is sent.
 *
 * The problem: two devices, or one device that retries, can sign two messages that save the same payments or the same
 * period. If both messages land, the wallet saves twice.
 * The invariant: execute lets at most one message of each mark land.
 * How it is kept: a message is sent only while the wallet's claim in the store names it. A claim names one message at a
 * time. It is freed in three cases only: the message has landed, it has certainly expired, or it was refused before it
 * was sent. For the third case, the first atomic write decides whether a message is sent or refused
 * (relay/build-records). The claim also records `sent` before the first send. Only the call that recorded the refusal
 * may free the claim (claim-release).
 * Example: a phone posts M1. The process takes the claim and dies before it decides to send. The phone posts M1 again
 * while the wallet is empty. The simulation fails, so this call records "refused", finds no trace of M1 on the chain
 * and frees the claim. The laptop's M2 can take the claim at once. If the first process was only slow, it reads
 * "refused" and does not send M1. Without the second post, M2 gets 409 until M1 has landed or certainly expired.
 * `resolveHeldClaim` sends M1 to reach that outcome.
 */

/**
 * Another process may still be sending a transaction this young, so it is left to that process. Most blockhashes expire
 * in this time.
 */
const LEFT_ALONE_MS = 60_000;
/** Attempts to take a claim that other processes keep changing. */
const ATTEMPTS = 5;

const UNKNOWN_WALLET =
  "Its memo marks a saving, but it pays no service wallet that is known here. POST /api/wallet/derive registers a service wallet.";

/**
 * Takes the claim that a transaction with a mark needs before it is sent. Does nothing for a transaction without a
 * mark, or without the round-up that its mark would describe. Idempotent: the same message may take its claim again.
 * @param movements lamports that its top-level instructions move
 * @param bound the last block height at which it may land; null if unknown
 * @param newest the newest slot seen so far
 * @returns true if it holds a claim; the caller must then call confirmSending before it sends
 * @throws AppError already_saved when another message holds the claim or has saved the mark; invalid_transaction when
 * its mark would not count; upstream_unavailable while the nodes do not know the payment that its mark names
 */
export async function takeClaim(
  deps: Deps,
  transaction: SignedTransaction,
  movements: SystemMovement[],
  bound: Bound | null,
  newest: SeenSlot,
): Promise<boolean> {
  const [signed, ...more] = marksOf(transaction);
  if (!signed) return false;
  if (more.length > 0)
    throw new AppError("invalid_transaction", { message: "A transaction carries one mark at most." });
  if (marksSetBy(signed.wallet, { marks: [signed], movements }, deps.feeCollectors).length === 0) return false;
  const wrap = await markedWrap(deps, { marks: [signed], movements });
  if (!wrap) throw new AppError("invalid_transaction", { message: UNKNOWN_WALLET });
  const { value } = signed.mark;
  const { recentBlockhash } = transaction.decoded.message;
  const message = messageHash(transaction);
  let slot: number | null = null;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const seen = await readClaim(deps, signed);
    if (seen?.held?.message === message || seen?.saved?.message === message) return true;
    // Checked only after the claim: a message that holds it may land, even if a node no longer knows the named payment.
    slot ??= await slotOf(deps, signed, newest);
    if (seen?.saved) await refuseUnlessNext(deps, signed, { value, slot }, seen.saved);
    const saved = seen?.saved ?? null;
    const after = signed.mark.kind === "through" ? await noteOf(deps, { ...wrap, recentBlockhash }) : undefined;
    if (after !== undefined && after !== (saved?.value ?? NOTHING_SAVED)) throw new AppError("already_saved");
    if (seen?.held) await resolveHeldClaim(deps, signed, { ...seen, held: seen.held });
    else {
      const next = { txSignature: signatureOf(transaction), value, slot, after };
      await refuseMarkedOnChain(deps, signed, next, seen, newest);
      const bytes = toBase64(transaction.bytes);
      const held = { value, slot, message, transaction: bytes, bound, since: deps.clock.now(), sent: false };
      if (await replaceClaim(deps, signed, seen, { saved, held })) return true;
    }
  }
  throw new AppError("already_saved");
}

/**
 * Returns the slot of the payment that a `through` mark names, or 0.
 * @throws AppError invalid_transaction, upstream_unavailable
 */
async function slotOf(deps: Deps, { wallet, mark }: SignedMark, newest: SeenSlot): Promise<number> {
  if (mark.kind === "topup") {
    if ((periodClosesAt(mark.value) ?? Number.POSITIVE_INFINITY) > deps.clock.now()) return 0;
    throw new AppError("invalid_transaction", {
      message: `The period ${mark.value} is over, and so is the one after it.`,
    });
  }
  const slot = await slotOfThrough(deps, wallet, mark.value, newest);
  if (slot !== null) return slot;
  const message = "Its mark names no confirmed transaction that the same wallet signed.";
  throw new AppError("invalid_transaction", { message });
}

async function refuseUnlessNext(
  deps: Deps,
  { wallet, mark }: SignedMark,
  next: Pick<HeldClaim, "value" | "slot">,
  saved: Pick<HeldClaim, "value" | "slot">,
): Promise<void> {
  if (mark.kind === "through" && (await isNewer(deps, wallet, next, saved))) return;
  throw new AppError("already_saved");
}

/**
 * Follows the transaction that holds a claim to its outcome, and ends the claim.
 * @throws AppError already_saved while it is unknown
 */
async function resolveHeldClaim(
  deps: Deps,
  signed: SignedMark,
  seen: ClaimRecord & { held: HeldClaim },
): Promise<void> {
  const { held } = seen;
  const transaction = decodeTransaction(fromBase64(held.transaction)!);
  const txSignature = signatureOf(transaction);
  const { outcome } = await knownOutcome(deps, txSignature);
  if (outcome.state === "landed") {
    await endClaims(deps, transaction, outcome.error === null);
    return;
  }
  const age = deps.clock.now() - held.since;
  // A negative age means that the clock of the writing instance ran ahead, so the claim's real age is unknown.
  if (age >= 0 && age < LEFT_ALONE_MS) throw new AppError("already_saved");
  const { recentBlockhash } = transaction.decoded.message;
  const bound = held.bound ?? (await boundOf(deps, recentBlockhash, null, deps.watch.highestSlot()));
  // No node gave a bound when the claim was taken. The bound is computed now and stored; otherwise the claim would
  // never expire.
  if (bound && !held.bound) await replaceClaim(deps, signed, seen, { ...seen, held: { ...held, bound } });
  // Only following the transaction can prove that it no longer lands. It is sent as well, unless it was refused: its
  // device has posted these bytes for sending.
  const unsent = !(await rememberRelayed(deps, transaction.message));
  if (!unsent) await confirmSending(deps, transaction);
  const found = await relay(deps, { txSignature, transaction, bound, doubtful: true, unsent });
  if (found.state === "unknown") throw new AppError("already_saved");
  await endClaims(deps, transaction, found.state === "landed" && found.error === null);
}
