import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sumUsd } from "@/lib/domain/money";
import { type BatchPayment, combinePayments, countPayments, toBatches } from "@/lib/domain/spending/batches";

const MAX_VALUE_USD = 1_000_000;
const repeat = (count: number, usd: number) => Array<number>(count).fill(usd);

describe("combinePayments", () => {
  test.each<[string, number[], number[], number, number]>([
    ["no payment", [], [], 0, 0],
    ["500 of 0.001, whose sum is small itself", repeat(500, 0.001), [], 500, 0.5],
    ["120 of 0.02 alone", repeat(120, 0.02), [2.4], 120, 2.4],
    ["small ones whose sum is exactly 1", [0.4, 0.6], [1], 2, 1],
    ["120 of 0.02 after others", [4.1, 5.2, ...repeat(120, 0.02)], [4.1, 7.6], 120, 2.4],
    ["small ones before and between others", [0.3, 4.1, 0.000001, 5.2], [4.1, 5.500001], 2, 0.300001],
    ["0.999999 and exactly 1", [0.999999, 1], [1.999999], 1, 0.999999],
    ["a newest payment without room for the sum", [5.2, MAX_VALUE_USD, 0.5], [5.7, MAX_VALUE_USD], 1, 0.5],
    ["no payment with room for the sum", [MAX_VALUE_USD, 0.5], [MAX_VALUE_USD, 0.5], 1, 0.5],
  ])("%s", (_caseName, paidUsd, txValuesUsd, count, smallUsd) => {
    const combined = combinePayments(paidUsd);
    expect(combined).toEqual({ txValuesUsd, small: { count, sumUsd: smallUsd } });
    expect(countPayments(combined)).toBe(paidUsd.length);
  });
});

/** Payments with up to `maxPerSlot` in a slot, oldest first. */
const anyPayments = (maxPerSlot: number) => {
  const anyUsd = fc
    .oneof(
      fc.integer({ min: 1, max: 999_999 }),
      fc.integer({ min: 1_000_000, max: 50_000_000 }),
      fc.constantFrom(1, 999_999, 1_000_000, 1_000_000_000_000),
    )
    .map((microUsd) => microUsd / 1e6);
  const anySlot = fc.array(anyUsd, { minLength: 1, maxLength: maxPerSlot });
  return fc
    .array(anySlot, { maxLength: 300, size: "max" })
    .map((slots) => slots.flatMap((paidUsd, slot) => paidUsd.map((usd): [number, number] => [usd, slot])))
    .map((payments) => payments.map(([usd, slot], i): BatchPayment => [`tx${i}`, usd, slot]));
};

describe("toBatches", () => {
  test("hands out every micro-dollar once, in whole slots and at most 500 values, or lets it wait", () => {
    fc.assert(
      fc.property(anyPayments(6), (payments) => {
        const batches = toBatches(payments, "saved");
        let start = 0;
        for (const [i, batch] of batches.entries()) {
          const end = payments.findIndex(([signature]) => signature === batch.through) + 1;
          const covered = payments.slice(start, end);
          const paidUsd = covered.map(([, usd]) => usd);
          expect(batch.after).toBe(batches[i - 1]?.through ?? "saved");
          expect(sumUsd(batch.txValuesUsd)).toBe(sumUsd(paidUsd));
          expect(batch.txValuesUsd.length).toBeLessThanOrEqual(500);
          expect(batch.txValuesUsd.every((usd) => usd <= MAX_VALUE_USD)).toBe(true);
          expect(countPayments(batch)).toBe(covered.length);
          expect(batch.small).toEqual({
            count: paidUsd.filter((usd) => usd < 1).length,
            sumUsd: sumUsd(paidUsd.filter((usd) => usd < 1)),
          });
          expect(payments[end]?.[2], "the batch ends with its slot").not.toBe(payments[end - 1]![2]);
          start = end;
        }
        const waiting = payments.slice(start).map(([, usd]) => usd);
        expect(waiting.every((usd) => usd < 1) && sumUsd(waiting) < 1).toBe(true);
      }),
    );
  });

  test("begins another batch only after 500 values, so that small payments never have one alone", () => {
    const payments = [...repeat(250, 5.2), ...repeat(1_000, 0.02), ...repeat(250, 5.2), 0.3, 0.4, 4.1, 0.5].map(
      (usd, i): BatchPayment => [`tx${i}`, usd, i],
    );
    const [first, second, ...others] = toBatches(payments, null);
    expect(first).toMatchObject({ small: { count: 1_002, sumUsd: 20.7 }, through: "tx1501", after: "none" });
    expect([first!.txValuesUsd.length, first!.txValuesUsd.at(-1)]).toEqual([500, 25.9]);
    expect([second!.txValuesUsd, second!.small]).toEqual([[4.6], { count: 1, sumUsd: 0.5 }]);
    expect(others).toEqual([]);
  });

  test("keeps a slot with more than 500 values together, and hands out 500 of them", () => {
    const payments = repeat(502, 5.2).map((usd, i): BatchPayment => [`tx${i}`, usd, 7]);
    const [batch, ...others] = toBatches([...payments, ["small", 0.3, 8], ["next", 4.1, 9]], null);
    expect([batch!.txValuesUsd.length, batch!.through]).toEqual([500, "tx501"]);
    expect(others).toMatchObject([{ txValuesUsd: [4.4], through: "next", after: "tx501" }]);
  });

  test("puts small payments into the batch of the slot behind them, even if that slot alone has more than 500 values", () => {
    const payments = repeat(501, 5.2).map((usd, i): BatchPayment => [`tx${i}`, usd, 7]);
    const [batch, ...others] = toBatches([["small", 0.3, 6], ...payments], null);
    expect([batch!.txValuesUsd.length, batch!.txValuesUsd.at(-1)]).toEqual([500, 5.5]);
    expect(batch).toMatchObject({ small: { count: 1, sumUsd: 0.3 }, through: "tx500", after: "none" });
    expect(others).toEqual([]);
  });
});
