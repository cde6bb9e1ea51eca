/**
 * The ports: interfaces to everything outside of the process. Every failure of a port is an AppError with an
 * upstream_* code.
 */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
  /** Calls `run` after `ms`. @returns a function that cancels the call */
  startTimer(ms: number, run: () => void): () => void;
}
