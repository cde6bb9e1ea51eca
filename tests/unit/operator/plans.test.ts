import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { computeFundPlan, computeSweepPlan } from "../../../lib/operator/plans";

const lamports = (max: bigint) => fc.bigInt({ min: 0n, max });
const state = fc.record({
  rentMinimum: fc.bigInt({ min: 1n, max: 3_000_000n }),
  feeLamports: lamports(20_000n),
  // Small balances are as frequent as large ones, because the edge cases are near the rent minimum.
  collectors: fc.array(fc.oneof(lamports(50_000n), lamports(7_000_000n), lamports(10n ** 18n)), {
    minLength: 8,
    maxLength: 8,
  }),
  funder: fc.oneof(lamports(20_000_000n), lamports(10n ** 18n)),
  treasury: fc.oneof(fc.constant(0n), lamports(4_000_000n), lamports(10n ** 18n)),
});
const total = (transfers: { lamports: bigint }[]) => transfers.reduce((sum, { lamports }) => sum + lamports, 0n);

const testAnyState = (
  guarantee: string,
  check: (input: typeof state extends fc.Arbitrary<infer T> ? T : never) => void,
) => test(guarantee, () => fc.assert(fc.property(state, check)));

describe("computeSweepPlan", () => {
  testAnyState("leaves a sending collector exactly the rent minimum", (input) => {
    for (const { collectorIndex, lamports } of computeSweepPlan(input).transfers) {
      expect(input.collectors[collectorIndex]! - lamports - input.feeLamports).toBe(input.rentMinimum);
      expect(lamports).toBeGreaterThan(input.feeLamports);
    }
  });

  testAnyState("plans or skips every collector once, with matching totals", (input) => {
    const plan = computeSweepPlan(input);
    const plannedCollectors = [...plan.transfers, ...plan.skipped].map(({ collectorIndex }) => collectorIndex).sort();
    expect(plannedCollectors).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(plan.totalLamports).toBe(total(plan.transfers));
    expect(plan.feeLamports).toBe(input.feeLamports * BigInt(plan.transfers.length));
  });

  testAnyState("brings the treasury to the rent minimum or above with the first transfer", (input) => {
    const [firstTransfer] = computeSweepPlan(input).transfers;
    if (firstTransfer) expect(input.treasury + firstTransfer.lamports).toBeGreaterThanOrEqual(input.rentMinimum);
  });

  testAnyState("leaves nothing to sweep after it is carried out", (input) => {
    const plan = computeSweepPlan(input);
    const collectors = [...input.collectors];
    for (const { collectorIndex, lamports } of plan.transfers)
      collectors[collectorIndex]! -= lamports + input.feeLamports;
    expect(computeSweepPlan({ ...input, collectors, treasury: input.treasury + plan.totalLamports }).transfers).toEqual(
      [],
    );
  });

  const rentMinimum = 650_240n;
  const input = (collectors: bigint[], treasury: bigint) => ({
    collectors,
    treasury,
    rentMinimum,
    feeLamports: 5_000n,
  });

  test("leaves a surplus that is worth no more than two fees", () => {
    const plan = computeSweepPlan(input([0n, rentMinimum, rentMinimum + 10_000n, rentMinimum + 10_001n], rentMinimum));
    expect(plan.skipped).toEqual([
      { collectorIndex: 0, reason: "no_surplus" },
      { collectorIndex: 1, reason: "no_surplus" },
      { collectorIndex: 2, reason: "not_worth_fee" },
    ]);
    expect(plan.transfers).toEqual([{ collectorIndex: 3, lamports: 5_001n }]);
  });

  test("opens a missing treasury with the largest transfer, or sends nothing", () => {
    const smallBalance = rentMinimum + 100_000n;
    const large = 2n * rentMinimum + 5_000n;
    expect(
      computeSweepPlan(input([smallBalance, large], 0n)).transfers.map(({ collectorIndex }) => collectorIndex),
    ).toEqual([1, 0]);
    expect(computeSweepPlan(input([smallBalance, large - 1n], 0n))).toEqual({
      transfers: [],
      skipped: [
        { collectorIndex: 1, reason: "treasury_unopened" },
        { collectorIndex: 0, reason: "treasury_unopened" },
      ],
      totalLamports: 0n,
      feeLamports: 0n,
    });
  });

  test("refuses a rent minimum of zero and a negative balance", () => {
    expect(() => computeSweepPlan({ ...input([1n], 1n), rentMinimum: 0n })).toThrow(RangeError);
    expect(() => computeSweepPlan(input([-1n], 1n))).toThrow(RangeError);
  });
});

describe("computeFundPlan", () => {
  testAnyState("brings only the collectors below the rent minimum to twice that minimum", (input) => {
    const plan = computeFundPlan(input);
    const after = [...input.collectors];
    for (const { collectorIndex, lamports } of plan.transfers) {
      expect(lamports).toBeGreaterThan(0n);
      after[collectorIndex]! += lamports;
      expect(after[collectorIndex]).toBe(2n * input.rentMinimum);
    }
    for (const balance of after) expect(balance).toBeGreaterThanOrEqual(input.rentMinimum);
    expect(plan.totalLamports).toBe(total(plan.transfers));
    expect(computeFundPlan({ ...input, collectors: after }).transfers).toEqual([]);
  });

  testAnyState("has nothing to fund after a sweep, so rent never moves from the funder to the treasury", (input) => {
    const collectors = input.collectors.map((balance) => balance + input.rentMinimum);
    for (const { collectorIndex, lamports } of computeSweepPlan({ ...input, collectors }).transfers) {
      collectors[collectorIndex]! -= lamports + input.feeLamports;
    }
    expect(computeFundPlan({ ...input, collectors }).transfers).toEqual([]);
  });

  testAnyState("reports the exact shortfall that lets the funder pay and keep the rent minimum", (input) => {
    const plan = computeFundPlan(input);
    const remainingLamports = input.funder + plan.shortfallLamports - plan.totalLamports - plan.feeLamports;
    if (plan.transfers.length === 0)
      expect(plan).toMatchObject({ shortfallLamports: 0n, feeLamports: 0n, totalLamports: 0n });
    else if (plan.shortfallLamports > 0n) expect(remainingLamports).toBe(input.rentMinimum);
    else expect(remainingLamports).toBeGreaterThanOrEqual(input.rentMinimum);
  });
});
