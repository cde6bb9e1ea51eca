/** The limiter's answer to one call. */
export interface RateDecision {
  allowed: boolean;
  /** Calls left in the rolling window after this one. */
  remaining: number;
  /** Milliseconds. Refused: until the next call is allowed. Allowed: until the oldest call leaves the window. */
  resetMs: number;
}

/** Limits calls per address or other bucket, in this process or over a shared store. */
export interface RateLimiter {
  /** @param limit calls per window; always the same for one bucket. Absent: the limiter's own. */
  take(bucket: string, limit?: number): RateDecision | Promise<RateDecision>;
}
