import fc from "fast-check";
import { expect, test } from "vitest";
import { formatUsd } from "@/app/_components/money";
import { toCents } from "@/lib/domain/money";
import { roundKnownToSum, roundToSum, type SumPart, toShownCents } from "@/lib/domain/shown-sum";

const micros = (max: number) => fc.integer({ min: 0, max }).map((micro) => micro / 1e6);
const anyParts = fc
  .tuple(
    fc.array(fc.record({ usd: micros(500_000_000) }), { minLength: 1, maxLength: 5 }),
    fc.array(fc.record({ usd: micros(3_000_000), cost: fc.constant(true) }), { maxLength: 3 }),
  )
  .map(([kept, costs]): SumPart[] => [...kept, ...costs]);

const sumOf = (parts: readonly { usd: number }[]) => parts.reduce((sum, { usd }) => sum + usd, 0);
const columnOf = (parts: number[]) => parts.reduce((sum, usd) => sum + toShownCents(usd), 0);

test("the displayed parts of a payment add up, and neither a cost nor the total is displayed lower than it is", () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      const { parts: shown, totalUsd } = roundToSum(parts);
      expect(columnOf(shown)).toBe(Math.round(totalUsd * 100));
      expect(totalUsd).toBeGreaterThanOrEqual(sumOf(parts) - 1e-6);
      expect(totalUsd - sumOf(parts)).toBeLessThan(0.01 * (parts.length + 1));
      const kept = parts.filter(({ cost }) => !cost).map(({ usd }) => usd);
      const largest = kept.indexOf(Math.max(...kept));
      for (const [i, { usd, cost }] of parts.entries()) {
        if (cost) expect(shown[i]).toBeGreaterThanOrEqual(usd - 1e-6);
        // The largest kept part absorbs half a cent of each part, and the cent by which the total rounds up.
        const most = i === largest ? 0.01 + 0.005 * parts.length : 0.01;
        expect(Math.abs(shown[i]! - usd)).toBeLessThan(most + 1e-9);
      }
    }),
  );
});

test("with a fixed total, the displayed parts add up to exactly that total, and no part turns negative", () => {
  fc.assert(
    fc.property(anyParts, (parts) => {
      const fixed = sumOf(parts);
      const { parts: shown, totalUsd } = roundToSum(parts, fixed);
      const costs = shown.filter((_, i) => parts[i]!.cost).reduce((sum, usd) => sum + toShownCents(usd), 0);
      expect(columnOf(shown)).toBe(Math.round(totalUsd * 100));
      expect(totalUsd).toBe(Math.max(toCents(fixed), costs / 100));
      expect(Math.min(...shown)).toBeGreaterThanOrEqual(0);
    }),
  );
});

test.each<[string, SumPart[], number | undefined, string[]]>([
  [
    "the largest kept part absorbs a cent",
    [{ usd: 9.6856 }, { usd: 0.5267 }, { usd: 0.3556 }],
    10.5679,
    ["$9.68", "$0.53", "$0.36", "$10.57"],
  ],
  ["a fee rounds up", [{ usd: 9.47625 }, { usd: 0.02375, cost: true }], 9.5, ["$9.47", "$0.03", "$9.50"]],
  ["a fee under a cent", [{ usd: 0.369075 }, { usd: 0.000925, cost: true }], 0.37, ["$0.37", "<$0.01", "$0.37"]],
  [
    "a payment is not displayed lower",
    [{ usd: 9.5 }, { usd: 0.001, cost: true }],
    undefined,
    ["$9.50", "$0.01", "$9.51"],
  ],
  [
    "the larger of two fees under a cent takes the column's cent",
    [{ usd: 0.6 }, { usd: 0.0007, cost: true }, { usd: 0.0015, cost: true }],
    undefined,
    ["$0.60", "<$0.01", "$0.01", "$0.61"],
  ],
  ["a fee that is taken off", [{ usd: 5 }, { usd: -0.0123, cost: true }], 4.9877, ["$5.01", "-$0.02", "$4.99"]],
  ["nothing", [], undefined, ["$0.00"]],
])("%s", (_case, parts, fixedUsd, texts) => {
  const { parts: shown, totalUsd } = roundToSum(parts, fixedUsd);
  expect([...shown, totalUsd].map(formatUsd)).toEqual(texts);
});

test("returns null when a part is unknown", () => {
  expect(roundKnownToSum([{ usd: 1 }, { usd: null }])).toBeNull();
});
