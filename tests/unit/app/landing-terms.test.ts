import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  answer,
  LIMITS,
  PLAN_LIST,
  parseAmount,
  parseAmounts,
  readAmount,
  yearOf,
} from "@/app/_components/landing-terms";
import { fromMicroUsd, toMicroUsd } from "../../../lib/domain/money";
import { roundUp, roundUpTerms, splitFee } from "../../../lib/domain/round-up";

describe("amounts as people type them", () => {
  test.each([
    ["27.63", 27.63],
    ["27,63", 27.63],
    ["$5", 5],
    ["1,234.50", 1234.5],
    ["1,234", 1234],
    ["12.", 12],
    [".5", 0.5],
    [" 7 ", 7],
  ])("%j is %d", (text, value) => {
    expect(parseAmount(text)).toBe(value);
  });

  test.each(["", "abc", "1e3", "-1", "1.2.3", "1,23,4", ".", "0x10", "Infinity", "1,2345"])(
    "%j is no amount",
    (text) => {
      expect(parseAmount(text)).toBeNull();
    },
  );

  test("what is wrong is said, and a value only comes without an error", () => {
    expect(readAmount("", LIMITS.purchase)).toEqual({ value: null, error: "Type an amount." });
    expect(readAmount("2000000", LIMITS.purchase)).toEqual({ value: null, error: "At most 1,000,000." });
    expect(readAmount("0", LIMITS.ceiling)).toEqual({ value: null, error: "This must be more than 0." });
    expect(readAmount("0.001", LIMITS.increment)).toEqual({ value: null, error: "At least 0.01." });
    expect(readAmount("0", LIMITS.purchase)).toEqual({ value: 0, error: null });
  });

  test("several amounts in one line", () => {
    expect(parseAmounts("4.98 27,63; 12, 1,234.50")).toEqual([4.98, 27.63, 12, 1234.5]);
    expect(parseAmounts("")).toEqual([]);
    expect(parseAmounts("4.98 coffee")).toBeNull();
  });
});

test("the calculator answers exactly what the server's own functions do, and its parts add up", () => {
  const amounts = fc.record({
    purchase: fc.integer({ min: 0, max: 100_000_000 }).map((cents) => cents / 100),
    choice: fc.constantFrom("seed", "sprout", "tree", "forest", "custom" as const),
    incrementUsd: fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100),
    ceilingUsd: fc.integer({ min: 1, max: 10_000 }).map((cents) => cents / 100),
  });
  fc.assert(
    fc.property(amounts, ({ purchase, choice, incrementUsd, ceilingUsd }) => {
      const terms = roundUpTerms({
        ceiling: ceilingUsd,
        ...(choice === "custom" ? { roundToUsd: incrementUsd } : { plan: choice }),
      });
      const change = roundUp(toMicroUsd(purchase), terms.incrementMicroUsd, terms.ceilingMicroUsd);
      const { fee, investment } = splitFee(change.microUsd, terms.feeBps);
      const shown = answer(purchase, { choice, incrementUsd, ceilingUsd });
      expect(shown).toMatchObject({
        roundUpUsd: fromMicroUsd(change.microUsd),
        feeUsd: fromMicroUsd(fee),
        investedUsd: fromMicroUsd(investment),
        skipped: change.skipped,
        capped: change.capped,
      });
    }),
  );
});

describe("a year of a plan", () => {
  test("without amounts every ending counts alike: half a step less half a cent on average", () => {
    for (const { plan, roundToUsd } of PLAN_LIST) {
      const { roundUpUsd, feeUsd, investedUsd } = yearOf(plan, 10, []);
      expect(roundUpUsd).toBeCloseTo(((roundToUsd - 0.01) / 2) * 520, 6);
      expect(feeUsd + investedUsd).toBeCloseTo(roundUpUsd, 6);
    }
  });

  test("with amounts they are repeated; what is skipped is no round-up and costs no network fee", () => {
    const year = yearOf("forest", 2, [4.98, 12]);
    expect(year.roundUpUsd).toBeCloseTo(0.02 * 52, 9);
    expect(year.roundUps).toBe(52);
    expect(yearOf("forest", 5, [3]).roundUps).toBe(0);
  });
});
