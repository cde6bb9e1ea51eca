export interface RateDecision {
  allowed: boolean;
  /** Calls left in the rolling window after this one. */
  remaining: number;
  /** Milliseconds until the next call is allowed (when refused), or until the window's oldest call leaves it (when allowed). */
  resetMs: number;
}

/** Counts calls in this process, or in a shared store. */
export interface RateLimiter {
  take(address: string): RateDecision | Promise<RateDecision>;
}
