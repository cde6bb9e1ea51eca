import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createVercelCommands } from "../../../../lib/clients/store/kv-vercel";
import { createKvRateLimiter, createMemoryRateLimiter } from "../../../../lib/clients/store/rate-limiter";
import { CALL_RATE_LIMIT, RATE_WINDOW_MS } from "../../../../lib/domain/limits";
import type { RateDecision, RateLimiter } from "../../../../lib/ports/rate-limiter";
import { openRedisStore } from "../../../support/store/redis-store";
import { connectRedis, startUpstashBridge } from "../../../support/store/upstash-bridge";

const bridge = await startUpstashBridge();
if (!bridge)
  console.warn("skipped: the shared limiter's tests need redis-server (Debian: apt-get install redis-server)");

const redis = bridge && connectRedis(bridge.redisPort);
afterAll(async () => {
  redis?.disconnect();
  await bridge?.stop();
});

/** Makes the recorded calls older by ARGV[1] ms. The record is a list of 4-byte times in ms, which wrap. */
const AGE_SCRIPT = `
local calls, moved = redis.call('GET', KEYS[1]) or '', ''
for start = 1, #calls, 4 do
  moved = moved .. struct.pack('>I4', (struct.unpack('>I4', string.sub(calls, start)) - ARGV[1]) % 4294967296)
end
if moved ~= '' then redis.call('SET', KEYS[1], moved, 'KEEPTTL') end`;

const openOverHttp = () =>
  createKvRateLimiter(createVercelCommands({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 }));
const openOnRedis = () => createKvRateLimiter(openRedisStore(bridge!.redisPort).commands);

describe.skipIf(!bridge).each([
  { name: "over HTTP", open: openOverHttp, toKey: (address: string) => `rate-calls:${address}` },
  { name: "on Redis", open: openOnRedis, toKey: (address: string) => `roundup:rate-calls:${address}` },
])("a limiter in the shared store $name", ({ open, toKey }) => {
  let limiter: RateLimiter;
  beforeAll(() => {
    limiter = open();
  });
  let addressCount = 0;
  const createAddress = () => `2001:db8:${addressCount++}::/64`;
  /** Moves the recorded calls, because the store uses the real clock. A negative number acts as a clock that is set back. */
  const makeOlder = (address: string, ms: number) => redis!.eval(AGE_SCRIPT, 1, toKey(address), ms);
  const takeMany = (address: string, size: number) =>
    Promise.all(Array.from({ length: size }, async () => limiter.take(address)));
  const countAdmitted = async (address: string, size: number) =>
    (await takeMany(address, size)).filter(({ isAllowed }) => isAllowed).length;

  test("decides as a log of all timestamps would, for any rhythm of bursts", async () => {
    // With steps of half a window, the seconds that a real store may take on a busy machine do not matter.
    const stepMs = 30_000;
    const anyBurst = fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 45 }));
    const property = fc.asyncProperty(fc.array(anyBurst, { maxLength: 8 }), async (bursts) => {
      const address = createAddress();
      const admittedTimesMs: number[] = [];
      let timeMs = 0;
      for (const [stepCount, size] of bursts) {
        await makeOlder(address, stepCount * stepMs);
        timeMs += stepCount * stepMs;
        const remainingCalls = 60 - admittedTimesMs.filter((callTime) => callTime > timeMs - 60_000).length;
        const admittedCount = Math.min(remainingCalls, size);
        admittedTimesMs.push(...new Array<number>(admittedCount).fill(timeMs));
        const decisions = await takeMany(address, size);
        expect(decisions.filter(({ isAllowed }) => isAllowed).length).toBe(admittedCount);
        expect(Math.min(...decisions.map(({ remaining }) => remaining))).toBe(remainingCalls - admittedCount);
      }
    });
    await fc.assert(property, { numRuns: 8 });
  });

  test("makes an address wait at most one window after the clock is set back an hour", async () => {
    const address = createAddress();
    expect(await countAdmitted(address, 60)).toBe(60);
    await makeOlder(address, -3_600_000);
    const refusal = await limiter.take(address);
    expect(refusal).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(refusal.resetMs).toBeLessThanOrEqual(60_000);
    await makeOlder(address, 60_000);
    expect(await countAdmitted(address, 100)).toBe(60);
  });

  test("stores 4 bytes per call until the window ends, for all instances together", async () => {
    const [limiterA, limiterB] = [open(), open()];
    const startMs = performance.now();
    await Promise.all(Array.from({ length: 80 }, (_, call) => (call % 2 ? limiterA : limiterB).take("shared")));
    expect(await redis!.strlen(toKey("shared"))).toBe(60 * 4);
    const ttlMs = await redis!.pttl(toKey("shared"));
    // The two clocks may differ by a second.
    expect(ttlMs).toBeGreaterThan(59_000 - (performance.now() - startMs));
    expect(ttlMs).toBeLessThanOrEqual(60_000);
  });
});

const SERVICE_OPTIONS = { limit: CALL_RATE_LIMIT, windowMs: RATE_WINDOW_MS, maxAddresses: 100 };

/** Creates a limiter whose clock shows the time of each call. */
function createRateWindow(options: typeof SERVICE_OPTIONS) {
  let timeMs = 0;
  const limiter = createMemoryRateLimiter({ now: () => timeMs }, options);
  const take = (address: string, nowMs: number) => {
    timeMs = nowMs;
    return limiter.take(address);
  };
  return { take, getSize: () => limiter.size };
}

