import { z } from "zod";
import type { Clock, Lock } from "../../world";
import type { Action, Intent, Person } from "./actions";
import {
  type Caps,
  createActivityReader,
  enforceCaps,
  enforceMinimumBalance,
  type KnownOverview,
  readKnownOverview,
  sumMovedInADay,
  toMicroUsdOfAction,
} from "./caps";
import { type Figures, isAsShown } from "./figures";
import type { Ledger } from "./ledger";
import { Refusal } from "./refusal";

/** The user on whose behalf the tools act, with limits, a lock and a ledger. */
export interface Agent extends Person {
  caps: Caps;
  lock: Lock;
  clock: Clock;
  openLedger(): Promise<Ledger>;
  /** Returns the stored signatures of an unfinished action. */
  readSentSignatures(action: Action): Promise<string[]>;
  createId(): string;
}

/** A previewed action: its figures, and the snapshot against which they were checked. */
export interface Preview {
  intent: Intent;
  shown: Figures;
  snapshot: Snapshot;
}

/**
 * The outcome of a confirmed action. `in_part`: the remaining transactions were not sent. `unknown`: the last
 * transaction may have landed, and counts towards the limits.
 */
export const ActionResult = z.object({
  status: z.enum(["done", "in_part", "unknown"]),
  transactions: z.array(z.object({ label: z.string(), txSignature: z.string() })),
  note: z.string().nullable(),
});
export type ActionResult = z.infer<typeof ActionResult>;

const EARLIER_FINISHED = "An earlier payment was finished first. Ask for a new preview.";
const CHANGED = "The figures have changed since the preview. Ask for a new preview.";
const EXPIRED = "A transaction expired or changed before it landed. Ask for a new preview of the rest.";
const BUSY = "Another action of this wallet is in progress. Ask for a new preview when it has ended.";
const OUTCOME_UNKNOWN =
  "The outcome of an earlier transaction is not known yet, so nothing new is sent. Read the activity in a minute.";
const MAY_LAND =
  "The outcome is not known yet: the transaction may land. Read the activity in a minute. Do not repeat the action.";
/** Maximum number of runs per preview. A run may only finish an earlier action, and then another run must follow. */
const MAX_RUNS = 3;

/** Builds an action without signing it, and checks its figures against the limits. @throws {Refusal | ApiError} */
export async function previewAction(agent: Agent, action: Action, input: object): Promise<Preview> {
  for (let i = 0; i < MAX_RUNS; i++) {
    const snapshot = await takeSnapshot(agent);
    const intent = action.toIntent(input as never, agent, snapshot.known);
    const seen: { shown: Figures; hasLanded: boolean }[] = [];
    const result = await intent.run((shown, note, landed) => {
      if (note === null) seen.push({ shown, hasLanded: landed.length > 0 });
      return false;
    });
    const [first] = seen;
    if (first) {
      const { shown, hasLanded } = first;
      // A part that has landed may be newer than the snapshot.
      const current = hasLanded ? await takeSnapshot(agent) : snapshot;
      await enforceLimits(agent, action, shown, await agent.openLedger(), current);
      return { intent, shown, snapshot: current };
    }
    if (result.status === "refused") throw new Refusal(result.reason);
    if (result.status === "failed" || result.status === "elsewhere") throw result.error;
    if (isOpen(result)) throw new Refusal(OUTCOME_UNKNOWN);
  }
  throw new Refusal(OUTCOME_UNKNOWN);
}

/** What the service reported, and when it was requested, ms since the Unix epoch. */
interface Snapshot {
  known: KnownOverview;
  atMs: number;
}

/** Reads what the limits are checked against, in one call. @throws {ApiError} */
async function takeSnapshot({ roundup, clock }: Agent): Promise<Snapshot> {
  const atMs = clock.now();
  return { known: await readKnownOverview(roundup), atMs };
}

/** A transaction can land for about a minute after its action has begun. Twice that is the margin for a slow node. */
const LANDS_MS = 2 * 60_000;

/**
 * Returns the preview's snapshot, which is at most a minute old. Takes a new one if any transaction may have landed
 * since, because the balances and the daily total would be wrong.
 */
