import { STORE_KEYS } from "../../../domain/store-keys";
import { awaitOrNull } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { markClaimsSent } from "../../records/claim-records";
import { findRecordedOutcomes, type LandedOutcome } from "../../records/landings";
import { recordSendDecision } from "../../records/message-records";
import { PENDING_SET, type PendingEntry, type PendingRecord } from "../../records/pending";
import { findLandedOutcome, isRecordedOutcome, recordOutcome } from "./outcomes";
import { decodeEarlierPosting, type Posting } from "./posting";
import { recordEvent } from "./record-event";
import { relayTransaction } from "./relay";

/*
 * Finishes pending transactions whose process has died after it answered 202.
 *
 * The bytes are listed before the first send. Each process begins a round every 5 s; on Vercel, a cron job begins one
 * each minute. A lease lets one process at a time make a round. It writes the events of transactions that have landed,
 * and follows those that no live process can be expected to follow.
 */

/** `ttlMs` is the minimum time between two rounds, across all processes. */
const { toKey: toRoundLeaseKey, ttlMs: ROUND_MS } = STORE_KEYS.pendingRound;
/** By this age, a transaction's own process has usually finished it. */
const TAKEOVER_AFTER_MS = 60_000;
/** Interval of Vercel's cron job. Source: vercel.json. */
const CRON_MS = 60_000;
const MAX_PER_ROUND = 20;

export async function keepAdvancingPending(deps: Deps): Promise<void> {
  const startedAt = deps.clock.now();
  for (let round = 0; !deps.isEnding(); round++) {
    const advance = () => awaitOrNull(advancePending(deps, round, startedAt));
    await deps.background.run("pending-round", advance).catch(() => {});
    await deps.clock.sleep(ROUND_MS);
  }
}

/** Makes one round for a host that calls once a minute, and waits for its work. */
export async function advancePendingOnce(deps: Deps): Promise<void> {
  await Promise.allSettled(await advancePending(deps, Math.floor(deps.clock.now() / CRON_MS), 0));
}

/**
 * Makes one round, unless a process began one in the last 5 s.
 * @param round number of the round; each begins with different transactions, because those that stay pending for an
 * hour would block the rest
 * @param startedAt when this process started, ms since the epoch; 0 if other processes may be older than this one
 * @returns the work on each transaction, which goes on in the background; it never rejects with an AppError
 */
export async function advancePending(deps: Deps, round: number, startedAt: number): Promise<Promise<unknown>[]> {
  if (!(await deps.kv.setIfAbsent(toRoundLeaseKey(), true, ROUND_MS))) return [];
  const members = [...(await deps.kv.listMembers<PendingRecord>(PENDING_SET))];
  if (members.length === 0) return [];
  const recordedOutcomes = await findRecordedOutcomes(
    deps,
    members.map(([name]) => name.split("@")[0]!),
  );
  const dueEntries = members
    .map(([name, record], i) => ({ pendingEntry: { ...record, name }, recordedOutcome: recordedOutcomes[i] ?? null }))
    .filter(({ pendingEntry, recordedOutcome }) => recordedOutcome || isAbandoned(pendingEntry, startedAt, deps));
  const startIndex = (round * MAX_PER_ROUND) % Math.max(1, dueEntries.length);
  return [...dueEntries.slice(startIndex), ...dueEntries.slice(0, startIndex)]
    .slice(0, MAX_PER_ROUND)
    .map(({ pendingEntry, recordedOutcome }) =>
      deps.background.run(`pending ${pendingEntry.name}`, () =>
        awaitOrNull(finishPending(deps, pendingEntry, recordedOutcome)),
      ),
    );
}

/** Returns whether no live process can be expected to follow a transaction. Following it twice only costs calls. */
function isAbandoned({ since }: PendingRecord, startedAt: number, { clock }: Deps): boolean {
  const ageMs = clock.now() - since;
  // This process may have replaced the one that listed it. A negative age means that the other's clock ran ahead.
  return since < startedAt || ageMs < 0 || ageMs >= TAKEOVER_AFTER_MS;
}

/**
 * Follows a pending transaction to its outcome and writes its event. Sends the transaction unless it was refused, was
 * only followed, or has lost its claim.
 */
async function finishPending(
  deps: Deps,
  pendingEntry: PendingEntry,
  recordedOutcome: LandedOutcome | null,
): Promise<void> {
  const posting = decodeEarlierPosting(pendingEntry.transaction, pendingEntry.bound);
  // The process that recorded the landing may have died before it ended the claims and wrote the event.
  if (recordedOutcome) {
    const recording = recordOutcome(deps, posting, recordedOutcome).then(isRecordedOutcome);
    return recordEvent(deps, pendingEntry, recordedOutcome, recording);
  }
  const landedOutcome = await findLandedOutcome(deps, posting.txSignature);
  const follow = async () => {
    const isFollowedOnly = pendingEntry.isFollowedOnly || !(await recordResend(deps, posting, pendingEntry));
    return relayTransaction(deps, { ...posting, isFollowedOnly });
  };
  const outcome = await (landedOutcome ? recordOutcome(deps, posting, landedOutcome) : follow());
  if (outcome.state !== "unknown") await recordEvent(deps, pendingEntry, outcome, Promise.resolve(outcome.isRecorded));
}

/** @returns false if the message was refused or has lost its claim; it must not be sent then */
async function recordResend(deps: Deps, posting: Omit<Posting, "feeds" | "owner">, { hasClaim }: PendingRecord) {
  if (!(await recordSendDecision(deps, posting.transaction.message))) return false;
  return !hasClaim || (await awaitOrNull(markClaimsSent(deps, posting).then(() => true))) === true;
}
