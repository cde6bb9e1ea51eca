import { type FlowState, isCheckingEarlierStart } from "@/lib/sdk/flow/state";

/** The words of one kind of payment in its sheet. */
export interface Words {
  /** Title during the review. */
  review: string;
  /** Title while the flow runs. */
  running: string;
  /** Title once everything has landed. */
  done: string;
  /** Label of the sign button. */
  confirm: string;
  /** Title of a run that failed before anything was sent. Defaults to the title of the review. */
  failed?: string;
  /** Title while the outcome is unknown. Defaults to the title of the run. */
  unknown?: string;
}

export const SAVED_ELSEWHERE_TITLE = "Already saved elsewhere";

interface FlowProgress {
  record: { done: unknown[]; inFlight: object | null } | null;
}

/** Returns whether a transaction has landed or may land. */
export const isPartlySent = ({ record }: FlowProgress) =>
  record !== null && (record.done.length > 0 || record.inFlight !== null);

type Phase = FlowState<unknown, unknown, unknown>["phase"];

const SIGNING_PHASES: readonly Phase[] = ["building", "review", "asking"];

/**
 * Returns the phase to show. An automatic rebuild keeps showing the review, and a part that an earlier review covers
 * keeps showing the run.
 */
export function chooseShownPhase({ phase, isContinuing, renewalCount, build }: ShownState): Phase {
  if (isContinuing && SIGNING_PHASES.includes(phase)) return "running";
  return phase === "building" && renewalCount > 0 && build?.ready === true ? "review" : phase;
}

interface ShownState {
  phase: Phase;
  isContinuing: boolean;
  renewalCount: number;
  build: { ready: boolean } | null;
}

interface FlowStatus extends FlowProgress {
  build: unknown;
  phase: Phase;
}

/** Returns the sheet's title. */
export function chooseTitle(state: FlowStatus, words: Words): string {
  const { running, done, failed, unknown = running } = words;
  const failedTitle = failed && { failed: isPartlySent(state) ? "Not all of it was done" : failed };
  const titles: Partial<Record<FlowStatus["phase"], string>> = {
    running: isCheckingEarlierStart(state) ? "Checking…" : running,
    unknown,
    done,
    ...failedTitle,
    elsewhere: SAVED_ELSEWHERE_TITLE,
  };
  return titles[state.phase] ?? words.review;
}

/**
 * Returns the sentence about what was sent, for an error that did not come from the service. The page lists the sent
 * parts beside it.
 */
export const describeSent = (hasSentParts: boolean) =>
  hasSentParts ? "Only what is listed here was sent." : "Nothing was sent.";
