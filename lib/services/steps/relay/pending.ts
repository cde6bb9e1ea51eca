import type { Deps } from "../../../ports/deps";
import { toBase64 } from "../../../solana/bytes";
import { tolerate } from "../tolerate";
import type { PendingRecord, RelayAttempt } from "./attempt";

/** The set of the transactions that were accepted and have no event yet, by signature. */
export const PENDING = "pending";

/** Lists a transaction as pending. Sets `pending`, unless an earlier posting has listed it. Idempotent. */
export async function listPending(deps: Deps, attempt: RelayAttempt): Promise<void> {
  if (attempt.pending) return;
  const { transaction, txSignature, bound, hasClaim, isFollowedOnly, feeds, heads } = attempt;
  const record: PendingRecord = {
    transaction: toBase64(transaction.bytes),
    bound,
    hasClaim,
    isFollowedOnly,
    since: deps.clock.now(),
    feeds: feeds.map((feed, i) => [feed, heads[i]!]),
  };
  if (await deps.kv.addMember(PENDING, txSignature, record, "replicated")) attempt.pending = record;
}

/** Ends the pending state of a refused transaction, if this posting has listed it. It gets no event. */
export async function unlistPending({ kv }: Deps, { pending, txSignature }: RelayAttempt): Promise<void> {
  if (pending) await tolerate(kv.removeMember(PENDING, txSignature));
}
