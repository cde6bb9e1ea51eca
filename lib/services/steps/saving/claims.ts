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
 * The problem: two devices, or one that retries, may sign two messages that save the same payments or the same period, and both
 * would land. The invariant: of the messages of one mark, execute lets at most one land. A message goes out only while the
 * wallet's claim in the store names it, and the claim names one message at a time. The claim leaves a message when it has landed,
 * has certainly expired, or was refused unsent. For that last case every message has one word, sent or refused, which the first
 * atomic write decides (build-records), and its claim says `sent` from before the first send. Only the call that wrote the word
 * "refused" frees the claim, only while it is unsent, and only after a node that has caught up found nothing in its history.
 * Example: a phone posts M1 and its process dies between the claim and the word. The phone posts M1 again while the wallet is
 * empty: a simulation fails, this call writes "refused", finds no trace of M1 and frees the claim. Then the laptop's M2 takes the
 * claim at once. If the first process was only slow, it finds the word "refused" and sends nothing. Without a refusal, M2 would get
 * 409 until M1 has landed or certainly expired, because `resolve` sends M1 on behalf of its device.
 */

/** A transaction this young may still be with another process: it is left to that one. Most blockhashes die within it. */
const LEFT_ALONE_MS = 60_000;
/** Each look finds the claim changed by somebody else. */
const LOOKS = 5;

const UNKNOWN_WALLET =
  "Its memo says what is saved, but beside a transfer into no service wallet that is known here: POST /api/wallet/derive makes it known.";

/**
 * Takes the claim that a transaction with a mark needs before it is sent; without one, or without the round-up that it
 * would be the mark of, nothing. The same message may take it again.
 * @param movements lamports that its top-level instructions move
 * @param bound until when it may land
 * @returns whether it holds a claim: then confirmSending comes before it is sent
 * @throws AppError already_saved when another one holds it, or has saved it; invalid_transaction where its mark would not count;
 * upstream_unavailable while the nodes are behind what its mark names
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
  for (let look = 0; look < LOOKS; look++) {
    const seen = await readClaim(deps, signed);
    if (seen?.held?.message === message || seen?.saved?.message === message) return true;
    // Only then: what was sent may land, whatever a node has lost since.
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

/** Slot of what a `through` names, else 0. @throws AppError invalid_transaction; upstream_unavailable while nodes are behind */
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

/** Finds out what became of the transaction that holds a claim, and ends the claim. @throws AppError already_saved while nobody can tell */
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
  // A claim from the future was written by a clock that ran ahead, so it says nothing about its age.
  if (age >= 0 && age < LEFT_ALONE_MS) throw new AppError("already_saved");
  const { recentBlockhash } = transaction.decoded.message;
  const bound = held.bound ?? (await boundOf(deps, recentBlockhash, null, deps.watch.highestSlot()));
  // No node told when it was posted: reckoned from now, and kept, or the claim would never end.
  if (bound && !held.bound) await replaceClaim(deps, signed, seen, { ...seen, held: { ...held, bound } });
  // The same bytes were posted to be sent, unless they were refused; only following them proves that they land no more.
  const unsent = !(await rememberRelayed(deps, transaction.message));
  if (!unsent) await confirmSending(deps, transaction);
  const found = await relay(deps, { txSignature, transaction, bound, doubtful: true, unsent });
  if (found.state === "unknown") throw new AppError("already_saved");
  await endClaims(deps, transaction, found.state === "landed" && found.error === null);
}
