import { STORE_KEYS } from "../../../domain/store-keys";
import { awaitOrNull } from "../../../errors";
import type { Background } from "../../../ports/background";
import type { Deps } from "../../../ports/deps";
import { fromBase64 } from "../../../solana/bytes";
import { decodeTransaction } from "../../../solana/transactions";
import { markClaimsSent } from "../../records/claim-records";
import { findRecordedOutcomes, type LandedOutcome } from "../../records/landings";
import { recordSendDecision } from "../../records/message-records";
import { PENDING_SET, type PendingEntry, type PendingRecord } from "../../records/pending";
import { createAttempt, type RelayAttempt } from "./attempt";
import { findLandedOutcome, isRecordedOutcome, recordOutcome } from "./outcomes";
import { recordEvent } from "./record-event";
import { relayTransaction } from "./relay";

/*
 * Finishes pending transactions whose process has died.
 *
 * The problem: a process answers 202 and is killed. Nothing follows the transaction any more: it has no event, and its
 * claim stays taken.
 * The invariant: every pending transaction reaches its certain outcome and its event while any process is used.
 * How it is kept: the bytes are listed before the first send. Reads of events and of the service's health start
 * `advancePending`. So do calls that wait for an event, once a second. One process at a time makes a round. It writes
 * the events of transactions that have landed, and follows those that no live process can be expected to follow.
 * Example: process A sends T and is killed. Process B takes its place, and its first health probe starts a round. B
 * finds that T can no longer land, frees its claim and writes `transaction.expired`. A process that ran beside A takes
 * over T 60 s after T was listed.
 */

/** `ttlMs` is the minimum time between two rounds, across all processes. */
const { toKey: toRoundLeaseKey, ttlMs: ROUND_MS } = STORE_KEYS.pendingRound;
/** The age at which any process may take over a pending transaction. By then its own process has usually finished. */
const TAKEOVER_AFTER_MS = 60_000;
/** Maximum number of transactions in one round. */
const MAX_PER_ROUND = 20;

/** The rounds of one process. Times are ms since the epoch. */
interface RoundHistory {
  firstRoundAt: number;
  lastRoundAt: number;
  count: number;
}
const roundHistories = new WeakMap<Background, RoundHistory>();

/** Makes one round, unless a process began one in the last 5 s. Follows transactions in the background. */
export async function advancePending(callerDeps: Deps): Promise<void> {
  // The call that starts a round is not charged for the transactions of others.
  const deps = callerDeps.forService();
  const round = beginRoundIfDue(deps);
  if (!round || !(await deps.kv.setIfAbsent(toRoundLeaseKey(), true, ROUND_MS))) return;
  const members = [...(await deps.kv.listMembers<PendingRecord>(PENDING_SET))];
  if (members.length === 0) return;
  const signatures = members.map(([name]) => name.split("@")[0]!);
  const recordedOutcomes = await findRecordedOutcomes(deps, signatures);
  const dueEntries = members
    .map(([name, record], i) => ({ pendingEntry: { ...record, name }, recordedOutcome: recordedOutcomes[i] ?? null }))
    .filter(({ pendingEntry, recordedOutcome }) => recordedOutcome || isAbandoned(pendingEntry, round));
  // Each round begins with different transactions. Otherwise those that stay pending for an hour would block the rest.
  const startIndex = (round.count * MAX_PER_ROUND) % Math.max(1, dueEntries.length);
  const roundEntries = [...dueEntries.slice(startIndex), ...dueEntries.slice(0, startIndex)].slice(0, MAX_PER_ROUND);
  const tasks = roundEntries.map(({ pendingEntry, recordedOutcome }) => {
    const finish = () => awaitOrNull(finishPending(deps, pendingEntry, recordedOutcome));
    const task = deps.background.run(`pending ${pendingEntry.name}`, finish);
    return recordedOutcome ? task : null;
  });
  // A failure of one event must not stop the others.
  await Promise.allSettled(tasks);
}

/**
 * Begins a round and returns this process's rounds, including the new one. Returns null if the last round began less
 * than 5 s ago, or if the process is ending.
 */
function beginRoundIfDue({ background, clock, isEnding }: Deps): RoundHistory | null {
  const now = clock.now();
  const { firstRoundAt, lastRoundAt, count } = roundHistories.get(background) ?? {
    firstRoundAt: now,
    lastRoundAt: -ROUND_MS,
    count: 0,
  };
  if (isEnding() || Math.abs(now - lastRoundAt) < ROUND_MS) return null;
  const round = { firstRoundAt, lastRoundAt: now, count: count + 1 };
  roundHistories.set(background, round);
  return round;
}

/**
 * Returns whether no live process can be expected to follow a transaction. A transaction that was listed before this
 * process's first round counts as abandoned, because this process may have replaced the one that listed it. Following a
 * transaction twice only costs calls.
 */
function isAbandoned({ since }: PendingRecord, { firstRoundAt, lastRoundAt: now }: RoundHistory): boolean {
  // A negative age means that the clock of the other process ran ahead, so the real age is unknown.
  return since < firstRoundAt || now - since < 0 || now - since >= TAKEOVER_AFTER_MS;
}

/**
 * Follows a pending transaction to its outcome and writes its event. Sends the transaction unless it was refused, was
 * only followed, or has lost its claim.
 * @param recordedOutcome the outcome in the record of its landing; null without a record
 */
async function finishPending(
  deps: Deps,
  pendingEntry: PendingEntry,
  recordedOutcome: LandedOutcome | null,
): Promise<void> {
  const attempt = createAttempt(decodeTransaction(fromBase64(pendingEntry.transaction)!));
  // The process that recorded the landing may have died before it ended the claims and wrote the event.
  if (recordedOutcome) {
    const recording = recordOutcome(deps, attempt, recordedOutcome).then(isRecordedOutcome);
    return recordEvent(deps, pendingEntry, recordedOutcome, recording);
  }
  attempt.bound = pendingEntry.bound;
  // The transaction may have landed long ago, so its state is read before it is sent again.
  attempt.mustReadStateFirst = true;
  const landedOutcome = await findLandedOutcome(deps, attempt.txSignature);
  if (!landedOutcome)
    attempt.isFollowedOnly = pendingEntry.isFollowedOnly || !(await recordResend(deps, attempt, pendingEntry));
  const outcome = await (landedOutcome ? recordOutcome(deps, attempt, landedOutcome) : relayTransaction(deps, attempt));
  if (outcome.state !== "unknown") await recordEvent(deps, pendingEntry, outcome, Promise.resolve(outcome.isRecorded));
}

/**
 * Records that a pending message is sent, and marks its claim as sent.
 * @returns false if the message was refused or has lost its claim; it must not be sent then
 */
async function recordResend(deps: Deps, attempt: RelayAttempt, { hasClaim }: PendingRecord) {
  if (!(await recordSendDecision(deps, attempt.transaction.message))) return false;
  return !hasClaim || (await awaitOrNull(markClaimsSent(deps, attempt).then(() => true))) === true;
}
