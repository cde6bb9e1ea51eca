import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createRateWindow, RATE_MAX_ADDRESSES } from "../../../../lib/clients/store/rate-limiter";
import { RATE_LIMIT, RATE_WINDOW_MS } from "../../../../lib/domain/limits";
import type { RateDecision } from "../../../../lib/ports/rate-limiter";

const SERVICE_OPTIONS = { limit: RATE_LIMIT, windowMs: RATE_WINDOW_MS, maxAddresses: RATE_MAX_ADDRESSES };

/** A naive implementation: keeps every admitted call for ever and scans all of them each time. */
function createOracle(limit: number, windowMs: number) {
  const admitted = new Map<string, number[]>();
  return {
    admitted,
    take(address: string, nowMs: number): RateDecision {
      const calls = admitted.get(address) ?? [];
      admitted.set(address, calls);
      const inWindow = () => calls.filter((time) => time > nowMs - windowMs);
      const isAllowed = inWindow().length < limit;
      if (isAllowed) calls.push(nowMs);
      const countedCalls = inWindow();
      return {
        isAllowed,
        remaining: limit - countedCalls.length,
        resetMs: Math.min(...countedCalls) + windowMs - nowMs,
      };
    },
  };
}

/** Generates critical times: bursts, a millisecond either side of the window's edge, and long silences. */
const createPauseArbitrary = (windowMs: number) =>
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

const createCallsArbitrary = (windowMs: number, maxLength: number): fc.Arbitrary<Call[]> =>
  fc.array(fc.record({ address: fc.constantFrom("a", "b", "c"), pauseMs: createPauseArbitrary(windowMs) }), {
    maxLength,
    size: "max",
  });

/** Compares all calls with one expect. An expect for each call takes longer than all calls together. */
function expectSameDecisions(options: Parameters<typeof createRateWindow>[0], sequence: Call[], startMs: number): void {
  const window = createRateWindow(options);
  const oracle = createOracle(options.limit, options.windowMs);
  let now = startMs;
  const decisions = sequence.map(({ address, pauseMs }) => {
    now += pauseMs;
    return [window.take(address, now), oracle.take(address, now)] as const;
  });
  expect(decisions.map(([decision]) => decision)).toEqual(decisions.map(([, expected]) => expected));
}

describe("the rolling window", () => {
  test("decides as a log of all timestamps would, for 60 calls in 60 s", () => {
    const property = fc.property(createCallsArbitrary(RATE_WINDOW_MS, 600), (sequence) =>
      expectSameDecisions(SERVICE_OPTIONS, sequence, 1_700_000_000_000),
    );
    fc.assert(property, { numRuns: 100 });
  });

  test("decides as a log of all timestamps would, for any limit and window", () => {
    const optionsAndCalls = fc
      .record({ limit: fc.integer({ min: 1, max: 9 }), windowMs: fc.integer({ min: 1, max: 40 }) })
      .chain((options) => fc.tuple(fc.constant(options), createCallsArbitrary(options.windowMs, 200)));
    const property = fc.property(optionsAndCalls, ([options, sequence]) =>
      expectSameDecisions({ ...options, maxAddresses: 10 }, sequence, 0),
    );
    fc.assert(property, { numRuns: 300 });
  });
});

test("never exceeds the limit in a window of true time, or a wait of one window, when the clock steps back", () => {
  const step = fc.record({
    pauseMs: createPauseArbitrary(100),
    // How far the clock is set back before the call.
    setBackMs: fc.oneof(
      { weight: 9, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 1_000 }) },
    ),
  });
  const property = fc.property(fc.array(step, { maxLength: 300, size: "max" }), (sequence) => {
    const window = createRateWindow({ limit: 5, windowMs: 100, maxAddresses: 10 });
    const admittedAt: number[] = [];
    let trueTime = 0;
    let skew = 100_000;
    const violations = sequence.flatMap(({ pauseMs, setBackMs }) => {
      trueTime += pauseMs;
      skew -= setBackMs;
      const { isAllowed, remaining, resetMs } = window.take("a", trueTime + skew);
      if (isAllowed) admittedAt.push(trueTime);
      const countInWindow = admittedAt.filter((time) => time > trueTime - 100).length;
      const holds = countInWindow <= 5 && resetMs > 0 && resetMs <= 100 && remaining >= 0;
      return holds ? [] : [{ countInWindow, resetMs, remaining }];
    });
    expect(violations).toEqual([]);
  });
  fc.assert(property, { numRuns: 300 });
});

test("drops exactly the least recently seen address above the bound, and a refused call counts as seen", () => {
  const addresses = fc.array(fc.constantFrom(..."abcdefgh"), { maxLength: 200, size: "max" });
  const property = fc.property(addresses, fc.integer({ min: 1, max: 6 }), (sequence, maxAddresses) => {
    const window = createRateWindow({ limit: 2, windowMs: 1_000_000, maxAddresses });
    const oracle = createOracle(2, 1_000_000);
    const results = sequence.map((address, now) => {
      const [decision, expected] = [window.take(address, now), oracle.take(address, now)];
      const log = oracle.admitted.get(address)!;
      oracle.admitted.delete(address);
      oracle.admitted.set(address, log);
      if (oracle.admitted.size > maxAddresses) oracle.admitted.delete(oracle.admitted.keys().next().value!);
      return { decision: { ...decision, size: window.size }, expected: { ...expected, size: oracle.admitted.size } };
    });
    expect(results.map(({ decision }) => decision)).toEqual(results.map(({ expected }) => expected));
  });
  fc.assert(property, { numRuns: 300 });
});

test("releases the memory of idle addresses as other addresses call", () => {
  const window = createRateWindow(SERVICE_OPTIONS);
  for (let index = 0; index < 1_000; index++) window.take(`flood ${index}`, 0);
  for (let index = 0; index < 1_000; index++) window.take("later", RATE_WINDOW_MS + index);
  expect(window.size).toBe(1);
});
