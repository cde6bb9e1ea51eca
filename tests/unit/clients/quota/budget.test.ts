import { describe, expect, test, vi } from "vitest";
import {
  type Budget,
  type BudgetOptions,
  createBudget,
  OverBudget,
  type QuotaUser,
  type Share,
} from "../../../../lib/clients/quota/budget";
import type { AppError } from "../../../../lib/errors";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const TEN_CALLS = { prices: 1, money: 5, public: 4 };

function createTestBudget(options: Partial<BudgetOptions> & { clock?: ManualClock } = {}) {
  const { clock = createManualClock() } = options;
  return { clock, budget: createBudget({ upstream: "node", calls: TEN_CALLS, windowMs: 1_000, clock, ...options }) };
}

const createQuotaUser = (share: Share, address = "1.1.1.1"): QuotaUser => ({ share, address });

/** Takes quota for this many calls. Counts the calls that were allowed, and collects the refusals of the others. */
function takeQuota(budget: Budget, count: number, quotaUser: QuotaUser) {
  const attempts = { allowedCount: 0, refusals: [] as AppError[] };
  for (let i = 0; i < count; i++)
    void (async () => budget.take(quotaUser))().then(
      () => attempts.allowedCount++,
      (refusal) => attempts.refusals.push(refusal),
    );
  return attempts;
}
const sumAllowed = (attempts: { allowedCount: number }[]) =>
  attempts.reduce((sum, { allowedCount }) => sum + allowedCount, 0);

describe("a budget", () => {
  test("makes calls at once while quota is left in the window", async () => {
    const { clock, budget } = createTestBudget();
    for (let second = 0; second < 3; second++) {
      for (let call = 0; call < 4; call++) expect(budget.take(createQuotaUser("public"))).toBeUndefined();
      await clock.advance(1_000);
    }
  });

  test("keeps the quotas of money and prices from public reads", async () => {
    const { clock, budget } = createTestBudget();
    const flooderCalls = takeQuota(budget, 1_000, createQuotaUser("public"));
    await clock.advance(0);
    expect(flooderCalls.allowedCount).toBe(4);
    for (let call = 0; call < 5; call++) expect(budget.take(createQuotaUser("money", "2.2.2.2"))).toBeUndefined();
    expect(budget.take(createQuotaUser("prices", ""))).toBeUndefined();
  });

  test.each([
    ["money", 9],
    ["prices", 10],
  ] as const)("lets %s use the calls that less important shares leave: %i", async (share, maxCalls) => {
    const { clock, budget } = createTestBudget();
    const attempts = takeQuota(budget, 50, createQuotaUser(share));
    await clock.advance(0);
    expect(attempts.allowedCount).toBe(maxCalls);
    const reads = takeQuota(budget, 1, createQuotaUser("public"));
    await clock.advance(0);
    expect(reads.allowedCount).toBe(0);
  });

  test("never exceeds the limit in a window", async () => {
    const { clock, budget } = createTestBudget();
    const attempts = (["public", "money", "prices", "public", "money"] as const).map((share, i) =>
      takeQuota(budget, 30, createQuotaUser(share, String(i))),
    );
    await clock.advance(0);
    for (let second = 1; second <= 3; second++) {
      expect(sumAllowed(attempts)).toBeLessThanOrEqual(10 * second);
      await clock.advance(1_000);
    }
  });
});

describe("the queue", () => {
  test("gives every address its turn while one address floods", async () => {
    const { clock, budget } = createTestBudget();
    const flooderCalls = takeQuota(budget, 1_000, createQuotaUser("public", "flooder"));
    const otherCallers = ["a", "b", "c"].map((address) => takeQuota(budget, 1, createQuotaUser("public", address)));
    await clock.advance(1_000);
    expect(otherCallers.map(({ allowedCount }) => allowedCount)).toEqual([1, 1, 1]);
    expect(flooderCalls.allowedCount).toBe(4 + 1);
  });

  test("refuses calls at once that cannot be served in 2 s, with 503 and Retry-After", async () => {
    const { clock, budget } = createTestBudget();
    const flooderCalls = takeQuota(budget, 100, createQuotaUser("public"));
    await clock.advance(0);
    expect([flooderCalls.allowedCount, flooderCalls.refusals.length]).toEqual([4, 100 - 4 - 8]);
    const details = { retryAfterSeconds: 1, cause: expect.any(OverBudget) };
    expect(flooderCalls.refusals[0]).toMatchObject({ code: "upstream_unavailable", details });
    await clock.advance(2_000);
    expect([flooderCalls.allowedCount, flooderCalls.refusals.length]).toEqual([12, 88]);
  });

  test("refuses a call after a wait of 2 s", async () => {
    const { clock, budget } = createTestBudget();
    await clock.advance(500);
    takeQuota(budget, 4, createQuotaUser("public"));
    const attempts = takeQuota(budget, 8, createQuotaUser("public", "2.2.2.2"));
    // Money uses the whole quota of the next windows.
    for (let ms = 0; ms < 2_000; ms += 250) {
      takeQuota(budget, 30, createQuotaUser("money"));
      await clock.advance(250);
    }
    expect(attempts.allowedCount + attempts.refusals.length).toBe(8);
  });

  test("refuses a call at once if the next window begins too late", async () => {
    const { clock, budget } = createTestBudget({ windowMs: 60_000 });
    await clock.advance(60_000 - (clock.now() % 60_000));
    takeQuota(budget, 2, createQuotaUser("public"));
    takeQuota(budget, 1, createQuotaUser("public", "2.2.2.2"));
    takeQuota(budget, 1, createQuotaUser("public", "3.3.3.3"));
    const earlyAttempt = takeQuota(budget, 1, createQuotaUser("public"));
    await clock.advance(0);
    expect([earlyAttempt.allowedCount, earlyAttempt.refusals.length]).toEqual([0, 1]);
    expect(earlyAttempt.refusals[0]).toMatchObject({ details: { retryAfterSeconds: 60 } });
    await clock.advance(58_500);
    const lateAttempt = takeQuota(budget, 1, createQuotaUser("public"));
    await clock.advance(1_500);
    expect(lateAttempt.allowedCount).toBe(1);
  });

  test("moves a load's waiting and later calls to the share of a more important caller that joins", async () => {
    const { clock, budget } = createTestBudget();
    takeQuota(budget, 8, createQuotaUser("public", "flooder"));
    const load = createQuotaUser("public", "flooder");
    const loadAttempts = takeQuota(budget, 2, load);
    budget.join(load, createQuotaUser("public", "other"));
    await clock.advance(0);
    expect(loadAttempts.allowedCount).toBe(0);
    budget.join(load, createQuotaUser("money", "saver"));
    await clock.advance(0);
    expect(loadAttempts.allowedCount).toBe(2);
    expect(budget.take(load)).toBeUndefined();
  });
});

