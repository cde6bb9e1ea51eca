import { describe, expect, test } from "vitest";
import { type Asker, type Budget, createBudget, OverBudget, type Share } from "../../../../lib/clients/quota/budget";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

interface Rig {
  calls?: Record<Share, number>;
  windowMs?: number;
  clock?: ManualClock;
  store?: Pick<KvStore, "increment">;
}

const TEN = { prices: 1, money: 5, public: 4 };

function setup({ calls = TEN, windowMs = 1_000, clock = createManualClock(), store }: Rig = {}) {
  return { clock, budget: createBudget({ upstream: "node", calls, windowMs, clock, store }) };
}

const asker = (share: Share, address = "1.1.1.1"): Asker => ({ share, address });

/** Makes this many calls. @returns how many were made, refused, and are waiting */
function takeMany(budget: Budget, count: number, who: Asker) {
  const outcome = { callCount: 0, refused: 0, errors: [] as unknown[] };
  const calls = Array.from({ length: count }, async () => {
    try {
      await budget.take(who);
      outcome.callCount++;
    } catch (error) {
      outcome.refused++;
      outcome.errors.push(error);
    }
  });
  return Object.assign(outcome, { all: Promise.all(calls) });
}

describe("a budget", () => {
  test("makes calls at once while quota is left in the window", async () => {
    const { clock, budget } = setup();
    for (let second = 0; second < 3; second++) {
      for (let call = 0; call < 4; call++) expect(budget.take(asker("public"))).toBeUndefined();
      await clock.advance(1_000);
    }
  });

  test("keeps the quotas of money and prices from public reads", async () => {
    const { clock, budget } = setup();
    const flood = takeMany(budget, 1_000, asker("public"));
    await clock.advance(0);
    expect(flood.callCount).toBe(4);
    for (let call = 0; call < 5; call++) expect(budget.take(asker("money", "2.2.2.2"))).toBeUndefined();
    expect(budget.take(asker("prices", ""))).toBeUndefined();
  });

  test.each([
    ["money", 9],
    ["prices", 10],
  ] as const)("lets %s use the calls that less important shares leave: %i", async (share, maxCalls) => {
    const { clock, budget } = setup();
    const attempts = takeMany(budget, 50, asker(share));
    await clock.advance(0);
    expect(attempts.callCount).toBe(maxCalls);
    const reads = takeMany(budget, 1, asker("public"));
    await clock.advance(0);
    expect(reads.callCount).toBe(0);
  });

  test("never exceeds the limit in a window", async () => {
    const { clock, budget } = setup();
    const attempts = (["public", "money", "prices", "public", "money"] as const).map((share, i) =>
      takeMany(budget, 30, asker(share, String(i))),
    );
    const countMade = () => attempts.reduce((sum, attempt) => sum + attempt.callCount, 0);
    await clock.advance(0);
    for (let second = 1; second <= 3; second++) {
      expect(countMade()).toBeLessThanOrEqual(10 * second);
      await clock.advance(1_000);
    }
  });
});

describe("the queue", () => {
  test("gives every address its turn while one floods", async () => {
    const { clock, budget } = setup();
    const flood = takeMany(budget, 1_000, asker("public", "flooder"));
    const otherCallers = ["a", "b", "c"].map((address) => takeMany(budget, 1, asker("public", address)));
    await clock.advance(1_000);
    expect(otherCallers.map(({ callCount }) => callCount)).toEqual([1, 1, 1]);
    expect(flood.callCount).toBe(4 + 1);
  });

  test("refuses calls at once that cannot be served in 2 s, with 503 and Retry-After", async () => {
    const { clock, budget } = setup();
    const flood = takeMany(budget, 100, asker("public"));
    await clock.advance(0);
    expect([flood.callCount, flood.refused]).toEqual([4, 100 - 4 - 8]);
    expect(flood.errors[0]).toBeInstanceOf(AppError);
    expect(flood.errors[0]).toMatchObject({ code: "upstream_unavailable", details: { retryAfterSeconds: 1 } });
    expect((flood.errors[0] as AppError).details.cause).toBeInstanceOf(OverBudget);
    await clock.advance(2_000);
    expect([flood.callCount, flood.refused]).toEqual([12, 88]);
  });

  test("refuses a call after a wait of 2 s", async () => {
    const { clock, budget } = setup();
    await clock.advance(500);
    takeMany(budget, 4, asker("public"));
    const attempts = takeMany(budget, 8, asker("public", "patient"));
    // Money uses the whole quota of the next windows.
    for (let ms = 0; ms < 2_000; ms += 250) {
      takeMany(budget, 30, asker("money"));
      await clock.advance(250);
    }
    expect(attempts.callCount + attempts.refused).toBe(8);
    await attempts.all;
  });

  test("refuses a call at once when the next window is too far off", async () => {
    const { clock, budget } = setup({ windowMs: 60_000 });
    await clock.advance(60_000 - (clock.now() % 60_000));
    takeMany(budget, 2, asker("public"));
    takeMany(budget, 1, asker("public", "2.2.2.2"));
    takeMany(budget, 1, asker("public", "3.3.3.3"));
    const earlyAttempt = takeMany(budget, 1, asker("public"));
    await clock.advance(0);
    expect([earlyAttempt.callCount, earlyAttempt.refused]).toEqual([0, 1]);
    expect(earlyAttempt.errors[0]).toMatchObject({ details: { retryAfterSeconds: 60 } });
    await clock.advance(58_500);
    const lateAttempt = takeMany(budget, 1, asker("public"));
    await clock.advance(1_500);
    expect(lateAttempt.callCount).toBe(1);
  });

  test("moves waiting and later calls of a load to the better share when a caller joins", async () => {
    const { clock, budget } = setup();
    takeMany(budget, 8, asker("public", "flooder"));
    const load = asker("public", "flooder");
    const loadAttempts = takeMany(budget, 2, load);
    budget.join(load, asker("public", "other"));
    await clock.advance(0);
    expect(loadAttempts.callCount).toBe(0);
    budget.join(load, asker("money", "saver"));
    await clock.advance(0);
    expect(loadAttempts.callCount).toBe(2);
    expect(budget.take(load)).toBeUndefined();
  });
});

