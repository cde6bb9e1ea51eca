import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { ReleasePlace } from "../../../ports/places";
import { toBase64 } from "../../../solana/bytes";
import { awaitOrNull } from "../await-or-null";
import { type OpenFeed, type PendingRecord, type RelayAttempt, readPayer } from "./attempt";
import { hasDecision } from "./message-records";

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

/** The pause before a transaction that got no place is posted again. Most transactions land within it. */
const PLACE_RETRY_SECONDS = 5;
const NO_PLACE_TEXT =
  "You have as many transactions without an outcome as are allowed at a time. Retry-After says when to go on.";

/** Takes a place for the transaction. Bytes that were posted before always get one. @throws AppError rate_limited */
export async function takePlace(deps: Deps, attempt: RelayAttempt): Promise<ReleasePlace | null> {
  const { txSignature, transaction } = attempt;
  const payer = readPayer(transaction);
  const releasePlace = deps.places.takeForTransaction(txSignature, payer);
  if (releasePlace) return releasePlace;
  const isKnown =
    (await hasDecision(deps, transaction.message)) || (await deps.kv.readMember(PENDING_SET, txSignature));
  if (!isKnown) throw new AppError("rate_limited", { retryAfterSeconds: PLACE_RETRY_SECONDS, message: NO_PLACE_TEXT });
  return deps.places.takeForTransaction(txSignature, payer, true);
}