async function refreshSnapshot(agent: Agent, ledger: Ledger, snapshot: Snapshot, hasLanded: boolean) {
  const isOutdated = hasLanded || (await ledger.selectLastDay()).some(({ atMs }) => atMs >= snapshot.atMs - LANDS_MS);
  return isOutdated ? takeSnapshot(agent) : snapshot;
}

/**
 * Checks the figures against every limit, including the daily total.
 * @returns the micro-dollars that the action moves
 * @throws {Refusal | ApiError}
 */
async function enforceLimits(
  agent: Agent,
  { fromWallet }: Action,
  figures: Figures,
  ledger: Ledger,
  { known }: Snapshot,
): Promise<bigint> {
  const { roundup, caps } = agent;
  const microUsd = toMicroUsdOfAction(figures, known);
  if (fromWallet) enforceMinimumBalance(caps, figures.leaves, known);
  enforceCaps(caps, microUsd, await sumMovedInADay(createActivityReader(known, roundup), ledger, known));
  return microUsd;
}

/**
 * Executes a previewed action exactly as shown, or not at all. One action per service wallet runs at a time.
 * @throws {Refusal | ApiError | Error} when nothing was sent
 */
export async function performAction(agent: Agent, action: Action, preview: Preview): Promise<ActionResult> {
  let done: ActionResult | null = null;
  const { lock, roundup } = agent;
  const ran = await lock(`roundup-agent:${await roundup.serviceWallet()}`, async () => {
    done = await performLocked(agent, action, preview);
  });
  if (!ran) throw new Refusal(BUSY);
  return done!;
}

async function performLocked(agent: Agent, action: Action, preview: Preview): Promise<ActionResult> {
  const { intent, shown, snapshot } = preview;
  const ledger = await agent.openLedger();
  const id = agent.createId();
  let approved = false;
  let refusal: Error | null = null;
  // Transactions that landed earlier are already in the ledger, from the program that sent them.
  let before = 0;
  const result = await intent.run(async (figures, note, landed) => {
    try {
      // A token covers only the previewed build. The user has not seen a rebuild after a failure.
      if (approved) throw new Refusal(EXPIRED);
      if (note !== null) throw new Refusal(EARLIER_FINISHED);
      if (!isAsShown(shown, figures)) throw new Refusal(CHANGED);
      const current = await refreshSnapshot(agent, ledger, snapshot, landed.length > 0);
      await ledger.add(id, await enforceLimits(agent, action, figures, ledger, current));
      approved = true;
      before = landed.length;
      return true;
    } catch (error) {
      refusal = error as Error;
      return false;
    }
  });
  if (!approved) throw refusal ?? findReason(result);
  if (result.status === "earlier") {
    await ledger.recordOutcome(id, []);
    throw findReason(result);
  }
  if (result.status === "unknown") {
    const sent = (await agent.readSentSignatures(action)).slice(before);
    if (sent.length > 0) await ledger.recordOutcome(id, sent);
    return { status: "unknown", transactions: [], note: MAY_LAND };
  }
  const landed = "transactions" in result ? result.transactions.slice(before) : [];
  const transactions = landed.map(({ label, txSignature }) => ({ label, txSignature }));
  const txSignatures = landed.map(({ txSignature }) => txSignature);
  await ledger.recordOutcome(id, txSignatures);
  if (result.status === "done") return { status: "done", transactions, note: null };
  const why = refusal ?? findReason(result);
  if (transactions.length === 0) throw why;
  return { status: "in_part", transactions, note: why.message };
}

type Outcome = Awaited<ReturnType<Intent["run"]>>;

/** Returns true if a transaction sent earlier may still land. */
const isOpen = (result: Outcome) =>
  result.status === "unknown" || (result.status === "earlier" && result.outcome === "unknown");

/** Returns the error that explains why nothing was sent. */
function findReason(result: Outcome): Error {
  if (result.status === "failed" || result.status === "elsewhere") return result.error;
  if (isOpen(result)) return new Refusal(OUTCOME_UNKNOWN);
  return new Refusal(result.status === "refused" ? result.reason : EARLIER_FINISHED);
}
