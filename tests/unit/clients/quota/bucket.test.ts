import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type Bucket,
  type BucketOptions,
  createBucket,
  createBuckets,
  OverQuota,
} from "../../../../lib/clients/quota/bucket";
import { createLoadUser, type QuotaUser } from "../../../../lib/clients/quota/quota-port";
import type { ReserveCalls } from "../../../../lib/clients/quota/tokens";
import type { AppError } from "../../../../lib/errors";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";

/** Ten calls a second, of which four may be made at once. */
const OPTIONS = { upstream: "node", gapMs: 100, burst: 4, maxWaitMs: 2_000 };

function createTestBucket(options: Partial<BucketOptions> & { clock?: ManualClock } = {}) {
  const { clock = createManualClock() } = options;
  return { clock, bucket: createBucket({ ...OPTIONS, clock, ...options }) };
}

const createUser = (id: string, priority: QuotaUser["priority"] = "money"): QuotaUser => ({
  priority,
  kind: "address",
  id,
});
const createKey = (id: string): QuotaUser => ({ priority: "money", kind: "static-key", id });

/** Takes tokens for this many calls. Records when each call was allowed, ms, and the refusals of the others. */
function takeTokens(bucket: Bucket, clock: ManualClock, count: number, user: QuotaUser) {
  const attempts = { allowedAt: [] as number[], refusals: [] as AppError[] };
  const startedAt = clock.now();
  for (let i = 0; i < count; i++)
    void (async () => bucket.take(user))().then(
      () => attempts.allowedAt.push(clock.now() - startedAt),
      (refusal) => attempts.refusals.push(refusal),
    );
  return attempts;
}

describe("a bucket", () => {
  test("makes a call wait at most one gap after the clock is set back an hour", async () => {
    let setBackMs = 0;
    const manualClock = createManualClock();
    const clock = { ...manualClock, now: () => manualClock.now() - setBackMs };
    const bucket = createBucket({ ...OPTIONS, burst: 1, clock });
    expect(bucket.take(createUser("a"))).toBeUndefined();
    setBackMs = 3_600_000;
    const attempts = takeTokens(bucket, clock, 1, createUser("a"));
    await clock.advance(100);
    expect(attempts.allowedAt).toHaveLength(1);
  });

  test("leaves half of its burst to money, and makes waiting calls of money first", async () => {
    const { clock, bucket } = createTestBucket();
    const reads = takeTokens(bucket, clock, 1_000, createUser("reader", "other"));
    await clock.advance(0);
    expect(reads.allowedAt).toEqual([0, 0]);
    for (let call = 0; call < 2; call++) expect(bucket.take(createUser("payer"))).toBeUndefined();
    const payments = takeTokens(bucket, clock, 3, createUser("payer"));
    await clock.advance(300);
    expect([payments.allowedAt, reads.allowedAt.length]).toEqual([[100, 200, 300], 2]);
  });
});

describe("waiting calls", () => {
  test("of a load also take the turns of a caller who joins it", async () => {
    const { clock, bucket } = createTestBucket();
    takeTokens(bucket, clock, 2, createUser("reader", "other"));
    const load = createLoadUser(createUser("reader", "other"));
    const attempts = takeTokens(bucket, clock, 1, load);
    await clock.advance(99);
    expect(attempts.allowedAt).toEqual([]);
    bucket.join(load, createUser("saver"));
    await clock.advance(0);
    expect(attempts.allowedAt).toEqual([99]);
  });

  test("of a static key wait at most two gaps beside any number of flooding addresses", async () => {
    const anyMs = fc.integer({ min: 0, max: 400 });
    const property = fc.asyncProperty(
      fc.constantFrom(1, 4, 50),
      fc.array(anyMs, { maxLength: 4 }),
      async (n, pauses) => {
        const { clock, bucket } = createTestBucket({ burst: 1, maxWaitMs: 60_000 });
        for (let i = 0; i < n; i++) takeTokens(bucket, clock, 20, createUser(`flooder ${i}`));
        for (const ms of pauses) {
          await clock.advance(ms);
          const attempts = takeTokens(bucket, clock, 1, createKey("merchant"));
          await clock.advance(200);
          expect(attempts.allowedAt).toHaveLength(1);
        }
      },
    );
    await fc.assert(property, { numRuns: 10 });
  });

  test("are refused after the longest wait, with 503 and Retry-After", async () => {
    const { clock, bucket } = createTestBucket();
    takeTokens(bucket, clock, 4, createUser("early"));
    const floods = ["a", "b", "c"].map((id) => takeTokens(bucket, clock, 19, createUser(id)));
    await clock.advance(1_999);
    expect(floods.map(({ refusals }) => refusals.length)).toEqual([0, 0, 0]);
    await clock.advance(1);
    expect(floods.map(({ allowedAt, refusals }) => allowedAt.length + refusals.length)).toEqual([19, 19, 19]);
    const details = { retryAfterSeconds: 1, cause: expect.any(OverQuota) };
    expect(floods[0]!.refusals[0]).toMatchObject({ code: "upstream_unavailable", details });
    expect(takeTokens(bucket, clock, 1, createUser("late")).refusals).toEqual([]);
  });
});

