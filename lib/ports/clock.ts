/**
 * A port is an interface to something outside of the process. When that fails, the port throws an AppError with an
 * upstream_* code. Methods that throw other codes say so.
 */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
  /** Calls `run` after `ms`. @returns a function that cancels the call */
  startTimer(ms: number, run: () => void): () => void;
}
