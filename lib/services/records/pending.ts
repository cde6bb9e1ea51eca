import { STORE_KEYS } from "../../domain/store-keys";
import { awaitOrNull } from "../../errors";
import type { Deps } from "../../ports/deps";
import { toBase64 } from "../../solana/bytes";
import type { SignedTransaction } from "../../solana/transactions";
import type { Bound } from "./message-records";

/**
 * Name of the stored set of transactions that were accepted and lack an event. The name of the first posting's entry is
 * its signature. A posting by another caller gets an entry `<signature>@<feed>`, because its feed gets the event too.
 */
export const PENDING_SET = STORE_KEYS.pending.toKey();

/** A feed, and the number of its last event from before a transaction was listed as pending. */
export type OpenFeed = [feed: string, head: number];

/** The stored record from which any process can follow a transaction to its outcome and write its event. */
export type PendingRecord = {
  /** The signed transaction, base64. */
  transaction: string;
  bound: Bound | null;
  hasClaim: boolean;
  isFollowedOnly: boolean;
  /** When it was listed, ms since the epoch. */
  since: number;
  /** The feeds that its event belongs to and that lacked it when it was listed. */
  feeds: OpenFeed[];
};

/** A record with its name in the set of pending transactions. */
export type PendingEntry = PendingRecord & { name: string };

/** A posted transaction, as far as its pending entry needs it. */
interface Posting {
  readonly transaction: SignedTransaction;
  readonly txSignature: string;
  readonly openFeeds: OpenFeed[];
  readonly bound: Bound | null;
  readonly hasClaim: boolean;
  readonly isFollowedOnly: boolean;
  /** The entry by which this posting has listed the transaction; null if it has listed none. */
  pendingEntry: PendingEntry | null;
}

/** Lists a transaction as pending. Sets `pendingEntry`, unless this caller has an entry already. Idempotent. */
export async function addToPending(deps: Deps, posting: Posting): Promise<void> {
  if (posting.pendingEntry) return;
  const { txSignature, openFeeds: feeds } = posting;
  if (await addPendingEntry(deps, posting, txSignature, feeds)) return;
  const firstEntry = await deps.kv.readMember<PendingRecord>(PENDING_SET, txSignature);
  if (!firstEntry) return addToPending(deps, posting);
  const addedFeed = feeds.find(([feed]) => !firstEntry.feeds.some(([knownFeed]) => knownFeed === feed));
  // The heads of the first posting are kept. A head that was read later may already count the event.
  if (addedFeed)
    await addPendingEntry(deps, posting, `${txSignature}@${addedFeed[0]}`, [...firstEntry.feeds, addedFeed]);
}

/** Adds one entry to the set. @returns false if the set has an entry of that name */
async function addPendingEntry(
  { kv, clock }: Deps,
  posting: Posting,
  name: string,
  feeds: OpenFeed[],
): Promise<boolean> {
  const { bound, hasClaim, isFollowedOnly } = posting;
  const transaction = toBase64(posting.transaction.bytes);
  const record: PendingRecord = { transaction, bound, hasClaim, isFollowedOnly, since: clock.now(), feeds };
  const isAdded = await kv.addMember(PENDING_SET, name, record, "replicated");
  if (isAdded) posting.pendingEntry = { ...record, name };
  return isAdded;
}

/** Removes a refused transaction from the pending ones, if this posting added it. The transaction gets no event. */
export async function removeFromPending({ kv }: Deps, { pendingEntry }: Posting): Promise<void> {
  if (pendingEntry) await awaitOrNull(kv.removeMember(PENDING_SET, pendingEntry.name));
}
