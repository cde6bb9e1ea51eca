import type { Deps } from "../../../ports/deps";
import { fromBase64 } from "../../../solana/bytes";
import { decodeTransaction, type SignedTransaction } from "../../../solana/transactions";
import { marksOf, messageHash, readClaim, replaceClaim, signatureOf } from "../relay/claim-records";
import { type SeenSlot, statesCaughtUp } from "../relay/relay-records";

/*
 * The problem: a message that took a claim and is then refused would hold the claim until it expires, about a minute.
 * The wallet's next saving would wait for nothing. Freeing the claim too early would let both messages land.
 * The invariant: a claim is freed only if its message was never sent and never can be.
 * How it is kept: this runs only in the call whose write recorded the refusal, so no instance will send the message.
 * The claim must say `sent: false`. A node that has caught up must know none of the message's signatures, in case a
 * client sent it directly.
 * Example: an instance claims for M1 and dies before sending. M1 is posted again while the wallet is empty, so the
 * simulation fails and M1 is refused. The claim is unsent and the chain has no trace of M1. M2 can take the claim at
 * once.
 */

/**
 * Frees the claim of a message, if the claim is unsent and a node that has caught up knows none of the message's
 * signatures. Otherwise the claim stays, and the wallet's next message resolves it. Call it only after
 * `rememberRefused` returned `first`.
 * @throws AppError upstream_unavailable when every node lags behind `newest`
 */
export async function releaseRefused(deps: Deps, transaction: SignedTransaction, newest: SeenSlot): Promise<void> {
  for (const signed of marksOf(transaction)) {
    const seen = await readClaim(deps, signed);
    const held = seen?.held;
    // An older version wrote records without `sent`, and may have sent the message.
    if (held?.message !== messageHash(transaction) || held.sent !== false) continue;
    const claimed = decodeTransaction(fromBase64(held.transaction)!);
    // The claimed copy may carry another valid signature of the same message, so both signatures are checked.
    const signatures = [...new Set([transaction, claimed].map(signatureOf))];
    const states = await statesCaughtUp(deps, signatures, newest);
    if (states.every((state) => state === null))
      await replaceClaim(deps, signed, seen, { saved: seen!.saved, held: null });
  }
}
