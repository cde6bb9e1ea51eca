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

export type PendingRecord = {
  transaction: string;
  bound: Bound | null;
  hasClaim: boolean;
  isFollowedOnly: boolean;
  /** When it was listed, ms since the epoch. */
  since: number;
  feeds: OpenFeed[];
};

export type PendingEntry = PendingRecord & { name: string };

interface Posting {
  readonly transaction: SignedTransaction;
  readonly txSignature: string;
  readonly openFeeds: OpenFeed[];
  readonly bound: Bound | null;
}

type Purpose = Pick<PendingRecord, "hasClaim" | "isFollowedOnly">;

/**
 * Lists a transaction as pending. Idempotent.
 * @returns the entry that this call has added; null if the caller's feed is listed already
 */
export async function addToPending(deps: Deps, posting: Posting, purpose: Purpose): Promise<PendingEntry | null> {
  const { txSignature, openFeeds: feeds } = posting;
  const entry = await addPendingEntry(deps, posting, purpose, txSignature, feeds);
  if (entry) return entry;
  const firstEntry = await deps.kv.readMember<PendingRecord>(PENDING_SET, txSignature);
  if (!firstEntry) return addToPending(deps, posting, purpose);
  const addedFeed = feeds.find(([feed]) => !firstEntry.feeds.some(([knownFeed]) => knownFeed === feed));
  // The heads of the first posting are kept. A head that was read later may already count the event.
  if (!addedFeed) return null;
  const addedFeeds = [...firstEntry.feeds, addedFeed];
  return addPendingEntry(deps, posting, purpose, `${txSignature}@${addedFeed[0]}`, addedFeeds);
}

/** Adds one entry to the set. @returns null if the set has an entry of that name */
async function addPendingEntry(
  { kv, clock }: Deps,
  { transaction, bound }: Posting,
  purpose: Purpose,
  name: string,
  feeds: OpenFeed[],
): Promise<PendingEntry | null> {
  const record: PendingRecord = {
    transaction: toBase64(transaction.bytes),
    bound,
    ...purpose,
    since: clock.now(),
    feeds,
  };
  return (await kv.addMember(PENDING_SET, name, record, "replicated")) ? { ...record, name } : null;
}

export async function removeFromPending({ kv }: Deps, entry: PendingEntry | null): Promise<void> {
  if (entry) await awaitOrNull(kv.removeMember(PENDING_SET, entry.name));
}
