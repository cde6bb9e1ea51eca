/** Parts of the service that the operator can pause. Reading, withdrawing, selling and reposting always work. */
export const PAUSABLE = ["save", "invest"] as const;
export type PausableAction = (typeof PAUSABLE)[number];

export type Pause = {
  parts: PausableAction[];
  /** Explanation by the operator, shown to users. */
  reason: string | null;
};

/** Store key of the active pause. The record is absent when nothing is paused. */
export const PAUSE_KEY = "pause";

/** Maximum length of a reason, in characters. */
export const MAX_REASON_LENGTH = 200;

/** Returns whether a text can be a reason: 1 to MAX_REASON_LENGTH characters, all of them printable. */
export function isReason(text: string): boolean {
  return text.length <= MAX_REASON_LENGTH && /^\P{C}+$/u.test(text);
}

/** Parses part names. Returns null when a name is unknown. */
export function parsePausable(names: readonly string[]): PausableAction[] | null {
  const parts = PAUSABLE.filter((part) => names.includes(part));
  return names.every((name) => (PAUSABLE as readonly string[]).includes(name)) ? parts : null;
}