describe("long windows", () => {
  const MINUTE_OPTIONS = { calls: { prices: 6, money: 36, public: 18 }, windowMs: 60_000 };

  test("leave half of the remaining quota to each next caller when one floods", async () => {
    const { clock, budget } = createTestBudget(MINUTE_OPTIONS);
    const flooderCalls = takeQuota(budget, 100, createQuotaUser("money", "flooder"));
    await clock.advance(0);
    expect([flooderCalls.allowedCount, flooderCalls.refusals.length]).toEqual([27, 73]);
    expect(flooderCalls.refusals[0]!.details.cause).toBeInstanceOf(OverBudget);
    const secondClientCalls = takeQuota(budget, 100, createQuotaUser("money", "second"));
    const build = takeQuota(budget, 3, createQuotaUser("money", "saver"));
    await clock.advance(0);
    const furtherAttempt = takeQuota(budget, 1, createQuotaUser("money", "flooder"));
    await clock.advance(0);
    expect([secondClientCalls.allowedCount, build.allowedCount, furtherAttempt.allowedCount]).toEqual([14, 3, 0]);
  });

  test("give the service itself all reads that a flooding reader leaves", async () => {
    const { clock, budget } = createTestBudget(MINUTE_OPTIONS);
    const reads = takeQuota(budget, 100, createQuotaUser("public", "flooder"));
    const prices = takeQuota(budget, 100, createQuotaUser("prices", ""));
    await clock.advance(0);
    expect([reads.allowedCount, prices.allowedCount]).toEqual([9, 51]);
    await clock.advance(60_000);
    const repeatedCalls = takeQuota(budget, 100, createQuotaUser("public", "flooder"));
    await clock.advance(0);
    expect(repeatedCalls.allowedCount).toBe(9);
  });

  test("leave the same half to each next caller while the budget waits for a lease from the store", async () => {
    const clock = createManualClock();
    const { budget } = createTestBudget({ ...MINUTE_OPTIONS, clock, store: createMemoryStore(clock) });
    const flooderCalls = takeQuota(budget, 100, createQuotaUser("money", "flooder"));
    const build = takeQuota(budget, 3, createQuotaUser("money", "saver"));
    await clock.advance(1_000);
    expect([flooderCalls.allowedCount, build.allowedCount]).toEqual([27, 3]);
  });
});

describe("a shared store", () => {
  const HUNDRED_CALLS = { prices: 10, money: 50, public: 40 };

  test("keeps the calls of all instances together within the limit", async () => {
    const clock = createManualClock();
    const store = createMemoryStore(clock);
    const instances = [1, 2, 3].map(() => createTestBudget({ calls: HUNDRED_CALLS, clock, store }).budget);
    const attempts = instances.map((budget) => takeQuota(budget, 60, createQuotaUser("public")));
    await clock.advance(0);
    expect(sumAllowed(attempts)).toBe(40);
    await clock.advance(1_000);
    expect(sumAllowed(attempts)).toBe(80);
  });

  test("gets one increment for each tenth of a share's calls", async () => {
    const clock = createManualClock();
    const store = createMemoryStore(clock);
    const increment = vi.spyOn(store, "increment");
    const { budget } = createTestBudget({ calls: HUNDRED_CALLS, clock, store });
    const attempts = takeQuota(budget, 40, createQuotaUser("public"));
    await clock.advance(0);
    expect(attempts.allowedCount).toBe(40);
    const key = `calls:node:public:${Math.floor(clock.now() / 1_000)}`;
    expect(increment.mock.calls.map(([usedKey]) => usedKey)).toEqual(Array(10).fill(key));
  });

  test.each([
    ["gone", () => Promise.reject(createOutage())],
    ["hanging", () => new Promise<number>(() => {})],
  ])("that is %s makes an instance count its calls alone", async (_caseName, increment) => {
    const { clock, budget } = createTestBudget({ calls: HUNDRED_CALLS, store: { increment } });
    const attempts = takeQuota(budget, 60, createQuotaUser("public"));
    await clock.advance(250);
    expect(attempts.allowedCount).toBe(40);
    const money = takeQuota(budget, 1, createQuotaUser("money"));
    await clock.advance(250);
    expect(money.allowedCount).toBe(1);
  });
});
