import fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsd } from "@/app/_components/money";
import { ceilToCents, roundToCents } from "@/lib/domain/money";
import {
  roundEachToAddUp,
  roundKnownToSum,
  roundToAddUp,
  roundToSum,
  type SumPart,
  toShownCents,
} from "@/lib/domain/shown-sum";

const createAnyUsd = (max: number) => fc.integer({ min: 0, max }).map((microUsd) => microUsd / 1e6);
const anyParts = fc
  .tuple(
    fc.array(fc.record({ usd: createAnyUsd(500_000_000) }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.record({ usd: createAnyUsd(3_000_000), isCost: fc.constant(true) }), { maxLength: 3 }),
  )
  .map(([amounts, costs]): SumPart[] => [...amounts, ...costs]);

const sumUsd = (parts: readonly { usd: number }[]) => parts.reduce((sum, { usd }) => sum + usd, 0);
const sumShownCents = (parts: number[]) => parts.reduce((sum, usd) => sum + toShownCents(usd), 0);

test("the displayed parts of a payment add up, and neither a cost nor the total is displayed too low", () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      const { parts: shown, totalUsd } = roundToSum(parts);
      expect(sumShownCents(shown)).toBe(Math.round(totalUsd * 100));
      expect(totalUsd).toBeGreaterThanOrEqual(sumUsd(parts) - 1e-6);
      expect(totalUsd - sumUsd(parts)).toBeLessThan(0.01 * (parts.length + 1));
      const costs = parts.filter(({ isCost }) => isCost);
      const shownCostCents = sumShownCents(shown.filter((_, i) => parts[i]!.isCost));
      const roundedUpCostCents = costs
        .filter(({ usd }) => usd >= 0.01)
        .map(({ usd }) => Math.round(ceilToCents(usd) * 100));
      const summedCostCents = roundedUpCostCents.reduce((sum, cents) => sum + cents, 0);
      expect(shownCostCents, "the costs are rounded up once, as a sum").toBe(
        Math.max(Math.round(ceilToCents(sumUsd(costs)) * 100), summedCostCents),
      );
      const amounts = parts.filter(({ isCost }) => !isCost).map(({ usd }) => usd);
      const largestIndex = amounts.indexOf(Math.max(...amounts));
      for (const [i, { usd, isCost }] of parts.entries()) {
        if (isCost) expect(shown[i]).toBeGreaterThanOrEqual(usd - 1e-6);
        // The largest part that is not a cost absorbs half a cent of each part, and the cent by which the total rounds up.
        const tolerance = i === largestIndex ? 0.01 + 0.005 * parts.length : 0.01;
        expect(Math.abs(shown[i]! - usd)).toBeLessThan(tolerance + 1e-9);
      }
    }),
  );
});

test("the displayed parts add up to exactly a fixed total, without a negative part", () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      const fixedTotal = sumUsd(parts);
      const { parts: shown, totalUsd } = roundToSum(parts, fixedTotal);
      const shownCostCents = sumShownCents(shown.filter((_, i) => parts[i]!.isCost));
      expect(sumShownCents(shown)).toBe(Math.round(totalUsd * 100));
      expect(totalUsd).toBe(Math.max(roundToCents(fixedTotal), shownCostCents / 100));
      expect(Math.min(...shown)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test("each amount of a list is rounded up or down, and the displayed amounts add up to the displayed sum", () => {
  fc.assert(
    fc.property(fc.array(createAnyUsd(3_000_000)), (amounts) => {
      const shown = roundEachToAddUp(amounts);
      expect(sumShownCents(shown)).toBe(toShownCents(amounts.reduce((sum, usd) => sum + usd, 0)));
      for (const [i, usd] of amounts.entries()) {
        if (roundToCents(usd) === usd) expect(shown[i], "whole cents").toBe(usd);
        expect(Math.abs(shown[i]! - usd)).toBeLessThan(0.01);
      }
    }),
  );
});

test.each<[string, SumPart[], number | undefined, string[]]>([
  [
    "the largest amount absorbs a cent",
    [{ usd: 9.6856 }, { usd: 0.5267 }, { usd: 0.3556 }],
    10.5679,
    ["$9.68", "$0.53", "$0.36", "$10.57"],
  ],
  ["a fee is rounded up", [{ usd: 9.47625 }, { usd: 0.02375, isCost: true }], 9.5, ["$9.47", "$0.03", "$9.50"]],
  [
    "fees of $0.006 altogether are displayed as $0.01",
    [{ usd: 0.37 }, { usd: 0.0052, isCost: true }, { usd: 0.0008, isCost: true }],
    undefined,
    ["$0.37", "$0.01", "<$0.01", "$0.38"],
  ],
  [
    "the displayed payment is never lower than the actual one",
    [{ usd: 9.5 }, { usd: 0.001, isCost: true }],
    undefined,
    ["$9.50", "$0.01", "$9.51"],
  ],
  [
    "a fee under a cent is displayed as a cent if the sum of the fees needs it",
    [{ usd: 0.6 }, { usd: 0.0007, isCost: true }, { usd: 0.0195, isCost: true }],
    undefined,
    ["$0.60", "$0.01", "$0.02", "$0.63"],
  ],
  ["an empty list is displayed as $0.00", [], undefined, ["$0.00"]],
])("%s", (_caseName, parts, fixedUsd, texts) => {
  const { parts: shown, totalUsd } = roundToSum(parts, fixedUsd);
  expect([...shown, totalUsd].map(formatUsd)).toEqual(texts);
});

test("the sum is null if a part is unknown", () => {
  expect(roundKnownToSum([{ usd: 1 }, { usd: null }])).toBeNull();
});

test("the largest part absorbs the rounding difference to the sum of the known parts", () => {
  expect(roundToAddUp([9.6856, null, 0.5267, 0.3556])).toEqual([9.68, null, 0.53, 0.36]);
});
