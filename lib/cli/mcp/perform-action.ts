import { z } from "zod";
import { type Ledger, MAX_LANDING_MS } from "../state/ledger";
import type { Session } from "../state/session";
import type { Action, ActionContext, Intent } from "./actions";
import { type Figures, isAsShown } from "./figures";
import {
  computeActionMicroUsd,
  createActivityReader,
  enforceMinimumBalance,
  enforceSpendingLimits,
  type LimitOverview,
  Refusal,
  readLimitOverview,
  readPeriodTotals,
  type SpendingLimits,
} from "./spending-limits";

export interface Agent extends ActionContext, Pick<Session, "clock"> {
  limits: SpendingLimits;
  ledger: Ledger;
  /** Returns the stored signatures of an unfinished action: those that landed, then the one in flight. */
  readSentSignatures(action: Action): Promise<string[]>;
}

export interface Preview {
  intent: Intent;
  shownFigures: Figures;
  snapshot: Snapshot;
}

/** `in_part`: the rest was not sent. `unknown`: the last transaction may have landed, and counts towards the limits. */
export const ActionResult = z.object({
  status: z.enum(["done", "in_part", "unknown"]),
  transactions: z.array(z.object({ label: z.string(), txSignature: z.string() })),
  note: z.string().nullable(),
});
export type ActionResult = z.infer<typeof ActionResult>;

const EARLIER_FINISHED_TEXT = "An earlier action was finished first. Ask for a new preview.";
const CHANGED_TEXT = "The figures have changed since the preview. Ask for a new preview.";
const EXPIRED_TEXT = "A transaction expired or changed before it landed. Ask for a new preview of the rest.";
const BUSY_TEXT = "Another action of this wallet is in progress. Ask for a new preview when it has ended.";
const OUTCOME_UNKNOWN_TEXT =
  "The outcome of an earlier transaction is not known yet, so nothing new is sent. Read the activity in a minute.";
const MAY_LAND_TEXT =
  "The outcome is not known yet: the transaction may land. Read the activity in a minute. Do not repeat the action.";
/** Maximum number of runs per preview. A run that only finishes an earlier action is followed by another run. */
const MAX_RUNS = 3;

/** Builds an action without signing it, and checks its figures against the limits. @throws {Refusal | ApiError} */
export async function previewAction(agent: Agent, action: Action, input: z.output<Action["input"]>): Promise<Preview> {
  for (let i = 0; i < MAX_RUNS; i++) {
    const snapshot = await takeSnapshot(agent);
    const intent = action.toIntent(input, agent, snapshot.overview);
    const builds: { shownFigures: Figures; hasLanded: boolean }[] = [];
    const result = await intent.run((shownFigures, note, landedSteps) => {
      if (note === null) builds.push({ shownFigures, hasLanded: landedSteps.length > 0 });
      return false;
    });
    const [firstBuild] = builds;
    if (firstBuild) {
      const { shownFigures, hasLanded } = firstBuild;
      // A part that has landed may be newer than the snapshot.
      const currentSnapshot = hasLanded ? await takeSnapshot(agent) : snapshot;
      await enforceLimits(agent, action, shownFigures, currentSnapshot);
      return { intent, shownFigures, snapshot: currentSnapshot };
    }
    if (result.status === "refused") throw new Refusal(result.reason);
    if (result.status === "failed" || result.status === "elsewhere") throw result.error;
    if (isUnresolved(result)) throw new Refusal(OUTCOME_UNKNOWN_TEXT);
  }
  throw new Refusal(OUTCOME_UNKNOWN_TEXT);
}

interface Snapshot {
  overview: LimitOverview;
  /** When the overview was requested, ms since the Unix epoch. */
  atMs: number;
}

/** @throws {ApiError} */
async function takeSnapshot({ roundup, clock }: Agent): Promise<Snapshot> {
  const atMs = clock.now();
  return { overview: await readLimitOverview(roundup), atMs };
}

