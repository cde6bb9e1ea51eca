import { type FlowState, isCheckingEarlierStart } from "@/lib/sdk/flow/state";

export interface FlowWords {
  reviewTitle: string;
  runningTitle: string;
  doneTitle: string;
  confirmLabel: string;
  /** Label of the button that closes the review unsigned. Defaults to "Cancel". */
  cancelLabel?: string;
  /** Title of a run that failed before anything was sent. Defaults to the title of the review. */
  failedTitle?: string;
  /** Title while the outcome is unknown. Defaults to the title of the run. */
  unknownTitle?: string;
}

export const SAVED_ELSEWHERE_TITLE = "Already saved elsewhere";

interface FlowProgress {
  record: { done: unknown[]; inFlight: object | null } | null;
}

/** Returns whether a transaction has landed or may land. */
export const isPartlySent = ({ record }: FlowProgress) =>
  record !== null && (record.done.length > 0 || record.inFlight !== null);

type Phase = FlowState["phase"];

const SIGNING_PHASES: readonly Phase[] = ["building", "review", "asking"];

/** Returns the phase to show. A rebuild keeps showing the review, and a part that it covers keeps showing the run. */
export function chooseShownPhase({ phase, isContinuing, renewalCount, build }: ShownState): Phase {
  if (isContinuing && SIGNING_PHASES.includes(phase)) return "running";
  return phase === "building" && renewalCount > 0 && build?.ready === true ? "review" : phase;
}

type ShownState = Pick<FlowState, "phase" | "isContinuing" | "renewalCount"> & { build: { ready: boolean } | null };

export function chooseTitle(state: FlowProgress & { phase: Phase; build: unknown }, words: FlowWords): string {
  const { runningTitle, doneTitle, failedTitle, unknownTitle = runningTitle } = words;
  const titles: Partial<Record<Phase, string>> = {
    running: isCheckingEarlierStart(state) ? "Checking…" : runningTitle,
    unknown: unknownTitle,
    done: doneTitle,
    ...(failedTitle && { failed: isPartlySent(state) ? "Not all of it was done" : failedTitle }),
    elsewhere: SAVED_ELSEWHERE_TITLE,
  };
  return titles[state.phase] ?? words.reviewTitle;
}

const SHORT_TIME_MS = 10_000;

/** Returns the sentence about the time that is left to sign in the wallet, ms. Returns null while it is not short. */
export function describeTimeToSign(leftMs: number): string | null {
  if (leftMs > SHORT_TIME_MS) return null;
  return leftMs > 0
    ? `${Math.ceil(leftMs / 1000)} s left to sign in your wallet.`
    : "It is too late to sign this. Decline it in your wallet, and you get fresh figures.";
}

/** Says what was sent, for an error that did not come from the service. The page lists the sent parts beside it. */
export const describeSent = (hasSentParts: boolean) =>
  hasSentParts ? "Only what is listed here was sent." : "Nothing was sent.";
