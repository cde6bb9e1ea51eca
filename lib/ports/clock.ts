/** What the services need of the world. Every failure of a port is an AppError of the upstream_* family. */

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms`. */
  sleep(ms: number): Promise<void>;
}
