import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../ports/clock";
import type { Random } from "../../ports/random";

/** The machine's clock: the only place that asks the operating system for the time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => delay(ms),
};

/** The operating system's cryptographic randomness. */
export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
};
