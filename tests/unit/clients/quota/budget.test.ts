import { describe, expect, test, vi } from "vitest";
import {
  type Budget,
  createBudget,
  OverBudget,
  type QuotaUser,
  type Share,
} from "../../../../lib/clients/quota/budget";
import type { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

interface BudgetOptions {
  calls?: Record<Share, number>;
  windowMs?: number;
  clock?: ManualClock;
  store?: Pick<KvStore, "increment">;
}

const TEN_CALLS = { prices: 1, money: 5, public: 4 };

function setup({ calls = TEN_CALLS, windowMs = 1_000, clock = createManualClock(), store }: BudgetOptions = {}) {
  return { clock, budget: createBudget({ upstream: "node", calls, windowMs, clock, store }) };
}

const createQuotaUser = (share: Share, address = "1.1.1.1"): QuotaUser => ({ share, address });

/** Attempts this many calls. The result counts those that were made, and collects the refusals of the others. */
function takeMany(budget: Budget, count: number, quotaUser: QuotaUser) {
  const attempts = { madeCount: 0, refusals: [] as AppError[] };
  for (let i = 0; i < count; i++)
    void (async () => budget.take(quotaUser))().then(
      () => attempts.madeCount++,
      (refusal) => attempts.refusals.push(refusal),
    );
  return attempts;
}
const sumMade = (attempts: { madeCount: number }[]) => attempts.reduce((sum, { madeCount }) => sum + madeCount, 0);

describe("a budget", () => {
  test("makes calls at once while quota is left in the window", async () => {
    const { clock, budget } = setup();
    for (let second = 0; second < 3; second++) {
      for (let call = 0; call < 4; call++) expect(budget.take(createQuotaUser("public"))).toBeUndefined();
      await clock.advance(1_000);
    }
  });

  test("keeps the quotas of money and prices from public reads", async () => {
    const { clock, budget } = setup();
    const flood = takeMany(budget, 1_000, createQuotaUser("public"));
    await clock.advance(0);
    expect(flood.madeCount).toBe(4);
    for (let call = 0; call < 5; call++) expect(budget.take(createQuotaUser("money", "2.2.2.2"))).toBeUndefined();
    expect(budget.take(createQuotaUser("prices", ""))).toBeUndefined();
  });

  test.each([
    ["money", 9],
    ["prices", 10],
  ] as const)("lets %s use the calls that less important shares leave: %i", async (share, maxCalls) => {
    const { clock, budget } = setup();
    const attempts = takeMany(budget, 50, createQuotaUser(share));
    await clock.advance(0);
    expect(attempts.madeCount).toBe(maxCalls);
    const reads = takeMany(budget, 1, createQuotaUser("public"));
    await clock.advance(0);
    expect(reads.madeCount).toBe(0);
  });

  test("never exceeds the limit in a window", async () => {
    const { clock, budget } = setup();
    const attempts = (["public", "money", "prices", "public", "money"] as const).map((share, i) =>
      takeMany(budget, 30, createQuotaUser(share, String(i))),
    );
    await clock.advance(0);
    for (let second = 1; second <= 3; second++) {
      expect(sumMade(attempts)).toBeLessThanOrEqual(10 * second);
      await clock.advance(1_000);
    }
  });
});

describe("the queue", () => {
  test("gives every address its turn while one floods", async () => {
    const { clock, budget } = setup();
    const flood = takeMany(budget, 1_000, createQuotaUser("public", "flooder"));
    const otherCallers = ["a", "b", "c"].map((address) => takeMany(budget, 1, createQuotaUser("public", address)));
    await clock.advance(1_000);
    expect(otherCallers.map(({ madeCount }) => madeCount)).toEqual([1, 1, 1]);
    expect(flood.madeCount).toBe(4 + 1);
  });

  test("refuses calls at once that cannot be served in 2 s, with 503 and Retry-After", async () => {
    const { clock, budget } = setup();
    const flood = takeMany(budget, 100, createQuotaUser("public"));
    await clock.advance(0);
    expect([flood.madeCount, flood.refusals.length]).toEqual([4, 100 - 4 - 8]);
    const details = { retryAfterSeconds: 1, cause: expect.any(OverBudget) };
    expect(flood.refusals[0]).toMatchObject({ code: "upstream_unavailable", details });
    await clock.advance(2_000);
    expect([flood.madeCount, flood.refusals.length]).toEqual([12, 88]);
  });

  test("refuses a call after a wait of 2 s", async () => {
    const { clock, budget } = setup();
    await clock.advance(500);
    takeMany(budget, 4, createQuotaUser("public"));
    const attempts = takeMany(budget, 8, createQuotaUser("public", "2.2.2.2"));
    // Money uses the whole quota of the next windows.
    for (let ms = 0; ms < 2_000; ms += 250) {
      takeMany(budget, 30, createQuotaUser("money"));
      await clock.advance(250);
    }
    expect(attempts.madeCount + attempts.refusals.length).toBe(8);
  });

  test("refuses a call at once when the next window is too far off", async () => {
    const { clock, budget } = setup({ windowMs: 60_000 });
    await clock.advance(60_000 - (clock.now() % 60_000));
    takeMany(budget, 2, createQuotaUser("public"));
    takeMany(budget, 1, createQuotaUser("public", "2.2.2.2"));
    takeMany(budget, 1, createQuotaUser("public", "3.3.3.3"));
    const earlyAttempt = takeMany(budget, 1, createQuotaUser("public"));
    await clock.advance(0);
    expect([earlyAttempt.madeCount, earlyAttempt.refusals.length]).toEqual([0, 1]);
    expect(earlyAttempt.refusals[0]).toMatchObject({ details: { retryAfterSeconds: 60 } });
    await clock.advance(58_500);
    const lateAttempt = takeMany(budget, 1, createQuotaUser("public"));
    await clock.advance(1_500);
    expect(lateAttempt.madeCount).toBe(1);
  });

  test("moves waiting and later calls of a load to the better share when a caller joins", async () => {
    const { clock, budget } = setup();
    takeMany(budget, 8, createQuotaUser("public", "flooder"));
    const load = createQuotaUser("public", "flooder");
    const loadAttempts = takeMany(budget, 2, load);
    budget.join(load, createQuotaUser("public", "other"));
    await clock.advance(0);
    expect(loadAttempts.madeCount).toBe(0);
    budget.join(load, createQuotaUser("money", "saver"));
    await clock.advance(0);
    expect(loadAttempts.madeCount).toBe(2);
    expect(budget.take(load)).toBeUndefined();
  });
});

describe("long windows", () => {
  const MINUTE_OPTIONS = { calls: { prices: 6, money: 36, public: 18 }, windowMs: 60_000 };

  test("leave half of the remaining quota to each next caller when one floods", async () => {
    const { clock, budget } = setup(MINUTE_OPTIONS);
    const flood = takeMany(budget, 100, createQuotaUser("money", "flooder"));
    await clock.advance(0);
    expect([flood.madeCount, flood.refusals.length]).toEqual([27, 73]);
    expect(flood.refusals[0]).toMatchObject({
      code: "upstream_unavailable",
      details: { cause: expect.any(OverBudget) },
    });
    const secondClientCalls = takeMany(budget, 100, createQuotaUser("money", "second"));
    const build = takeMany(budget, 3, createQuotaUser("money", "saver"));
    await clock.advance(0);
    const furtherAttempt = takeMany(budget, 1, createQuotaUser("money", "flooder"));
    await clock.advance(0);
    expect([secondClientCalls.madeCount, build.madeCount, furtherAttempt.madeCount]).toEqual([14, 3, 0]);
  });

  test("give the service itself all reads that a flooding reader leaves", async () => {
    const { clock, budget } = setup(MINUTE_OPTIONS);
    const reads = takeMany(budget, 100, createQuotaUser("public", "flooder"));
    const prices = takeMany(budget, 100, createQuotaUser("prices", ""));
    await clock.advance(0);
    expect([reads.madeCount, prices.madeCount]).toEqual([9, 51]);
    await clock.advance(60_000);
    const repeatedCalls = takeMany(budget, 100, createQuotaUser("public", "flooder"));
    await clock.advance(0);
    expect(repeatedCalls.madeCount).toBe(9);
  });

  test("leave the same while the store is asked for a lease", async () => {
    const clock = createManualClock();
    const { budget } = setup({ ...MINUTE_OPTIONS, clock, store: createMemoryStore(clock) });
    const flood = takeMany(budget, 100, createQuotaUser("money", "flooder"));
    const build = takeMany(budget, 3, createQuotaUser("money", "saver"));
    await clock.advance(1_000);
    expect([flood.madeCount, build.madeCount]).toEqual([27, 3]);
  });
});

describe("a shared store", () => {
  const HUNDRED_CALLS = { prices: 10, money: 50, public: 40 };

  test("keeps all instances together within the limit", async () => {
    const clock = createManualClock();
    const store = createMemoryStore(clock);
    const instances = [1, 2, 3].map(() => setup({ calls: HUNDRED_CALLS, clock, store }).budget);
    const attempts = instances.map((budget) => takeMany(budget, 60, createQuotaUser("public")));
    await clock.advance(0);
    expect(sumMade(attempts)).toBe(40);
    await clock.advance(1_000);
    expect(sumMade(attempts)).toBe(80);
  });

  test("is asked once for a tenth of the window's calls", async () => {
    const clock = createManualClock();
    const store = createMemoryStore(clock);
    const increment = vi.spyOn(store, "increment");
    const { budget } = setup({ calls: HUNDRED_CALLS, clock, store });
    const attempts = takeMany(budget, 40, createQuotaUser("public"));
    await clock.advance(0);
    expect(attempts.madeCount).toBe(40);
    const key = `calls:node:public:${Math.floor(clock.now() / 1_000)}`;
    expect(increment.mock.calls.map(([usedKey]) => usedKey)).toEqual(Array(10).fill(key));
  });

  test.each([
    ["gone", () => Promise.reject(createOutage())],
    ["hanging", () => new Promise<number>(() => {})],
  ])("that is %s makes an instance count alone", async (_name, increment) => {
    const { clock, budget } = setup({ calls: HUNDRED_CALLS, store: { increment } });
    const attempts = takeMany(budget, 60, createQuotaUser("public"));
    await clock.advance(250);
    expect(attempts.madeCount).toBe(40);
    const money = takeMany(budget, 1, createQuotaUser("money"));
    await clock.advance(250);
    expect(money.madeCount).toBe(1);
  });
});
