import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { UsdcAccount } from "../../../lib/operator/chain";
import {
  computeFundPlan,
  computeShortfall,
  computeSweepPlan,
  computeUsdcSweepPlan,
} from "../../../lib/operator/transfer-plans";

const createAnyLamports = (max: bigint) => fc.bigInt({ min: 0n, max });
const anyUsdcAccount: fc.Arbitrary<UsdcAccount> = fc.oneof(
  fc.record({
    address: fc.constant(""),
    state: fc.constant("open" as const),
    units: fc.oneof(createAnyLamports(200_000n), createAnyLamports(10n ** 16n)),
    depositLamports: fc.constant(0n),
  }),
  fc.record({
    address: fc.constant(""),
    state: fc.constant("missing" as const),
    units: fc.constant(0n),
    depositLamports: createAnyLamports(3_000_000n),
  }),
  fc.constant({ address: "", state: "blocked" as const, units: 0n, depositLamports: 0n }),
);
const anyBalances = fc.record({
  collectorUsdc: fc.array(anyUsdcAccount, { minLength: 8, maxLength: 8 }),
  treasuryUsdc: anyUsdcAccount,
  rentMinimumLamports: fc.bigInt({ min: 1n, max: 3_000_000n }),
  feeLamports: createAnyLamports(20_000n),
  // Small balances are as frequent as large ones, because the edge cases are near the rent minimum.
  collectorLamports: fc.array(
    fc.oneof(createAnyLamports(50_000n), createAnyLamports(7_000_000n), createAnyLamports(10n ** 18n)),
    { minLength: 8, maxLength: 8 },
  ),
  funderLamports: fc.oneof(createAnyLamports(20_000_000n), createAnyLamports(10n ** 18n)),
  treasuryLamports: fc.oneof(fc.constant(0n), createAnyLamports(4_000_000n), createAnyLamports(10n ** 18n)),
});
const sumTransfers = (transfers: { lamports: bigint }[]) => transfers.reduce((sum, { lamports }) => sum + lamports, 0n);

const testAnyBalances = (
  guarantee: string,
  check: (input: typeof anyBalances extends fc.Arbitrary<infer Input> ? Input : never) => void,
) => test(guarantee, () => fc.assert(fc.property(anyBalances, check)));

