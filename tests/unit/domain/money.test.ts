import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  applyBps,
  ceilToCents,
  computeLeastForPercent,
  computeValueMicroUsd,
  floorToCents,
  formatDecimal,
  formatExactUsd,
  fromMicroUsd,
  lamportsForMicroUsd,
  lamportsToMicroUsd,
  lamportsToSol,
  lamportsToUsd,
  microUsdToLamports,
  microUsdToUnits,
  parseWithExponent,
  roundToCents,
  roundToMicro,
  solToLamports,
  takePercent,
  toCoins,
  toMicroUsd,
  toMissingUsd,
} from "../../../lib/domain/money";

/** Computes `digits`·10^(exponent + decimals), rounded half-up, by moving the decimal point in a string. */
function shiftDecimal(digits: bigint, exponent: number, decimals: number): bigint {
  const zeros = "0".repeat(60);
  const text = `${zeros}${digits}${zeros}`;
  const point = text.length - zeros.length + exponent + decimals;
  return BigInt(text.slice(0, point)) + (text[point]! >= "5" ? 1n : 0n);
}

/** Decimals of up to 15 digits. A double written from such a decimal reads back as the same digits. */
const anyDecimal = fc.record({
  digits: fc.bigInt({ min: 0n, max: 999_999_999_999_999n }),
  exponent: fc.integer({ min: -24, max: 6 }),
});
const toNumber = ({ digits, exponent }: { digits: bigint; exponent: number }) => Number(`${digits}e${exponent}`);

describe("toMicroUsd", () => {
  test("rounds any decimal half-up to the micro-dollar, in any notation", () => {
    const property = fc.property(anyDecimal, (amount) => {
      expect(toMicroUsd(toNumber(amount))).toBe(shiftDecimal(amount.digits, amount.exponent, 6));
    });
    fc.assert(property, { numRuns: 500 });
  });

  test.each([
    [0.1 + 0.2, 300_000n],
    [1.0000005, 1_000_001n],
    [1e-320, 0n],
    [0, 0n],
    [-0, 0n],
    [1.5e300, 15n * 10n ** 305n],
  ])("converts %d to %s micro-dollars", (usd, micro) => {
    expect(toMicroUsd(usd)).toBe(micro);
  });

  test("returns whole micro-dollars unchanged from their dollar amount", () => {
    const property = fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), (micro) => {
      expect(toMicroUsd(fromMicroUsd(micro))).toBe(micro);
    });
    fc.assert(property, { numRuns: 500 });
  });

  test.each([-1, -1e-9, Number.NaN, Number.POSITIVE_INFINITY])("throws RangeError for %d", (usd) => {
    expect(() => toMicroUsd(usd)).toThrow(RangeError);
  });
});

describe("dollars and lamports", () => {
  const anyMicroUsd = fc.bigInt({ min: 1n, max: 10n ** 12n });
  const anySolPriceMicroUsd = fc.oneof(
    fc.bigInt({ min: 1n, max: 10n ** 10n }),
    fc.constantFrom(10n ** 9n, 150_000_000n),
  );

  test("microUsdToLamports returns the most lamports that are not worth more than the dollars", () => {
    const property = fc.property(anyMicroUsd, anySolPriceMicroUsd, (microUsd, solPriceMicroUsd) => {
      const lamports = microUsdToLamports(microUsd, solPriceMicroUsd);
      expect(lamports * solPriceMicroUsd <= microUsd * 1_000_000_000n).toBe(true);
      expect((lamports + 1n) * solPriceMicroUsd > microUsd * 1_000_000_000n).toBe(true);
    });
    fc.assert(property);
  });

  test("lamportsForMicroUsd returns the fewest lamports that are worth the dollars", () => {
    const property = fc.property(anyMicroUsd, anySolPriceMicroUsd, (microUsd, solPriceMicroUsd) => {
      const lamports = lamportsForMicroUsd(microUsd, solPriceMicroUsd);
      expect(lamportsToMicroUsd(lamports, solPriceMicroUsd)).toBeGreaterThanOrEqual(microUsd);
      expect(lamportsToMicroUsd(lamports - 1n, solPriceMicroUsd)).toBeLessThan(microUsd);
    });
    fc.assert(property);
  });

  test.each([0n, -1n])("a price of %s throws RangeError", (solPriceMicroUsd) => {
    expect(() => microUsdToLamports(1n, solPriceMicroUsd)).toThrow(RangeError);
    expect(() => lamportsForMicroUsd(1n, solPriceMicroUsd)).toThrow(RangeError);
  });
});

test("a share in basis points is rounded down to the unit", () => {
  expect(applyBps(399n, 25n)).toBe(0n);
  expect(applyBps(400n, 25n)).toBe(1n);
  expect(applyBps(10_000n, 10_000n)).toBe(10_000n);
});

test("toCoins returns the number nearest to the exact decimal, for any number of decimals", () => {
  const anyAmount = fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n });
  const property = fc.property(anyAmount, fc.integer({ min: 0, max: 18 }), (amount, decimals) => {
    expect(toCoins(amount, decimals)).toBe(Number(`${amount}e-${decimals}`));
  });
  fc.assert(property, { numRuns: 500 });
});