describe("a shared store", () => {
  /** Reserves in memory, as the script of the shared store does. */
  function createReserver(clock: ManualClock) {
    const replies: string[] = [];
    let lastDueAt = 0;
    const reserve: ReserveCalls = async (name, { count, gapMs, burstMs }) => {
      replies.push(`${name} ${count}`);
      lastDueAt = Math.max(lastDueAt, clock.now() - burstMs) + count * gapMs;
      return lastDueAt - clock.now();
    };
    return { reserve, replies };
  }

  /** 100 calls a second, of which 20 may be made at once. */
  const HUNDRED_CALLS = { gapMs: 12.5, burst: 20 };

  test("keeps the calls of all instances together within the limit", async () => {
    const clock = createManualClock();
    const { reserve } = createReserver(clock);
    const attempts = [1, 2, 3].map(() => {
      const { bucket } = createTestBucket({ ...HUNDRED_CALLS, clock, reserveShared: reserve });
      return takeTokens(bucket, clock, 150, createUser("a"));
    });
    const countAllowed = () => attempts.flatMap(({ allowedAt }) => allowedAt).length;
    await clock.advance(0);
    expect(countAllowed()).toBe(20);
    await clock.advance(999);
    expect(countAllowed()).toBeGreaterThan(95);
    expect(countAllowed()).toBeLessThanOrEqual(100);
  });

  test("lends no token that was reserved long ago", async () => {
    const clock = createManualClock();
    const { reserve } = createReserver(clock);
    const { bucket } = createTestBucket({ ...HUNDRED_CALLS, clock, reserveShared: reserve });
    takeTokens(bucket, clock, 1, createUser("a"));
    await clock.advance(60_000);
    const attempts = takeTokens(bucket, clock, 100, createUser("a"));
    await clock.advance(0);
    expect(attempts.allowedAt.length).toBe(20);
  });

  test.each<[string, number, ReserveCalls]>([
    ["gone", 0, () => Promise.reject(createOutage())],
    ["hanging", 250, () => new Promise(() => {})],
  ])("that is %s makes an instance count its calls alone within %i ms", async (_caseName, ms, reserveShared) => {
    const { clock, bucket } = createTestBucket({ ...HUNDRED_CALLS, reserveShared });
    const attempts = takeTokens(bucket, clock, 100, createUser("a"));
    await clock.advance(ms);
    expect(attempts.allowedAt.length).toBe(20);
    await clock.advance(125);
    expect(attempts.allowedAt.length).toBe(30);
  });
});

test.each([
  ["rpc", 5, 1_000],
  ["rpc", 100, 1_000],
  ["jupiter", 0.1, 60_000],
  ["jupiter", 1, 60_000],
] as const)(
  "no window of %s at %s calls a second holds more, and a busy one holds nearly all",
  async (upstream, rate, windowMs) => {
    const openBucket = () => {
      const clock = createManualClock();
      const buckets = createBuckets({ rpcCallsPerSecond: rate, jupiterCallsPerSecond: rate, clock });
      return { clock, bucket: buckets[upstream] };
    };
    const anyBursts = fc.array(fc.tuple(fc.integer({ min: 0, max: windowMs }), fc.integer({ min: 1, max: 200 })), {
      minLength: 1,
      maxLength: 6,
    });
    const property = fc.asyncProperty(anyBursts, async (bursts) => {
      const { clock, bucket } = openBucket();
      const allowedAt: number[] = [];
      for (const [pauseMs, count] of bursts) {
        await clock.advance(pauseMs);
        for (let i = 0; i < count; i++)
          (async () => bucket.take(createUser(`${i}`)))().then(
            () => void allowedAt.push(clock.now()),
            () => {},
          );
      }
      await clock.advance(2 * windowMs);
      const callsPerWindow = rate * (windowMs / 1_000);
      for (const start of allowedAt)
        expect(allowedAt.filter((time) => time >= start && time < start + windowMs).length).toBeLessThanOrEqual(
          callsPerWindow,
        );
    });
    await fc.assert(property, { numRuns: 8 });

    const { clock, bucket } = openBucket();
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
