/** What the operator can stop while reading, withdrawing, selling and posting again go on. */

export const PAUSABLE = ["save", "invest"] as const;
export type Pausable = (typeof PAUSABLE)[number];

export type Pause = {
  parts: Pausable[];
  /** The operator's own words for those who meet it. */
  reason: string | null;
};

/** Where a pause that is live lies in the store; absent: there is none. */
export const PAUSE_KEY = "pause";

export const MAX_REASON_LENGTH = 200;

export function isReason(text: string): boolean {
  return text.length <= MAX_REASON_LENGTH && /^\P{C}+$/u.test(text);
}

/** The parts a list names; null when one is unknown. */
export function parsePausable(names: readonly string[]): Pausable[] | null {
  const parts = PAUSABLE.filter((part) => names.includes(part));
  return names.every((name) => (PAUSABLE as readonly string[]).includes(name)) ? parts : null;
}