describe("computeSweepPlan", () => {
  testAnyBalances("leaves a sending collector exactly the rent minimum", (input) => {
    for (const { collectorIndex, lamports } of computeSweepPlan(input).transfers) {
      expect(input.collectorLamports[collectorIndex]! - lamports - input.feeLamports).toBe(input.rentMinimumLamports);
      expect(lamports).toBeGreaterThan(input.feeLamports);
    }
  });

  testAnyBalances("plans or skips every collector once, with matching totals", (input) => {
    const plan = computeSweepPlan(input);
    const plannedCollectors = [...plan.transfers, ...plan.skipped].map(({ collectorIndex }) => collectorIndex).sort();
    expect(plannedCollectors).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(plan.totalLamports).toBe(sumTransfers(plan.transfers));
    expect(plan.feeLamports).toBe(input.feeLamports * BigInt(plan.transfers.length));
  });

  testAnyBalances("brings the treasury to the rent minimum or above with the first transfer", (input) => {
    const [firstTransfer] = computeSweepPlan(input).transfers;
    if (firstTransfer)
      expect(input.treasuryLamports + firstTransfer.lamports).toBeGreaterThanOrEqual(input.rentMinimumLamports);
  });

  testAnyBalances("leaves nothing to sweep after it is carried out", (input) => {
    const plan = computeSweepPlan(input);
    const collectorLamports = [...input.collectorLamports];
    for (const { collectorIndex, lamports } of plan.transfers)
      collectorLamports[collectorIndex]! -= lamports + input.feeLamports;
    const treasuryLamports = input.treasuryLamports + plan.totalLamports;
    expect(computeSweepPlan({ ...input, collectorLamports, treasuryLamports }).transfers).toEqual([]);
  });

  const rentMinimumLamports = 650_240n;
  const planSweep = (collectorLamports: bigint[], treasuryLamports: bigint) =>
    computeSweepPlan({ collectorLamports, treasuryLamports, rentMinimumLamports, feeLamports: 5_000n });

  test("leaves a surplus that is worth no more than two fees", () => {
    const differences = [-rentMinimumLamports, 0n, 10_000n, 10_001n];
    const collectorLamports = differences.map((difference) => rentMinimumLamports + difference);
    const plan = planSweep(collectorLamports, rentMinimumLamports);
    expect(plan.skipped).toEqual([
      { collectorIndex: 0, reason: "no_surplus" },
      { collectorIndex: 1, reason: "no_surplus" },
      { collectorIndex: 2, reason: "not_worth_fee" },
    ]);
    expect(plan.transfers).toEqual([{ collectorIndex: 3, lamports: 5_001n }]);
  });

  test("opens a missing treasury with the largest transfer, or sends nothing", () => {
    const smallBalance = rentMinimumLamports + 100_000n;
    const largeBalance = 2n * rentMinimumLamports + 5_000n;
    const { transfers } = planSweep([smallBalance, largeBalance], 0n);
    expect(transfers.map(({ collectorIndex }) => collectorIndex)).toEqual([1, 0]);
    expect(planSweep([smallBalance, largeBalance - 1n], 0n)).toEqual({
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
    const input = { collectorLamports: [1n], treasuryLamports: 1n, rentMinimumLamports: 0n, feeLamports: 1n };
    expect(() => computeSweepPlan(input)).toThrow(RangeError);
    expect(() => planSweep([-1n], 1n)).toThrow(RangeError);
  });
});

describe("computeUsdcSweepPlan", () => {
  testAnyBalances("sends all that an account with at least 0.1 USDC holds, and nothing of the others", (input) => {
    const plan = computeUsdcSweepPlan(input);
    const largeBalances = input.collectorUsdc.map(({ units }) => units).filter((units) => units >= 100_000n);
    expect(plan.transfers.map(({ units }) => units)).toEqual(largeBalances);
    for (const { collectorIndex, units } of plan.transfers)
      expect(input.collectorUsdc[collectorIndex]).toMatchObject({ state: "open", units });
    expect(plan.totalUnits).toBe(largeBalances.reduce((sum, units) => sum + units, 0n));
  });

  testAnyBalances("opens the treasury's account only if it is missing and would receive something", (input) => {
    const { transfers, opensTreasury } = computeUsdcSweepPlan(input);
    expect(opensTreasury).toBe(transfers.length > 0 && input.treasuryUsdc.state === "missing");
  });
});

describe("computeFundPlan", () => {
  testAnyBalances("brings only the collectors below the rent minimum to twice that minimum", (input) => {
    const plan = computeFundPlan(input);
    const collectorLamports = [...input.collectorLamports];
    for (const { collectorIndex, lamports } of plan.transfers) {
      expect(lamports).toBeGreaterThan(0n);
      collectorLamports[collectorIndex]! += lamports;
      expect(collectorLamports[collectorIndex]).toBe(2n * input.rentMinimumLamports);
    }
    for (const lamports of collectorLamports) expect(lamports).toBeGreaterThanOrEqual(input.rentMinimumLamports);
    expect(computeFundPlan({ ...input, collectorLamports }).transfers).toEqual([]);
  });

  testAnyBalances("opens every missing USDC account once and adds its deposit to the total", (input) => {
    const { transfers, openings, totalLamports } = computeFundPlan(input);
    const missing = input.collectorUsdc.flatMap(({ state, depositLamports }, collectorIndex) =>
      state === "missing" ? [{ collectorIndex, depositLamports }] : [],
    );
    expect(openings).toEqual(missing);
    const depositLamports = missing.reduce((sum, opening) => sum + opening.depositLamports, 0n);
    expect(totalLamports).toBe(sumTransfers(transfers) + depositLamports);
  });

  testAnyBalances("has nothing to fund after a sweep, so rent never moves from the funder to the treasury", (input) => {
    const collectorLamports = input.collectorLamports.map((lamports) => lamports + input.rentMinimumLamports);
    for (const { collectorIndex, lamports } of computeSweepPlan({ ...input, collectorLamports }).transfers)
      collectorLamports[collectorIndex]! -= lamports + input.feeLamports;
    expect(computeFundPlan({ ...input, collectorLamports }).transfers).toEqual([]);
  });

  testAnyBalances("the shortfall is exactly what lets the funder pay and keep the rent minimum", (input) => {
    const { totalLamports } = computeFundPlan(input);
    const shortfallLamports = computeShortfall(input, totalLamports);
    const remainingLamports = input.funderLamports + shortfallLamports - totalLamports;
    if (shortfallLamports > 0n) expect(remainingLamports).toBe(input.rentMinimumLamports);
    else expect(remainingLamports).toBeGreaterThanOrEqual(input.rentMinimumLamports);
  });
});
