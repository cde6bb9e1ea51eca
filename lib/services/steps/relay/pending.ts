import type { Deps } from "../../../ports/deps";
import { toBase64 } from "../../../solana/bytes";
import type { PendingRecord, RelayAttempt } from "./attempt";

/** The set of the transactions that were accepted and have no event yet, by signature. */
export const PENDING = "pending";

/** Lists a transaction as pending. Sets `pending`, unless an earlier posting has listed it. */
export async function listPending(deps: Deps, attempt: RelayAttempt): Promise<void> {
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