/** Takes a new snapshot if any transaction may have landed since the preview, which is at most a minute old. */
async function refreshSnapshot(agent: Agent, snapshot: Snapshot, hasLanded: boolean) {
  const isOutdated =
    hasLanded || (await agent.ledger.readEntries()).some(({ atMs }) => atMs >= snapshot.atMs - MAX_LANDING_MS);
  return isOutdated ? takeSnapshot(agent) : snapshot;
}

/** Checks the figures against every limit. @returns the micro-dollars that the action moves @throws {Refusal | ApiError} */
async function enforceLimits(agent: Agent, { isPaidByWallet }: Action, figures: Figures, { overview }: Snapshot) {
  const { roundup, limits, ledger } = agent;
  const microUsd = computeActionMicroUsd(figures, overview);
  if (isPaidByWallet) enforceMinimumBalance(limits, figures.leaves, overview);
  const totals = await readPeriodTotals(limits, ledger, overview, createActivityReader(overview, roundup));
  enforceSpendingLimits(limits, microUsd, totals);
  return microUsd;
}

/**
 * Executes a previewed action if its figures are still as shown, see `isAsShown`. It may end in part.
 * @throws {Refusal | ApiError | Error} when nothing was sent; or when the disk fails, at any time
 */
export async function performAction(agent: Agent, action: Action, preview: Preview): Promise<ActionResult> {
  const actionResult = await agent.ledger.runAlone(() => performAlone(agent, action, preview));
  if (!actionResult) throw new Refusal(BUSY_TEXT);
  return actionResult;
}

async function performAlone(agent: Agent, action: Action, preview: Preview): Promise<ActionResult> {
  const { intent, shownFigures, snapshot } = preview;
  const { ledger } = agent;
  let isApproved = false;
  let refusal: Error | null = null;
  // Number of transactions that landed before this run. The ledger has them from the program that sent them.
  let earlierCount = 0;
  const result = await intent.run(async (figures, note, landedSteps) => {
    try {
      // A token covers only the previewed build. The user has not seen a rebuild after a failure.
      if (isApproved) throw new Refusal(EXPIRED_TEXT);
      if (note !== null) throw new Refusal(EARLIER_FINISHED_TEXT);
      if (!isAsShown(shownFigures, figures)) throw new Refusal(CHANGED_TEXT);
      const currentSnapshot = await refreshSnapshot(agent, snapshot, landedSteps.length > 0);
      await ledger.reserve(action.name, await enforceLimits(agent, action, figures, currentSnapshot));
      isApproved = true;
      earlierCount = landedSteps.length;
      return true;
    } catch (error) {
      refusal = error as Error;
      return false;
    }
  });
  if (!isApproved) throw refusal ?? toReason(result);
  if (result.status === "earlier") {
    await ledger.settle(action.name, []);
    throw toReason(result);
  }
  if (result.status === "unknown") {
    const sentSignatures = (await agent.readSentSignatures(action)).slice(earlierCount);
    if (sentSignatures.length > 0) await ledger.settle(action.name, sentSignatures);
    return { status: "unknown", transactions: [], note: MAY_LAND_TEXT };
  }
  const transactions = "transactions" in result ? result.transactions.slice(earlierCount) : [];
  const txSignatures = transactions.map(({ txSignature }) => txSignature);
  await ledger.settle(action.name, txSignatures);
  if (result.status === "done") return { status: "done", transactions, note: null };
  const reason = refusal ?? toReason(result);
  if (transactions.length === 0) throw reason;
  return { status: "in_part", transactions, note: reason.message };
}

type RunResult = Awaited<ReturnType<Intent["run"]>>;

const isUnresolved = (result: RunResult) =>
  result.status === "unknown" || (result.status === "earlier" && result.outcome === "unknown");

function toReason(result: RunResult): Error {
  if (result.status === "failed" || result.status === "elsewhere") return result.error;
  if (isUnresolved(result)) return new Refusal(OUTCOME_UNKNOWN_TEXT);
  return new Refusal(result.status === "refused" ? result.reason : EARLIER_FINISHED_TEXT);
}