describe("long windows", () => {
  const MINUTE = { calls: { prices: 6, money: 36, public: 18 }, windowMs: 60_000 };

  test("leave half of the remaining quota to each next caller when one floods", async () => {
    const { clock, budget } = setup(MINUTE);
    const flood = takeMany(budget, 100, asker("money", "flooder"));
    await clock.advance(0);
    expect([flood.callCount, flood.refused]).toEqual([27, 73]);
    expect(flood.errors[0]).toMatchObject({ code: "upstream_unavailable", details: { cause: expect.any(OverBudget) } });
    const secondClientCalls = takeMany(budget, 100, asker("money", "second"));
    const build = takeMany(budget, 3, asker("money", "saver"));
    await clock.advance(0);
    const furtherAttempt = takeMany(budget, 1, asker("money", "flooder"));
    await clock.advance(0);
    expect([secondClientCalls.callCount, build.callCount, furtherAttempt.callCount]).toEqual([14, 3, 0]);
  });

  test("give the service itself all reads that a flooding reader leaves", async () => {
    const { clock, budget } = setup(MINUTE);
    const reads = takeMany(budget, 100, asker("public", "flooder"));
    const prices = takeMany(budget, 100, asker("prices", ""));
    await clock.advance(0);
    expect([reads.callCount, prices.callCount]).toEqual([9, 51]);
    await clock.advance(60_000);
    const repeatedCalls = takeMany(budget, 100, asker("public", "flooder"));
    await clock.advance(0);
    expect(repeatedCalls.callCount).toBe(9);
  });

  test("leave the same while the store is asked for a lease", async () => {
    const clock = createManualClock();
    const { budget } = setup({ ...MINUTE, clock, store: createMemoryStore(clock) });
    const flood = takeMany(budget, 100, asker("money", "flooder"));
    const build = takeMany(budget, 3, asker("money", "saver"));
    await clock.advance(1_000);
    expect([flood.callCount, build.callCount]).toEqual([27, 3]);
  });
});

describe("a shared store", () => {
  const COUNTED = { prices: 10, money: 50, public: 40 };

  function counting(clock: ManualClock) {
    const store = createMemoryStore(clock);
    const keys: string[] = [];
    const increment: KvStore["increment"] = (key, ...parameters) => {
      keys.push(key);
      return store.increment(key, ...parameters);
    };
    return { keys, store: { increment } };
  }

  test("keeps all instances together within the limit", async () => {
    const clock = createManualClock();
    const { store } = counting(clock);
    const instances = [1, 2, 3].map(() => setup({ calls: COUNTED, clock, store }).budget);
    const attempts = instances.map((budget) => takeMany(budget, 60, asker("public")));
    const countMade = () => attempts.reduce((sum, attempt) => sum + attempt.callCount, 0);
    await clock.advance(0);
    expect(countMade()).toBe(40);
    await clock.advance(1_000);
    expect(countMade()).toBe(80);
  });

  test("is asked once for a tenth of the window's calls", async () => {
    const clock = createManualClock();
    const { store, keys } = counting(clock);
    const { budget } = setup({ calls: COUNTED, clock, store });
    const attempts = takeMany(budget, 40, asker("public"));
    await clock.advance(0);
    expect(attempts.callCount).toBe(40);
    expect(keys).toHaveLength(10);
    expect(new Set(keys)).toEqual(new Set([`calls:node:public:${Math.floor(clock.now() / 1_000)}`]));
  });

  test.each([
    ["gone", () => Promise.reject(createOutage())],
    ["hanging", () => new Promise<number>(() => {})],
  ])("that is %s makes an instance count alone", async (_name, increment) => {
    const { clock, budget } = setup({ calls: COUNTED, store: { increment } });
    const attempts = takeMany(budget, 60, asker("public"));
    await clock.advance(250);
    expect(attempts.callCount).toBe(40);
    const money = takeMany(budget, 1, asker("money"));
    await clock.advance(250);
    expect(money.callCount).toBe(1);
  });
});
