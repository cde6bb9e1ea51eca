import { randomBytes } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../ports/clock";
import type { Random } from "../../ports/random";

export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms) => delay(ms),
  startTimer(ms, run) {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
};
