import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { toMicroUsd } from "../../../lib/domain/money";
import { MINIMUM_FEE_BPS, PLAN_NAMES, PLANS, TOPUP_PLAN, toPlanFeeBps } from "../../../lib/domain/plans";
import {
  roundUp,
  splitFee,
  splitLamports,
  sumRoundUps,
  toRoundUpTerms,
  toTopupTerms,
} from "../../../lib/domain/round-up";

/** Generators of amounts in micro-dollars. */
const anyValue = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });
const anyIncrement = fc.oneof(
  fc.constantFrom(50_000n, 100_000n, 500_000n, 1_000_000n),
  fc.bigInt({ min: 10_000n, max: 100_000_000n }),
);
const anyCeiling = fc.bigInt({ min: 1n, max: 100_000_000n });
const anyFeeBps = fc.bigInt({ min: 0n, max: 10_000n });
const anyMultiplier = fc.bigInt({ min: 1n, max: 10n });

const computeRoundUp = (value: bigint, increment: bigint, ceiling: bigint, multiplier = 1n) =>
  roundUp(value, { incrementMicroUsd: increment, ceilingMicroUsd: ceiling, multiplier });

describe("roundUp", () => {
  test("reaches the next multiple of the increment when the ceiling does not apply", () => {
    const property = fc.property(anyValue, anyIncrement, anyCeiling, (value, increment, ceiling) => {
      const { microUsd, capped } = computeRoundUp(value, increment, ceiling);
      if (capped) return;
      expect((value + microUsd) % increment).toBe(0n);
      expect(microUsd >= 0n && microUsd < increment).toBe(true);
    });
    fc.assert(property);
  });

  test("multiplies the change before the ceiling applies", () => {
    const property = fc.property(
      anyValue,
      anyIncrement,
      anyCeiling,
      anyMultiplier,
      (value, increment, ceiling, multiplier) => {
        const uncapped = multiplier * computeRoundUp(value, increment, increment).microUsd;
        const [microUsd, capped] = uncapped > ceiling ? [ceiling, true] : [uncapped, false];
        expect(computeRoundUp(value, increment, ceiling, multiplier)).toEqual({
          microUsd,
          skipped: uncapped === 0n,
          capped,
        });
      },
    );
    fc.assert(property);
  });

  test.each([
    [-1n, 1n, 1n, 1n],
    [1n, -5n, 1n, 1n],
    [1n, 1n, 0n, 1n],
    [1n, 1n, 1n, 0n],
  ])(
    "throws RangeError for value %s, increment %s, ceiling %s, multiplier %s",
    (value, increment, ceiling, multiplier) => {
      expect(() => computeRoundUp(value, increment, ceiling, multiplier)).toThrow(RangeError);
    },
  );
});

describe("sumRoundUps", () => {
  test("adds the round-ups and is capped if any of them was capped", () => {
    const property = fc.property(
      fc.array(anyValue, { maxLength: 20 }),
      anyIncrement,
      anyCeiling,
      (values, increment, ceiling) => {
        const changes = values.map((value) => computeRoundUp(value, increment, ceiling));
        const sum = sumRoundUps(changes);
        expect(sum.microUsd).toBe(changes.reduce((total, { microUsd }) => total + microUsd, 0n));
        expect(sum.skipped).toBe(sum.microUsd === 0n);
        expect(sum.capped).toBe(changes.some(({ capped }) => capped));
      },
    );
    fc.assert(property);
  });

  test("returns a skipped sum only if every round-up was skipped", () => {
    const skippedRoundUp = computeRoundUp(2_000_000n, 1_000_000n, 5n);
    const savedRoundUp = computeRoundUp(2_500_000n, 1_000_000n, 1_000_000n);
    expect(sumRoundUps([skippedRoundUp, skippedRoundUp])).toEqual({ microUsd: 0n, skipped: true, capped: false });
    expect(sumRoundUps([skippedRoundUp, savedRoundUp])).toEqual({ microUsd: 500_000n, skipped: false, capped: false });
  });
});

test("a top-up has its amount as increment and ceiling, and the fee of TOPUP_PLAN", () => {
  expect(toTopupTerms(12_345n)).toEqual({
    plan: TOPUP_PLAN,
    incrementMicroUsd: 12_345n,
    ceilingMicroUsd: 12_345n,
    multiplier: 1n,
    feeBps: toPlanFeeBps(TOPUP_PLAN),
  });
});

