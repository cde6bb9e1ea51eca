import { describe, expect, test } from "vitest";
import type { Spending } from "@/app/_client/queries/overview";
import { planNextSave } from "@/app/dashboard/_saving/payments/next-save";
import { combinePayments } from "@/lib/domain/spending/batches";
import type { PreviewTerms } from "@/lib/sdk/preview-round-up";

const TERMS = { choice: "forest", incrementUsd: 0, ceilingUsd: 1 } as const;
const createItem = (txSignature: string, usdValue: number | null) => ({
  txSignature,
  usdValue,
  time: null,
  amounts: [],
  estimated: false,
  pulled: null,
});

const planSave = (spending: Spending, terms: PreviewTerms = TERMS, leftOutSignatures: string[] = []) =>
  planNextSave(spending, terms, new Set(leftOutSignatures));

/** Creates the unsaved payments of a wallet as one batch, oldest first, in USD. */
function createSpending(...valuesUsd: number[]): Spending {
  const combined = combinePayments(valuesUsd);
  const items = valuesUsd.map((usd, i) => createItem(`tx${i}`, usd)).reverse();
  const batches =
    combined.txValuesUsd.length > 0 ? [{ ...combined, through: items[0]!.txSignature, after: "none" }] : [];
  const sums = {
    payments: valuesUsd.length,
    small: combined.small,
    totalUsd: valuesUsd.reduce((sum, usd) => sum + usd, 0),
  };
  return { ...sums, savedThrough: null, isComplete: true, items, batches, nextBefore: null };
}

describe("planNextSave", () => {
  test("includes every payment, oldest first", () => {
    expect(planSave(createSpending(4.02, 27.63, 12))).toMatchObject({
      purchasesUsd: [4.02, 27.63, 12],
      through: "tx2",
      changeUsd: 1.35,
      largestUsd: 0.98,
      laterCount: 0,
      payments: [{ txSignature: "tx2" }, { txSignature: "tx1" }, { txSignature: "tx0", paidUsd: 4.02 }],
    });
  });

  test("leaves out excluded payments but marks them as saved through", () => {
    const nextSave = planSave(createSpending(4.02, 27.63), TERMS, ["tx1"]);
    expect(nextSave).toMatchObject({ purchasesUsd: [4.02], through: "tx1", changeUsd: 0.98 });
    expect(nextSave!.payments).toHaveLength(2);
  });

  test.each([
    ["add up to the displayed total", [4.504, 27.504, 12.504], ["tx2"], 0.992, [0.496, 0.49, 0.5]],
    ["stay within a cent of the exact ones", [4.991, 4.991, 4.991, 27.5], [], 0.527, [0.5, 0.01, 0.01, 0.01]],
  ])("shows changes that %s", (_caseName, valuesUsd, leftOutSignatures, changeUsd, shownChangesUsd) => {
    const nextSave = planSave(createSpending(...valuesUsd), TERMS, leftOutSignatures)!;
    expect(nextSave.changeUsd).toBe(changeUsd);
    expect(nextSave.payments!.map(({ shownChangeUsd }) => shownChangeUsd)).toEqual(shownChangesUsd);
  });

  test("multiplies the change and the ceiling", () => {
    expect(planSave(createSpending(4.5), { ...TERMS, multiplier: 3 })!.changeUsd).toBe(1.5);
    expect(planSave(createSpending(4.5), { ...TERMS, ceilingUsd: 0.3, multiplier: 3 })!.changeUsd).toBe(0.9);
  });

  test("adds the small payments to the newest other one, and leaves out those that are excluded", () => {
    const spending = createSpending(4.1, 0.3, 5.2, 0.4, 0.02);
    const { payments, ...nextSave } = planSave(spending)!;
    expect(nextSave).toMatchObject({ count: 5, small: { count: 3, sumUsd: 0.72 }, purchasesUsd: [4.1, 5.92] });
    expect([nextSave.spentUsd, nextSave.changeUsd, nextSave.through]).toEqual([10.02, 0.98, "tx4"]);
    expect(payments!.map(({ paidUsd, valueUsd, shownChangeUsd }) => [paidUsd, valueUsd, shownChangeUsd])).toEqual([
      [0.02, 0.02, null],
      [0.4, 0.4, null],
      [5.2, 5.92, 0.08],
      [0.3, 0.3, null],
      [4.1, 4.1, 0.9],
    ]);
    const withoutOne = planSave(spending, TERMS, ["tx1"]);
    expect(withoutOne).toMatchObject({ count: 4, small: { count: 2, sumUsd: 0.42 }, purchasesUsd: [4.1, 5.62] });
    const withoutNewest = planSave(spending, TERMS, ["tx2"])!;
    expect(withoutNewest).toMatchObject({ purchasesUsd: [4.82], changeUsd: 0.18 });
    expect(withoutNewest.payments![2]).toMatchObject({ paidUsd: 5.2, valueUsd: 5.2, shownChangeUsd: 0.8 });
  });

  test("shows the change of small payments alone beside the newest, and none while they would wait", () => {
    const spending = createSpending(0.5, 0.4, 0.3);
    expect(planSave(spending)).toMatchObject({ count: 3, purchasesUsd: [1.2], changeUsd: 0.8 });
    expect(planSave(spending)!.payments!.map(({ valueUsd, shownChangeUsd }) => [valueUsd, shownChangeUsd])).toEqual([
      [1.2, 0.8],
      [0.4, null],
      [0.5, null],
    ]);
    const waiting = planSave(spending, TERMS, ["tx1"])!;
    expect(waiting).toMatchObject({ count: 2, purchasesUsd: [], changeUsd: 0 });
    expect(waiting.payments!.every(({ shownChangeUsd }) => shownChangeUsd === null)).toBe(true);
    expect(planSave(createSpending(0.5, 0.4))).toBeNull();
  });

  test("offers no choice of payments when some are not listed or more batches follow", () => {
    const spending = createSpending(4.02, 27.63);
    const batches = [...spending.batches, { ...combinePayments([1, 2]), through: "later", after: "tx1" }];
    expect(planSave({ ...spending, batches })).toMatchObject({ payments: null, laterCount: 2 });
    for (const overrides of [{ nextBefore: "tx0" }, { items: spending.items.slice(0, 1) }]) {
      const nextSave = planSave({ ...spending, ...overrides }, TERMS, ["tx0"]);
      expect(nextSave).toMatchObject({ payments: null, purchasesUsd: [4.02, 27.63] });
    }
  });

  test("skips batches without change and carries the last saved payment as `after`", () => {
    const wholeDollars = { ...combinePayments([1, 2]), through: "whole dollars", after: "saved" };
    const spending = { ...createSpending(4.5), savedThrough: "saved" };
    const nextSave = planSave({ ...spending, batches: [wholeDollars, ...spending.batches] });
    expect(nextSave).toMatchObject({
      purchasesUsd: [4.5],
      through: "tx0",
      after: "saved",
      changeUsd: 0.5,
      laterCount: 0,
    });
    expect(planSave({ ...spending, batches: [wholeDollars] })).toMatchObject({ changeUsd: 0, purchasesUsd: [1, 2] });
    expect(planSave(createSpending(4.5))!.after).toBe("none");
  });

  test("pairs values with their payments when a newer payment has no value yet", () => {
    const spending = createSpending(4.02, 27.63);
    const items = [createItem("newer", null), ...spending.items];
    const { payments } = planSave({ ...spending, items, isComplete: false })!;
    expect(payments!.map(({ txSignature, paidUsd }) => [txSignature, paidUsd])).toEqual([
      ["tx1", 27.63],
      ["tx0", 4.02],
    ]);
  });
});
