import { AsyncLocalStorage } from "node:async_hooks";
import type { Clock } from "../ports";

interface Meter {
  clock: Clock;
  /** Waits under way now; parallel ones count once. */
  active: number;
  since: number;
  total: number;
}

// On globalThis because the two doors may load this module twice in one process.
const slot = globalThis as { [key: symbol]: unknown };
const KEY = Symbol.for("roundup.upstream-time");
slot[KEY] ??= new AsyncLocalStorage<Meter>();
const meters = slot[KEY] as AsyncLocalStorage<Meter>;

/**
 * Runs `work` and tells it, whenever it asks, how many milliseconds it has spent waiting for upstreams so far: wall
 * time, so calls made in parallel count once. A wait for a call that another request started counts too.
 */
export function measureUpstream<T>(clock: Clock, work: (upstreamMs: () => number) => T): T {
  const meter: Meter = { clock, active: 0, since: 0, total: 0 };
  return meters.run(meter, () =>
    work(() => meter.total + (meter.active > 0 ? Math.max(0, clock.now() - meter.since) : 0)),
  );
}

/** Counts the wait for `pending` into the surrounding `measureUpstream`; outside of one it costs a lookup. */
export function trackUpstream<T>(pending: Promise<T>): Promise<T> {
  const meter = meters.getStore();
  return meter ? timed(meter, pending) : pending;
}

async function timed<T>(meter: Meter, pending: Promise<T>): Promise<T> {
  if (meter.active++ === 0) meter.since = meter.clock.now();
  try {
    return await pending;
  } finally {
    if (--meter.active === 0) meter.total += Math.max(0, meter.clock.now() - meter.since);
  }
}
