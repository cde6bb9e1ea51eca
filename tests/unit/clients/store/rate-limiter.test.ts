import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createVercelCommands } from "../../../../lib/clients/store/kv-vercel";
import { createKvRateLimiter, createMemoryRateLimiter } from "../../../../lib/clients/store/rate-limiter";
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

let now = 1_700_000_000_000;

interface Subject {
  open(): RateLimiter;
  /** Makes all recorded calls of `address` `ms` older. Negative: as if the clock had been set back. */
  age(address: string, ms: number): Promise<void>;
}

const inMemory: Subject = {
  open: () => createMemoryRateLimiter({ now: () => now }),
  async age(_address, ms) {
    now += ms;
  },
};

/** Makes recorded calls older by ARGV[1] ms. They are 4-byte times, which wrap. */
const AGE = `
local calls, moved = redis.call('GET', KEYS[1]) or '', ''
for start = 1, #calls, 4 do
  moved = moved .. struct.pack('>I4', (struct.unpack('>I4', string.sub(calls, start)) - ARGV[1]) % 4294967296)
end
if moved ~= '' then redis.call('SET', KEYS[1], moved, 'KEEPTTL') end`;

/** Moves the recorded calls, because the store uses the real clock. */
const inStore = (openLimiter: () => RateLimiter, toKey: (address: string) => string): Subject => ({
  open: openLimiter,
  async age(address, ms) {
    await redis!.eval(AGE, 1, toKey(address), ms);
  },
});

/**
 * Returns a lower bound of the time left in a window that begins now, in ms. It allows one second of difference
 * between clocks.
 */
function windowFromNow(): () => number {
  const since = performance.now();
  return () => 59_000 - (performance.now() - since);
}

function contract({ open, age }: Subject) {
  let limiter: RateLimiter;
  let serial = 0;
  const createAddress = () => `2001:db8:${serial++}::/64`;
  beforeAll(() => {
    limiter = open();
  });
  const burst = async (address: string, size: number) =>
    Promise.all(Array.from({ length: size }, async () => limiter.take(address)));
  const countAdmitted = async (address: string, size: number) =>
    (await burst(address, size)).filter(({ isAllowed }) => isAllowed).length;

  test("admits 60 calls of an address and refuses the 61st", async () => {
    const address = createAddress();
    const leastReset = windowFromNow();
    for (let remaining = 59; remaining >= 0; remaining--) {
      expect(await limiter.take(address)).toMatchObject({ isAllowed: true, remaining: remaining });
    }
    const refusal = await limiter.take(address);
    expect(refusal).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(refusal.resetMs).toBeGreaterThan(leastReset());
    expect(refusal.resetMs).toBeLessThanOrEqual(60_000);
    expect(await limiter.take(createAddress())).toMatchObject({ isAllowed: true, remaining: 59 });
  });

  test("admits calls up to the caller's own limit", async () => {
    const [few, many] = [createAddress(), createAddress()];
    const admitted = async (address: string, limit: number) => {
      const decisions = await Promise.all(Array.from({ length: 100 }, async () => limiter.take(address, limit)));
      return decisions.filter(({ isAllowed }) => isAllowed).length;
    };
    expect(await admitted(few, 7)).toBe(7);
    expect(await admitted(many, 90)).toBe(90);
    expect(await limiter.take(many, 90)).toMatchObject({ isAllowed: false, remaining: 0 });
  });

  test("decides as a log of all timestamps would, for any rhythm of bursts", async () => {
    // Half a window, so that the seconds that a real store may take on a busy machine do not matter.
    const stepMs = 30_000;
    const rhythm = fc.array(fc.tuple(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 1, max: 45 })), {
      maxLength: 12,
    });
    const property = fc.asyncProperty(rhythm, async (steps) => {
      const address = createAddress();
      const log: number[] = [];
      let time = 0;
      for (const [stepCount, size] of steps) {
        await age(address, stepCount * stepMs);
        time += stepCount * stepMs;
        const room = 60 - log.filter((callTime) => callTime > time - 60_000).length;
        const admitted = Math.min(room, size);
        log.push(...new Array<number>(admitted).fill(time));
        const decisions = await burst(address, size);
        expect(decisions.filter(({ isAllowed }) => isAllowed).length).toBe(admitted);
        expect(Math.min(...decisions.map(({ remaining }) => remaining))).toBe(room - admitted);
      }
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test("makes an address wait at most one window after the clock is set back an hour", async () => {
    const address = createAddress();
    expect(await countAdmitted(address, 60)).toBe(60);
    await age(address, -3_600_000);
    const refusal = await limiter.take(address);
    expect(refusal).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(refusal.resetMs).toBeLessThanOrEqual(60_000);
    await age(address, 60_000);
    expect(await countAdmitted(address, 100)).toBe(60);
  });
}

describe("a limiter in memory", () => contract(inMemory));

describe.skipIf(!bridge).each([
  {
    name: "in the shared store over HTTP",
    open: () =>
      createKvRateLimiter(createVercelCommands({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 })),
    toKey: (address: string) => `rate-calls:${address}`,
  },
  {
    name: "in the shared store on Redis",
    open: () => createKvRateLimiter(openRedisStore(bridge!.redisPort).commands),
    toKey: (address: string) => `roundup:rate-calls:${address}`,
  },
])("$name", ({ open, toKey }) => {
  contract(inStore(open, toKey));

  test("shares the count between two instances", async () => {
    const [firstLimiter, secondLimiter] = [open(), open()];
    const leastTtl = windowFromNow();
    const calls = Array.from({ length: 80 }, (_, index) => (index % 2 ? firstLimiter : secondLimiter).take("shared"));
    expect((await Promise.all(calls)).filter(({ isAllowed }) => isAllowed).length).toBe(60);
    const ttl = await redis!.pttl(toKey("shared"));
    expect(ttl).toBeGreaterThan(leastTtl());
    expect(ttl).toBeLessThanOrEqual(60_000);
  });

  test("stores 4 bytes per call", async () => {
    const limiter = open();
    for (let call = 0; call < 70; call++) await limiter.take("packed");
    expect(await redis!.strlen(toKey("packed"))).toBe(240);
  });
});
