/** What the operator can pause. Reading, withdrawing, selling and reposting are never paused. */
export const PAUSABLE_ACTIONS = ["save", "invest"] as const;
export type PausableAction = (typeof PAUSABLE_ACTIONS)[number];

export type Pause = {
  parts: PausableAction[];
  /** Explanation by the operator, shown to users. */
  reason: string | null;
};

/** Maximum length of a reason, in characters. */
export const MAX_REASON_LENGTH = 200;

/** Returns whether a text can be a reason: 1 to MAX_REASON_LENGTH characters, all of them printable. */
export function isPauseReason(text: string): boolean {
  return text.length <= MAX_REASON_LENGTH && /^\P{C}+$/u.test(text);
}

/** Parses names of actions. Returns null when a name is unknown. */
export function parsePausableActions(names: readonly string[]): PausableAction[] | null {
  const actions = PAUSABLE_ACTIONS.filter((action) => names.includes(action));
  return names.every((name) => (PAUSABLE_ACTIONS as readonly string[]).includes(name)) ? actions : null;
}