/** Creates a naive rolling window. It keeps all admitted calls, and scans them at each new call. */
function createNaiveWindow(limit: number, windowMs: number) {
  const admitted = new Map<string, number[]>();
  return {
    admitted,
    take(address: string, nowMs: number): RateDecision {
      const calls = admitted.get(address) ?? [];
      admitted.set(address, calls);
      const listCallsInWindow = () => calls.filter((time) => time > nowMs - windowMs);
      const isAllowed = listCallsInWindow().length < limit;
      if (isAllowed) calls.push(nowMs);
      const countedCalls = listCallsInWindow();
      return {
        isAllowed,
        remaining: limit - countedCalls.length,
        resetMs: Math.min(...countedCalls) + windowMs - nowMs,
      };
    },
  };
}

/** Generates the pauses between calls, ms: none, short ones, one about as long as the window, and longer ones. */
const createAnyPause = (windowMs: number) =>
  fc.oneof(
    { weight: 8, arbitrary: fc.constant(0) },
    { weight: 4, arbitrary: fc.integer({ min: 1, max: Math.max(1, Math.floor(windowMs / 20)) }) },
    { weight: 1, arbitrary: fc.integer({ min: windowMs - 1, max: windowMs + 1 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 * windowMs }) },
  );

interface Call {
  address: string;
  /** The time since the previous call, ms. */
  pauseMs: number;
}

const createAnyCalls = (windowMs: number, maxLength: number): fc.Arbitrary<Call[]> =>
  fc.array(fc.record({ address: fc.constantFrom("a", "b", "c"), pauseMs: createAnyPause(windowMs) }), {
    maxLength,
    size: "max",
  });

/** Compares all calls with one expect. An expect for each call takes longer than all calls together. */
function expectSameDecisions(options: typeof SERVICE_OPTIONS, sequence: Call[], startMs: number): void {
  const window = createRateWindow(options);
  const naiveWindow = createNaiveWindow(options.limit, options.windowMs);
  let nowMs = startMs;
  const decisions = sequence.map(({ address, pauseMs }) => {
    nowMs += pauseMs;
    return [window.take(address, nowMs), naiveWindow.take(address, nowMs)] as const;
  });
  expect(decisions.map(([decision]) => decision)).toEqual(decisions.map(([, expected]) => expected));
}

test("the rolling window decides each call as a log of all earlier calls would, for any limit and window", () => {
  const anyOptions = fc.oneof(
    fc.constant(SERVICE_OPTIONS),
    fc.record({
      limit: fc.integer({ min: 1, max: 9 }),
      windowMs: fc.integer({ min: 1, max: 40 }),
      maxAddresses: fc.constant(10),
    }),
  );
  const anyOptionsAndCalls = anyOptions.chain((options) =>
    fc.tuple(fc.constant(options), createAnyCalls(options.windowMs, 10 * options.limit)),
  );
  const property = fc.property(anyOptionsAndCalls, ([options, sequence]) =>
    expectSameDecisions(options, sequence, 1_700_000_000_000),
  );
  fc.assert(property, { numRuns: 100 });
});

test("a clock that steps back lets no caller exceed the limit, and no caller waits longer than one window", () => {
  const anyStep = fc.record({
    pauseMs: createAnyPause(100),
    // How far the clock is set back before the call.
    setBackMs: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
    ),
  });
  const property = fc.property(fc.array(anyStep, { maxLength: 300, size: "max" }), (sequence) => {
    const window = createRateWindow({ limit: 5, windowMs: 100, maxAddresses: 10 });
    const admittedTimesMs: number[] = [];
    let trueTimeMs = 0;
    /** How far the limiter's clock is ahead of the true time. */
    let clockLeadMs = 100_000;
    const violations = sequence.flatMap(({ pauseMs, setBackMs }) => {
      trueTimeMs += pauseMs;
      clockLeadMs -= setBackMs;
      const { isAllowed, remaining, resetMs } = window.take("a", trueTimeMs + clockLeadMs);
      if (isAllowed) admittedTimesMs.push(trueTimeMs);
      const countInWindow = admittedTimesMs.filter((time) => time > trueTimeMs - 100).length;
      const isWithinLimits = countInWindow <= 5 && resetMs > 0 && resetMs <= 100 && remaining >= 0;
      return isWithinLimits ? [] : [{ countInWindow, resetMs, remaining }];
    });
    expect(violations).toEqual([]);
  });
  fc.assert(property, { numRuns: 100 });
});

test("above its maximum number of addresses, the window forgets the address with the oldest call, refused calls included", () => {
  const anyAddresses = fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 200, size: "max" });
  const property = fc.property(anyAddresses, fc.integer({ min: 1, max: 6 }), (sequence, maxAddresses) => {
    const window = createRateWindow({ limit: 2, windowMs: 1_000_000, maxAddresses });
    const naiveWindow = createNaiveWindow(2, 1_000_000);
    const results = sequence.map((address, nowMs) => {
      const decision = { ...window.take(address, nowMs), size: window.getSize() };
      const expected = naiveWindow.take(address, nowMs);
      const admittedCalls = naiveWindow.admitted.get(address)!;
      naiveWindow.admitted.delete(address);
      naiveWindow.admitted.set(address, admittedCalls);
      if (naiveWindow.admitted.size > maxAddresses)
        naiveWindow.admitted.delete(naiveWindow.admitted.keys().next().value!);
      return [decision, { ...expected, size: naiveWindow.admitted.size }] as const;
    });
    expect(results.map(([decision]) => decision)).toEqual(results.map(([, expected]) => expected));
  });
  fc.assert(property, { numRuns: 100 });
});
