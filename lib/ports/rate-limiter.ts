export interface RateDecision {
  allowed: boolean;
  /** Calls left in the rolling window after this one. */
  remaining: number;
  /** Milliseconds. Refused: until the next call is allowed. Allowed: until the oldest call leaves the window. */
  resetMs: number;
}

/** Limits calls per address, in this process or over a shared store. */
export interface RateLimiter {
  take(address: string): RateDecision | Promise<RateDecision>;
}
