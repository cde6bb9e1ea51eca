export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  sleep(ms: number): Promise<void>;
  /** Calls `run` after `ms`. @returns a function that cancels the call */
  startTimer(ms: number, run: () => void): () => void;
}
