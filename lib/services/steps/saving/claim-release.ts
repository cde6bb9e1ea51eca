import type { Deps } from "../../../ports/deps";
import { fromBase64 } from "../../../solana/bytes";
import { decodeTransaction, type SignedTransaction } from "../../../solana/transactions";
import { marksOf, messageHash, readClaim, replaceClaim, signatureOf } from "../relay/claim-records";
import { type SeenSlot, statesCaughtUp } from "../relay/relay-records";

/**
 * Frees the claim of a message that this call was the first to refuse, if no instance has sent it and a node that has caught up
 * knows none of its signatures. Otherwise the claim stays, and the next message resolves it.
 */
export async function releaseRefused(deps: Deps, transaction: SignedTransaction, newest: SeenSlot): Promise<void> {
  for (const signed of marksOf(transaction)) {
    const seen = await readClaim(deps, signed);
    const held = seen?.held;
    // A record without `sent` is of an older version, which may have sent it.
    if (held?.message !== messageHash(transaction) || held.sent !== false) continue;
    const claimed = decodeTransaction(fromBase64(held.transaction)!);
    // One message may carry more than one valid signature of its wallet.
    const signatures = [...new Set([transaction, claimed].map(signatureOf))];
    const states = await statesCaughtUp(deps, signatures, newest);
    if (states.every((state) => state === null))
      await replaceClaim(deps, signed, seen, { saved: seen!.saved, held: null });
  }
}
