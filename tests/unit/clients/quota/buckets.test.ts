import fc from "fast-check";
import { expect, test } from "vitest";
import { createBuckets } from "../../../../lib/clients/quota/buckets";
import { createManualClock } from "../../../support/fakes/manual-clock";

const createTestBuckets = (callsPerSecond: number | null, clock = createManualClock()) =>
  createBuckets({ rpcCallsPerSecond: callsPerSecond, jupiterCallsPerSecond: callsPerSecond, clock });

test.each([
  ["rpc", 5, 1_000],
  ["rpc", 100, 1_000],
  ["jupiter", 0.1, 60_000],
  ["jupiter", 1, 60_000],
] as const)(
  "no window of %s at %s calls a second holds more, and a busy one holds nearly all",
  async (upstream, rate, windowMs) => {
    const anyBursts = fc.array(fc.tuple(fc.integer({ min: 0, max: windowMs }), fc.integer({ min: 1, max: 200 })), {
      minLength: 1,
      maxLength: 6,
    });
    const property = fc.asyncProperty(anyBursts, async (bursts) => {
      const clock = createManualClock();
      const bucket = createTestBuckets(rate, clock)[upstream];
      const allowedAt: number[] = [];
      const call = (id: number) =>
        (async () => bucket.take({ priority: "money", kind: "address", id: `${id}` }))().then(
          () => void allowedAt.push(clock.now()),
          () => {},
        );
      for (const [pauseMs, count] of [...bursts, [0, 0]] as const) {
        await clock.advance(pauseMs);
        for (let i = 0; i < count; i++) void call(i);
      }
      await clock.advance(2 * windowMs);
      const callsPerWindow = rate * (windowMs / 1_000);
      for (const start of allowedAt)
        expect(allowedAt.filter((time) => time >= start && time < start + windowMs).length).toBeLessThanOrEqual(
          callsPerWindow,
        );
    });
    await fc.assert(property, { numRuns: 8 });

    const clock = createManualClock();
    const bucket = createTestBuckets(rate, clock)[upstream];
    let allowedCount = 0;
    for (let step = 0; step < 200; step++) {
      const turn = bucket.take({ priority: "money", kind: "service", id: "" });
      void turn?.then(() => allowedCount++).catch(() => {});
      if (turn) await clock.advance(windowMs / 200);
      else allowedCount++;
    }
    expect(allowedCount).toBeGreaterThanOrEqual(Math.floor(rate * (windowMs / 1_000) * 0.8));
  },
);
