import type { FlowState } from "@/lib/sdk/flow/state";

export interface Words {
  /** Title while it is looked at. */
  review: string;
  /** Title while it runs. */
  running: string;
  done: string;
  /** The button that signs. */
  confirm: string;
  /** Titles when it failed and when its outcome is not known; those of the review and of the run unless told otherwise. */
  failed?: string;
  unknown?: string;
}

export const SAVED_ELSEWHERE = "Saved by another device already";

interface FlowProgress {
  record: { done: unknown[]; inFlight: object | null } | null;
}

/** Returns whether a transaction has landed or may land. */
export const isPartly = ({ record }: FlowProgress) =>
  record !== null && (record.done.length > 0 || record.inFlight !== null);

interface FlowStatus extends FlowProgress {
  phase: FlowState<unknown, unknown, unknown>["phase"];
}

/** The title of the sheet. */
export function titleOf(state: FlowStatus, words: Words): string {
  const { running, done, failed, unknown = running } = words;
  const stopped = failed && { failed: isPartly(state) ? "Not all of it was done" : failed };
  const titles: Partial<Record<FlowStatus["phase"], string>> = {
    running,
    unknown,
    done,
    ...stopped,
    elsewhere: SAVED_ELSEWHERE,
  };
  return titles[state.phase] ?? words.review;
}

/** What a failure that is not the service's says was sent; what was stands beside it. */
export const sentText = (partly: boolean) =>
  partly ? "Nothing but what is listed here was sent." : "Nothing was sent.";
