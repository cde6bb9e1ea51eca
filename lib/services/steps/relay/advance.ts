import type { Background } from "../../../ports/background";
import type { Deps } from "../../../ports/deps";
import { fromBase64 } from "../../../solana/bytes";
import { decodeTransaction } from "../../../solana/transactions";
import { tolerate } from "../tolerate";
import { attemptOf, type PendingRecord, type RelayAttempt } from "./attempt";
import { rememberRelayed } from "./build-records";
import { confirmSending } from "./claim-records";
import { recordEvent } from "./event";
import { PENDING } from "./pending";
import { relay } from "./relay";
import { findLanded, findRecorded, recordLanded } from "./relay-records";

/*
 * Finishes pending transactions whose process has died.
 *
 * The problem: a process answers 202 and is killed. Nothing follows the transaction any more: it has no event, and its
 * claim stays taken.
 * The invariant: every pending transaction reaches its certain outcome and its event while any process is used.
 * How it is kept: the bytes are listed before the first send. Reads of events and of the service's health start
 * `advancePending`. One process at a time makes a round. It writes the events of transactions that have landed, and
 * follows those that no live process can still be following on its own behalf.
 * Example: process A sends T and is killed. 60 s later a health probe of process B starts a round. B finds that T can no
 * longer land, frees its claim and writes `transaction.expired`.
 */

/** Rounds of all processes are at least this far apart. */
const ROUND_MS = 5_000;
const LEASE_KEY = "pending-round";
/** The process that accepted a transaction answers for this long, and usually finishes it itself. */
const LEFT_ALONE_MS = 60_000;
/** Transactions that one round begins to follow. */
const MAX_FOLLOWED = 20;

/** When each process last began a round, ms since the epoch. */
const begun = new WeakMap<Background, number>();

/** Makes one round, unless a process has just made one. Follows transactions in the background. */
export async function advancePending(deps: Deps): Promise<void> {
  const now = deps.clock.now();
  if (deps.isEnding() || Math.abs(now - (begun.get(deps.background) ?? Number.NEGATIVE_INFINITY)) < ROUND_MS) return;
  begun.set(deps.background, now);
  if (!(await deps.kv.setIfAbsent(LEASE_KEY, true, ROUND_MS))) return;
  const members = [...(await deps.kv.members<PendingRecord>(PENDING))];
  if (members.length === 0) return;
  const recorded = await findRecorded(
    deps,
    members.map(([txSignature]) => txSignature),
  );
  const all = members.map(([txSignature, pending], i) => ({ txSignature, pending, landed: recorded[i] ?? null }));
  for (const { txSignature, pending, landed } of all)
    if (landed) await recordEvent(deps, { txSignature, pending }, landed);
  // A negative age means that the clock of the other process ran ahead, so the real age is unknown.
  const isLeft = ({ since }: PendingRecord) => now - since < 0 || now - since >= LEFT_ALONE_MS;
  const left = all.filter(({ pending, landed }) => !landed && isLeft(pending)).slice(0, MAX_FOLLOWED);
  for (const one of left)
    void deps.background.run(`pending:${one.txSignature}`, () => tolerate(followPending(deps, one)));
}

/** Follows a transaction to its outcome and writes its event. Sends it if its process decided to, or might have. */
async function followPending(deps: Deps, { txSignature, pending }: { txSignature: string; pending: PendingRecord }) {
  const attempt = attemptOf(decodeTransaction(fromBase64(pending.transaction)!));
  attempt.bound = pending.bound;
  // Its state is read before it is sent again: it may have landed long ago.
  attempt.doubtful = true;
  const { landed } = await findLanded(deps, txSignature);
  if (landed) await recordLanded(deps, attempt, landed);
  else attempt.isFollowedOnly = pending.isFollowedOnly || !(await mayBeSent(deps, attempt, pending));
  await recordEvent(deps, { txSignature, pending }, landed ?? (await relay(deps, attempt)));
}

/** Returns whether a pending message may be sent: it was not refused, and it still holds the claim of its mark. */
async function mayBeSent(deps: Deps, attempt: RelayAttempt, { hasClaim }: PendingRecord) {
  if (!(await rememberRelayed(deps, attempt.transaction.message))) return false;
  return !hasClaim || (await tolerate(confirmSending(deps, attempt).then(() => true))) === true;
}