test.each([
  [12_345_678n, 8, "0.12345678"],
  [-1_050_000n, 6, "-1.05"],
  [0n, 6, "0"],
  [100n, 0, "100"],
])("formatDecimal formats %s base units with %i decimals as %s", (units, decimals, text) => {
  expect(formatDecimal(units, decimals)).toBe(text);
});

test.each([
  [1_234.5, "$1,234.50"],
  [0.000_001, "$0.000001"],
])("formatExactUsd formats %f dollars as %s, exact to the micro-dollar", (usd, text) => {
  expect(formatExactUsd(usd)).toBe(text);
});

test("computeValueMicroUsd multiplies by the price to 12 decimals and rounds down once", () => {
  const anyUnits = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  const property = fc.property(anyUnits, fc.integer({ min: 0, max: 12 }), anyDecimal, (units, decimals, price) => {
    const exactMicroUsd = units * shiftDecimal(price.digits, price.exponent, 12);
    expect(computeValueMicroUsd(units, decimals, toNumber(price))).toBe(exactMicroUsd / 10n ** BigInt(decimals + 6));
  });
  fc.assert(property, { numRuns: 500 });
  expect(computeValueMicroUsd(100_000_000n, 8, 67601.173), "1 BTC").toBe(67_601_173_000n);
  expect(computeValueMicroUsd(1n, 0, 1e305)).toBe(10n ** 311n);
});

test("sums of dollars are rounded without floating-point noise", () => {
  expect(roundToMicro(0.1 + 0.2)).toBe(0.3);
  expect(ceilToCents(0.07)).toBe(0.07);
  expect(ceilToCents(0.1 + 0.2)).toBe(0.3);
  expect(ceilToCents(0.070001)).toBe(0.08);
  expect(ceilToCents(0)).toBe(0);
  expect(floorToCents(0.29)).toBe(0.29);
  expect(floorToCents(0.01875)).toBe(0.01);
});

test("SOL converts to lamports and back without loss", () => {
  expect(solToLamports(0.1 + 0.2)).toBe(300_000_000n);
  expect(solToLamports(1.000000001)).toBe(1_000_000_001n);
  expect(() => solToLamports(-1)).toThrow(RangeError);
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 52n }), (lamports) => {
      expect(solToLamports(lamportsToSol(lamports))).toBe(lamports);
    }),
  );
  expect(lamportsToUsd(250_000_000, 180)).toBe(45);
});

test("percentages of an amount never add up to more than the amount", () => {
  expect([33.333, 33.333, 33.334].map((pct) => takePercent(100_000n, pct))).toEqual([33_333n, 33_333n, 33_334n]);
  expect(takePercent(2n ** 80n, 100)).toBe(2n ** 80n);
  expect(takePercent(99n, 50)).toBe(49n);
});

test("digits with an exponent become the nearest number", () => {
  expect(parseWithExponent("6760117300000", -8)).toBe(67_601.173);
  expect(parseWithExponent("-12", 2)).toBe(-1200);
});

describe("roundToCents", () => {
  test.each([
    [0.004999, 0],
    [1.005, 1.01],
    [9.3 * 1.1, 10.23],
    [-2.5, -2.5],
  ])("converts %f USD to %f, rounding half a cent up", (usd, cents) => {
    expect(roundToCents(usd)).toBe(cents);
  });

  test("rounds half a cent up, even when its double is slightly less", () => {
    const property = fc.property(fc.integer({ min: 0, max: 100_000_000 }), (cents) => {
      expect(roundToCents(Number(`${cents}.5e-2`))).toBe((cents + 1) / 100);
    });
    fc.assert(property);
  });
});

test("missing lamports are worth at least one micro-dollar", () => {
  expect(toMissingUsd(0n, 150_000_000n)).toBe(0);
  expect(toMissingUsd(1n, 150_000_000n)).toBe(0.000001);
  expect(toMissingUsd(10_000n, 150_000_000n)).toBe(0.0015);
  expect(toMissingUsd(10n ** 9n, 150_000_000n)).toBe(150);
});

test("computeLeastForPercent returns the smallest amount whose percentage is one unit", () => {
  const anyPercent = fc.integer({ min: 1, max: 200_000_000 }).map((millionths) => Number(`${millionths}e-6`));
  const property = fc.property(fc.oneof(anyPercent, fc.constantFrom(1, 2, 0.25, 50, 100)), (percent) => {
    const leastAmount = computeLeastForPercent(percent);
    expect(takePercent(leastAmount, percent)).toBeGreaterThanOrEqual(1n);
    expect(takePercent(leastAmount - 1n, percent)).toBe(0n);
  });
  fc.assert(property);
  for (const percent of [0, 0.0000001]) expect(() => computeLeastForPercent(percent)).toThrow(RangeError);
});

test("micro-dollars convert to base units, rounded down", () => {
  expect(microUsdToUnits(1_000_000n, 8, 100_000)).toBe(1_000n);
  expect(microUsdToUnits(2_000_000n, 6, 0.999)).toBe(2_002_002n);
  expect(() => microUsdToUnits(1n, 8, 0)).toThrow(RangeError);
});
