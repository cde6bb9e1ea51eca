import { decodeActivity, findWraps } from "../../../domain/activity";
import { type EventType, toEventType } from "../../../domain/events";
import type { Deps } from "../../../ports/deps";
import { fromBase64 } from "../../../solana/bytes";
import { readSystemMovements } from "../../../solana/system-instructions";
import { decodeTransaction, type SignedTransaction } from "../../../solana/transactions";
import { toBalanceChanges } from "../amounts";
import { readReferenceText } from "../reference-texts";
import { findServiceWallets } from "../service-wallets";
import { tolerate } from "../tolerate";
import { type PendingEntry, type PendingRecord, readMarks, readPayer } from "./attempt";
import { appendEvent, type EventRecord, toHeadKey } from "./feeds";
import { PENDING_SET } from "./pending";
import { MAX_READS, type Outcome, RETRY_MS } from "./relay-records";

/** 400 days. The same bytes may be posted again after their event, and must not get a second one. */
const DONE_TTL_MS = 400 * 86_400_000;
/** After this time an event is written without amounts if no node returns the transaction. */
const AMOUNTS_TIMEOUT_MS = 60 * 60_000;

/**
 * Store key of the list of feeds that already have a transaction's event. Older entries are `true`. A transaction whose
 * landing is recorded has no entry, because it is never listed as pending again.
 */
const toDoneKey = (txSignature: string) => `event-of:${txSignature}`;

/**
 * Writes the event of a pending transaction to each of its feeds and ends its pending state. Idempotent. Does nothing
 * while the outcome is unknown, or while no node returns the landed transaction.
 */
export async function recordEvent(
  deps: Deps,
  { txSignature, pending }: { txSignature: string; pending: PendingEntry },
  outcome: Outcome,
): Promise<void> {
  const { kv } = deps;
  if (outcome.state === "unknown") return;
  const key = toDoneKey(txSignature);
  const keys = [key, ...pending.feeds.map(([feed]) => toHeadKey(feed))];
  // Both start in the same tick, so that a shared store gets one command.
  const [[done, ...heads], event] = await Promise.all([
    kv.getMany<string[] | true | number>(keys),
    buildEvent(deps, txSignature, pending, outcome),
  ]);
  // An older entry, which is `true`, counts for all feeds.
  const doneFeeds = done === true ? pending.feeds.map(([feed]) => feed) : ((done as string[] | null) ?? []);
  const feeds = pending.feeds.map(([feed, after], i) => ({
    feed,
    after,
    head: Math.max(after, Number(heads[i] ?? 0)),
  }));
  const missingFeeds = feeds.filter(({ feed }) => !doneFeeds.includes(feed));
  if (missingFeeds.length > 0) {
    if (!event) return;
    for (const { feed, after, head } of missingFeeds) await appendEvent(deps, feed, event, after, head);
    const all = [...doneFeeds, ...missingFeeds.map(({ feed }) => feed)];
    const isRecorded = outcome.state === "landed" && outcome.recorded;
    if (!isRecorded && !(await kv.replace(key, done ?? null, all, DONE_TTL_MS)))
      return recordEvent(deps, { txSignature, pending }, outcome);
  }
  await kv.removeMember(PENDING_SET, pending.name);
}

/** Builds the event. Returns null while its amounts are not known. */
async function buildEvent(
  deps: Deps,
  txSignature: string,
  { transaction, since }: PendingRecord,
  outcome: Exclude<Outcome, { state: "unknown" }>,
): Promise<EventRecord | null> {
  const decoded = decodeTransaction(fromBase64(transaction)!);
  const wallet = readPayer(decoded);
  const mark = readMarks(decoded)[0]?.mark;
  const reference = mark?.kind === "ref" ? await readReferenceText(deps, wallet, mark.value) : null;
  const now = deps.clock.now();
  const common = { time: new Date(now).toISOString(), wallet, txSignature, reference, amounts: [] };
  if (outcome.state === "expired") return { type: "transaction.expired", ...common };
  if (outcome.error !== null) return { type: "transaction.failed", ...common };
  const figures = await tolerate(readFigures(deps, txSignature));
  if (!figures && now - since < AMOUNTS_TIMEOUT_MS) return null;
  if (!figures) return { type: readTypeFromBytes(decoded, deps.feeCollectors), ...common };
  const activity = decodeActivity(figures, wallet, deps.feeCollectors);
  const isServiceWallet = activity.type === "withdrawal" && (await findServiceWallets(deps, [wallet])).has(wallet);
  return { ...common, type: toEventType(activity, isServiceWallet), amounts: toBalanceChanges(activity) };
}

/** Reads the event type of a landed transaction from its bytes alone. They show a saving, but no swap or sale. */
function readTypeFromBytes(transaction: SignedTransaction, feeCollectors: readonly string[]): EventType {
  const { decoded } = transaction;
  const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  const isSaving = findWraps(readSystemMovements(decoded, keys), feeCollectors).some(({ from }) => from === keys[0]);
  if (!isSaving) return "transaction.confirmed";
  return readMarks(transaction).some(({ mark }) => mark.kind === "topup") ? "topup.confirmed" : "saving.confirmed";
}

/**
 * Reads a landed transaction. Retries, because another node may have confirmed it. Returns null if no read finds it.
 */
async function readFigures({ rpc, clock }: Deps, txSignature: string) {
  for (let reads = 1; reads < MAX_READS; reads++) {
    const figures = await rpc.readTransaction(txSignature);
    if (figures) return figures;
    await clock.sleep(RETRY_MS);
  }
  return rpc.readTransaction(txSignature);
}
