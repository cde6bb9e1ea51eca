import bs58 from "bs58";
import { wrapsIn } from "../../domain/activity";
import type { SignedMark } from "../../domain/marks";
import { AppError } from "../../errors";
import type { Deps } from "../../ports";
import { fromBase64, toBase64 } from "../../solana/bytes";
import type { SystemMovement } from "../../solana/system-instructions";
import { decodeTransaction, type SignedTransaction } from "../../solana/transactions";
import { type Bound, boundOf, rememberRelayed } from "./build-records";
import { type ClaimRecord, endClaims, type Held, marksOf, messageHash, readClaim, replaceClaim } from "./claim-records";
import { markedWrap } from "./marked-wrap";
import { relay } from "./relay";
import { knownOutcome } from "./relay-records";
import { followsOn, isNewer, slotOfThrough } from "./through";

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
 * @throws AppError already_saved when another one holds it, or has saved it; invalid_transaction where its mark would not count
 */
export async function takeClaim(
  deps: Deps,
  transaction: SignedTransaction,
  movements: SystemMovement[],
  bound: Bound | null,
): Promise<void> {
  const [signed, ...more] = marksOf(transaction);
  if (!signed) return;
  if (more.length > 0)
    throw new AppError("invalid_transaction", { message: "A transaction carries one mark at most." });
  if (!wrapsIn(movements, deps.feeCollectors).some(({ from }) => from === signed.wallet)) return;
  const wrap = await markedWrap(deps, { marks: [signed], movements });
  if (!wrap) throw new AppError("invalid_transaction", { message: UNKNOWN_WALLET });
  const { value } = signed.mark;
  const message = messageHash(transaction);
  let slot: number | null = null;
  for (let look = 0; look < LOOKS; look++) {
    const seen = await readClaim(deps, signed);
    if (seen?.held?.message === message || seen?.saved?.message === message) return;
    // Only then: what was sent may land, whatever a node has lost since.
    slot ??= await slotOf(deps, signed);
    if (seen?.saved) await refuseUnlessNext(deps, signed, { value, slot }, seen.saved);
    if (signed.mark.kind === "through" && !(await followsOn(deps, signed, wrap, seen?.saved?.value ?? null))) {
      throw new AppError("already_saved");
    }
    if (seen?.held) await resolve(deps, signed, { ...seen, held: seen.held });
    else {
      const bytes = toBase64(transaction.bytes);
      const held = { value, slot, message, transaction: bytes, bound, since: deps.clock.now() };
      if (await replaceClaim(deps, signed, seen, { saved: seen?.saved ?? null, held })) return;
    }
  }
  throw new AppError("already_saved");
}

/** @throws AppError invalid_transaction */
async function slotOf(deps: Deps, { wallet, mark }: SignedMark): Promise<number> {
  if (mark.kind === "topup") return 0;
  const slot = await slotOfThrough(deps, wallet, mark.value);
  if (slot !== null) return slot;
  const message = "Its mark names no confirmed transaction that the same wallet signed.";
  throw new AppError("invalid_transaction", { message });
}

async function refuseUnlessNext(
  deps: Deps,
  { wallet, mark }: SignedMark,
  next: Pick<Held, "value" | "slot">,
  saved: Pick<Held, "value" | "slot">,
): Promise<void> {
  if (mark.kind === "through" && (await isNewer(deps, wallet, next, saved))) return;
  throw new AppError("already_saved");
}

/** Finds out what became of the transaction that holds a claim, and ends the claim. @throws AppError already_saved while nobody can tell */
async function resolve(deps: Deps, signed: SignedMark, seen: ClaimRecord & { held: Held }): Promise<void> {
  const { held } = seen;
  const transaction = decodeTransaction(fromBase64(held.transaction)!);
  const txSignature = bs58.encode(transaction.signatures[0]!);
  const { outcome } = await knownOutcome(deps, txSignature);
  if (outcome.state === "landed") {
    await endClaims(deps, transaction, outcome.error === null);
    return;
  }
  if (deps.clock.now() - held.since < LEFT_ALONE_MS) throw new AppError("already_saved");
  const { recentBlockhash } = transaction.decoded.message;
  const bound = held.bound ?? (await boundOf(deps, recentBlockhash, null, deps.watch.highestSlot()));
  // No node told when it was posted: reckoned from now, and kept, or the claim would never end.
  if (bound && !held.bound) await replaceClaim(deps, signed, seen, { ...seen, held: { ...held, bound } });
  // The same bytes were posted to be sent, unless they were refused; only following them proves that they land no more.
  const unsent = !(await rememberRelayed(deps, transaction.message));
  const found = await relay(deps, { txSignature, transaction, bound, doubtful: true, unsent });
  if (found.state === "unknown") throw new AppError("already_saved");
  await endClaims(deps, transaction, found.state === "landed" && found.error === null);
}
