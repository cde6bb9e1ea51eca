import type { Deps } from "../../../ports/deps";
import { toBase64 } from "../../../solana/bytes";
import { awaitOrNull } from "../await-or-null";
import type { OpenFeed, PendingRecord, RelayAttempt } from "./attempt";

/**
 * Name of the stored set of transactions that were accepted and lack an event. The name of the first posting's entry is
 * its signature. A posting by another caller gets an entry `<signature>@<feed>`, because its feed gets the event too.
 */
export const PENDING_SET = "pending";

/** Lists a transaction as pending. Sets `pendingEntry`, unless this caller has an entry already. Idempotent. */
export async function addToPending(deps: Deps, attempt: RelayAttempt): Promise<void> {
  if (attempt.pendingEntry) return;
  const { txSignature, openFeeds: feeds } = attempt;
  if (await addPendingEntry(deps, attempt, txSignature, feeds)) return;
  const firstEntry = await deps.kv.readMember<PendingRecord>(PENDING_SET, txSignature);
  if (!firstEntry) return addToPending(deps, attempt);
  const addedFeed = feeds.find(([feed]) => !firstEntry.feeds.some(([knownFeed]) => knownFeed === feed));
  // The heads of the first posting are kept. A head that was read later may already count the event.
  if (addedFeed)
    await addPendingEntry(deps, attempt, `${txSignature}@${addedFeed[0]}`, [...firstEntry.feeds, addedFeed]);
}

/** Adds one entry to the set. @returns false if the set has an entry of that name */
async function addPendingEntry(
  { kv, clock }: Deps,
  attempt: RelayAttempt,
  name: string,
  feeds: OpenFeed[],
): Promise<boolean> {
  const { bound, hasClaim, isFollowedOnly } = attempt;
  const transaction = toBase64(attempt.transaction.bytes);
  const record: PendingRecord = { transaction, bound, hasClaim, isFollowedOnly, since: clock.now(), feeds };
  const isAdded = await kv.addMember(PENDING_SET, name, record, "replicated");
  if (isAdded) attempt.pendingEntry = { ...record, name };
  return isAdded;
}

/** Removes a refused transaction from the pending ones, if this posting added it. The transaction gets no event. */
export async function removeFromPending({ kv }: Deps, { pendingEntry }: RelayAttempt): Promise<void> {
  if (pendingEntry) await awaitOrNull(kv.removeMember(PENDING_SET, pendingEntry.name));
}
