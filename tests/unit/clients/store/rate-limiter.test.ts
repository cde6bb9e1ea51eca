import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createVercelCommands } from "../../../../lib/clients/store/kv-vercel";
import { createKvRateLimiter } from "../../../../lib/clients/store/rate-limiter";
import type { RateLimiter } from "../../../../lib/ports/rate-limiter";
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

interface LimiterUnderTest {
  open(): RateLimiter;
  /** Makes all recorded calls of `address` older by `ms`. A negative number acts as a clock that is set back. */
  makeOlder(address: string, ms: number): Promise<void>;
}

/** Makes the recorded calls older by ARGV[1] ms. The record is a list of 4-byte times in ms, which wrap. */
const AGE_SCRIPT = `
local calls, moved = redis.call('GET', KEYS[1]) or '', ''
for start = 1, #calls, 4 do
  moved = moved .. struct.pack('>I4', (struct.unpack('>I4', string.sub(calls, start)) - ARGV[1]) % 4294967296)
end
if moved ~= '' then redis.call('SET', KEYS[1], moved, 'KEEPTTL') end`;

/** Moves the recorded calls, because the store uses the real clock. */
const createStoreLimiter = (openLimiter: () => RateLimiter, toKey: (address: string) => string): LimiterUnderTest => ({
  open: openLimiter,
  async makeOlder(address, ms) {
    await redis!.eval(AGE_SCRIPT, 1, toKey(address), ms);
  },
});

/**
 * Starts a window now. Returns a function that returns a lower bound of the window's remaining time in ms. The bound
 * allows the clocks to differ by one second.
 */
function startWindow(): () => number {
  const startMs = performance.now();
  return () => 59_000 - (performance.now() - startMs);
}

function testLimiterContract({ open, makeOlder }: LimiterUnderTest) {
  let limiter: RateLimiter;
  let addressCount = 0;
  const createAddress = () => `2001:db8:${addressCount++}::/64`;
  beforeAll(() => {
    limiter = open();
  });
  const takeMany = async (address: string, size: number, limit?: number) =>
    Promise.all(Array.from({ length: size }, async () => limiter.take(address, limit)));
  const countAdmitted = async (...args: Parameters<typeof takeMany>) =>
    (await takeMany(...args)).filter(({ isAllowed }) => isAllowed).length;

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
}

const openOverHttp = () =>
  createKvRateLimiter(createVercelCommands({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 }));
const openOnRedis = () => createKvRateLimiter(openRedisStore(bridge!.redisPort).commands);

describe.skipIf(!bridge).each([
  { name: "over HTTP", open: openOverHttp, toKey: (address: string) => `rate-calls:${address}` },
  { name: "on Redis", open: openOnRedis, toKey: (address: string) => `roundup:rate-calls:${address}` },
])("a limiter in the shared store $name", ({ open, toKey }) => {
  testLimiterContract(createStoreLimiter(open, toKey));

  test("stores 4 bytes per call until the window ends, for all instances together", async () => {
    const [limiterA, limiterB] = [open(), open()];
    const getLeastTtlMs = startWindow();
    await Promise.all(Array.from({ length: 80 }, (_, call) => (call % 2 ? limiterA : limiterB).take("shared")));
    expect(await redis!.strlen(toKey("shared"))).toBe(60 * 4);
    const ttlMs = await redis!.pttl(toKey("shared"));
    expect(ttlMs).toBeGreaterThan(getLeastTtlMs());
    expect(ttlMs).toBeLessThanOrEqual(60_000);
  });
});
