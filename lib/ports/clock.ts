/** Tells the time and starts timers. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
  /** Calls `run` after `ms`. @returns a function that cancels the call */
  startTimer(ms: number, run: () => void): () => void;
}