describe("worked examples", () => {
  test.each([
    // Value, plan, ceiling, round-up, fee, skipped, capped. All amounts in dollars.
    [27.63, "tree", 1, 0.37, 0.00185, false, false],
    [27.63, "forest", 0.25, 0.25, 0.000625, false, true],
    [27.63, "forest", 0.37, 0.37, 0.000925, false, false],
    [27.5, "tree", 1, 0, 0, true, false],
    [0, "seed", 1, 0, 0, true, false],
    [0.01, "forest", 1, 0.99, 0.002475, false, false],
    [99.9999999, "forest", 1, 0, 0, true, false],
  ] as const)("rounds up %d on %s with a ceiling of %d", (usd, plan, ceiling, expected, fee, skipped, capped) => {
    const terms = toRoundUpTerms({ plan, ceiling });
    const change = roundUp(toMicroUsd(usd), terms);
    expect(change).toEqual({ microUsd: toMicroUsd(expected), skipped, capped });
    const split = splitFee(change.microUsd, terms.feeBps);
    expect(split).toEqual({ fee: toMicroUsd(fee), investment: toMicroUsd(expected) - toMicroUsd(fee) });
  });

  test("splits 27.63 on tree at 150 USD per SOL into 2,466,666 lamports with a fee of 12,333", () => {
    expect(splitLamports(370_000n, toPlanFeeBps("tree"), 150_000_000n)).toEqual({
      total: 2_466_666n,
      fee: 12_333n,
      investment: 2_454_333n,
    });
  });
});

describe("fee and investment", () => {
  test("add up to the round-up in dollars, with the fee rounded down", () => {
    const property = fc.property(anyValue, anyFeeBps, (roundUpMicroUsd, feeBps) => {
      const { fee, investment } = splitFee(roundUpMicroUsd, feeBps);
      expect(fee + investment).toBe(roundUpMicroUsd);
      expect(fee >= 0n && investment >= 0n && fee * 10_000n <= roundUpMicroUsd * feeBps).toBe(true);
      expect((fee + 1n) * 10_000n > roundUpMicroUsd * feeBps).toBe(true);
    });
    fc.assert(property);
  });

  test("add up in lamports to no more than the round-up is worth, at any price", () => {
    const anySolPrice = fc.bigInt({ min: 1n, max: 10_000_000_000n });
    const property = fc.property(anyValue, anyFeeBps, anySolPrice, (roundUpMicroUsd, feeBps, solPriceMicroUsd) => {
      const { total, fee, investment } = splitLamports(roundUpMicroUsd, feeBps, solPriceMicroUsd);
      expect(fee + investment).toBe(total);
      expect(fee >= 0n && investment >= 0n).toBe(true);
      expect(total * solPriceMicroUsd <= roundUpMicroUsd * 1_000_000_000n).toBe(true);
    });
    fc.assert(property);
  });
});

describe("toRoundUpTerms", () => {
  test("defaults to sprout with a ceiling of one dollar", () => {
    expect(toRoundUpTerms({})).toEqual({
      plan: "sprout",
      incrementMicroUsd: 100_000n,
      ceilingMicroUsd: 1_000_000n,
      multiplier: 1n,
      feeBps: 75n,
    });
  });

  test("multiplies the default ceiling but not a requested one", () => {
    expect(toRoundUpTerms({ multiplier: 10 })).toMatchObject({ multiplier: 10n, ceilingMicroUsd: 10_000_000n });
    const requestedTerms = toRoundUpTerms({ plan: "tree", multiplier: 3, ceiling: 0.5 });
    expect(requestedTerms).toMatchObject({ multiplier: 3n, ceilingMicroUsd: 500_000n, feeBps: 50n });
  });

  test.each([
    [0.049999, 100n],
    [0.05, 100n],
    [0.099999, 100n],
    [0.1, 75n],
    [0.499999, 75n],
    [0.5, 50n],
    [0.999999, 50n],
    [1, 25n],
  ])("lets a custom increment of %d override the plan for %s bps", (roundToUsd, bps) => {
    expect(toRoundUpTerms({ plan: "forest", roundToUsd })).toMatchObject({
      plan: null,
      incrementMicroUsd: toMicroUsd(roundToUsd),
      feeBps: bps,
    });
  });

  test("gives every plan at least the relay's minimum fee", () => {
    const fees = PLAN_NAMES.map(toPlanFeeBps);
    expect(fees.every((bps) => bps >= MINIMUM_FEE_BPS)).toBe(true);
    expect(fees).toContain(MINIMUM_FEE_BPS);
    expect(PLAN_NAMES.map((plan) => PLANS[plan].roundToUsd)).toEqual([0.05, 0.1, 0.5, 1]);
  });
});
