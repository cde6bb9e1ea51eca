import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kvRateLimiter, memoryRateLimiter } from "../../../../lib/clients/store/rate-limiter";
import type { RateLimiter } from "../../../../lib/ports/rate-limiter";
import { connectResp, type RespClient } from "../../../support/store/resp";
import { startUpstashBridge } from "../../../support/store/upstash-bridge";

const bridge = await startUpstashBridge();
if (!bridge)
  console.warn("skipped: the shared limiter's tests need redis-server (Debian: apt-get install redis-server)");

let resp: RespClient;
beforeAll(async () => {
  if (bridge) resp = await connectResp(bridge.redisPort);
});
afterAll(async () => {
  resp?.close();
  await bridge?.stop();
});

let now = 1_700_000_000_000;

interface Subject {
  open(): RateLimiter;
  /** Makes all that `address` has done `ms` older; negative: as if the clock had been set back. */
  age(address: string, ms: number): Promise<void>;
}

const inMemory: Subject = {
  open: () => memoryRateLimiter({ now: () => now }),
  async age(_address, ms) {
    now += ms;
  },
};

/** The store's clock is the real one, so it is the recorded calls that are moved. */
const inStore: Subject = {
  open: () => kvRateLimiter({ url: bridge!.url, token: bridge!.token, timeoutMs: 20_000 }),
  async age(address, ms) {
    const [stored] = await resp.send([["GET", keyOf(address)]]);
    if (!Buffer.isBuffer(stored)) return;
    const moved = stored
      .toString()
      .split(",")
      .map((at) => Number(at) - ms);
    await resp.send([["SET", keyOf(address), moved.join(","), "KEEPTTL"]]);
  },
};

/** @returns what is at least left of a window that begins from now on, but for a second in which clocks may differ, ms */
function windowFromNow(): () => number {
  const since = performance.now();
  return () => 59_000 - (performance.now() - since);
}

const keyOf = (address: string) => `rate-window:${address}`;

function contract({ open, age }: Subject) {
  let limiter: RateLimiter;
  let serial = 0;
  const fresh = () => `2001:db8:${serial++}::/64`;
  beforeAll(() => {
    limiter = open();
  });
  const burst = async (address: string, size: number) =>
    Promise.all(Array.from({ length: size }, async () => limiter.take(address)));
  const admittedOf = async (address: string, size: number) =>
    (await burst(address, size)).filter(({ allowed }) => allowed).length;

  test("60 pass, counting down; the 61st is refused and says when to come again; another address is not affected", async () => {
    const address = fresh();
    const leastReset = windowFromNow();
    for (let left = 59; left >= 0; left--) {
      expect(await limiter.take(address)).toMatchObject({ allowed: true, remaining: left });
    }
    const refused = await limiter.take(address);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetMs).toBeGreaterThan(leastReset());
    expect(refused.resetMs).toBeLessThanOrEqual(60_000);
    expect(await limiter.take(fresh())).toMatchObject({ allowed: true, remaining: 59 });
  });

  test("of 100 at once exactly 60 pass", async () => {
    expect(await admittedOf(fresh(), 100)).toBe(60);
  });

  test("no edge to jump over: 30, half a window, 30 more, and then 30 free places as the first 30 leave", async () => {
    const address = fresh();
    expect(await admittedOf(address, 30)).toBe(30);
    await age(address, 30_000);
    expect(await admittedOf(address, 40)).toBe(30);
    await age(address, 20_000);
    expect(await admittedOf(address, 10)).toBe(0);
    await age(address, 10_000);
    expect(await admittedOf(address, 40)).toBe(30);
  });

  test("any rhythm of bursts: what passes is what a log of all timestamps lets pass", async () => {
    // Steps of 10 s, so that the real milliseconds a store takes do not matter.
    const rhythm = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 45 })), {
      maxLength: 12,
    });
    const property = fc.asyncProperty(rhythm, async (steps) => {
      const address = fresh();
      const log: number[] = [];
      let time = 0;
      for (const [tens, size] of steps) {
        await age(address, tens * 10_000);
        time += tens * 10_000;
        const room = 60 - log.filter((at) => at > time - 60_000).length;
        const admitted = Math.min(room, size);
        log.push(...new Array<number>(admitted).fill(time));
        const decisions = await burst(address, size);
        expect(decisions.filter(({ allowed }) => allowed).length).toBe(admitted);
        expect(Math.min(...decisions.map(({ remaining }) => remaining))).toBe(room - admitted);
      }
    });
    await fc.assert(property, { numRuns: 15 });
  });

  test("a clock set back an hour costs nobody more than a window", async () => {
    const address = fresh();
    expect(await admittedOf(address, 60)).toBe(60);
    await age(address, -3_600_000);
    const refused = await limiter.take(address);
    expect(refused).toMatchObject({ allowed: false, remaining: 0 });
    expect(refused.resetMs).toBeLessThanOrEqual(60_000);
    await age(address, 60_000);
    expect(await admittedOf(address, 100)).toBe(60);
  });
}

describe("in memory", () => contract(inMemory));

describe.skipIf(!bridge)("in the shared store", () => {
  contract(inStore);

  test("two instances share the count, and the key leaves by itself a window after the last admitted call", async () => {
    const [one, other] = [inStore.open(), inStore.open()];
    const leastTtl = windowFromNow();
    const calls = Array.from({ length: 80 }, (_, index) => (index % 2 ? one : other).take("shared"));
    expect((await Promise.all(calls)).filter(({ allowed }) => allowed).length).toBe(60);
    const [ttl] = await resp.send([["PTTL", keyOf("shared")]]);
    expect(ttl).toBeGreaterThan(leastTtl());
    expect(ttl).toBeLessThanOrEqual(60_000);
  });
});
