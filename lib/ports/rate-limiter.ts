export interface RateDecision {
  isAllowed: boolean;
  /** Calls left in the rolling window after this one. */
  remaining: number;
  /** Time until the next call is allowed after a refusal, else until the oldest call leaves the window, ms. */
  resetMs: number;
}

/** Limits calls per address or other bucket, in this process or over a shared store. */
export interface RateLimiter {
  /**
   * Counts a call of the bucket, if it is allowed.
   * @param limit calls per window, which must never change for a bucket; absent: the limiter's own limit
   */
  take(bucket: string, limit?: number): RateDecision | Promise<RateDecision>;
}
