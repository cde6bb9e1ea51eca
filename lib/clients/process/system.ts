import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../ports/clock";
import type { Random } from "../../ports/random";

/** The operating system's clock. Services read the time only through the port, so that tests can stage it. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => delay(ms),
  startTimer(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

/** The operating system's cryptographic randomness. */
export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
};
