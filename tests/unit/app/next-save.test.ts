import { describe, expect, test } from "vitest";
import type { Spending } from "@/app/_client/queries/overview";
import { planNextSave } from "@/app/dashboard/_saving/payments/next-save";

const TERMS = { choice: "forest", incrementUsd: 0, ceilingUsd: 1 } as const;
const createItem = (txSignature: string, usdValue: number | null) => ({
  txSignature,
  usdValue,
  time: null,
  amounts: [],
  estimated: false,
});

/** Creates the unsaved payments of a wallet as one batch, oldest first, in USD. */
function createSpending(...valuesUsd: number[]): Spending {
  const items = valuesUsd.map((usd, i) => createItem(`tx${i}`, usd)).reverse();
  const batches = valuesUsd.length > 0 ? [{ txValuesUsd: valuesUsd, through: items[0]!.txSignature }] : [];
  const sums = { payments: valuesUsd.length, totalUsd: valuesUsd.reduce((sum, usd) => sum + usd, 0) };
  return { ...sums, savedThrough: null, isComplete: true, items, batches, nextBefore: null };
}

describe("planNextSave", () => {
  test("includes every payment, oldest first", () => {
    expect(planNextSave(createSpending(4.02, 27.63, 12), TERMS, new Set())).toMatchObject({
      purchases: [4.02, 27.63, 12],
      through: "tx2",
      paymentCount: 3,
      changeUsd: 1.35,
      largestUsd: 0.98,
      laterCount: 0,
      payments: [{ txSignature: "tx2" }, { txSignature: "tx1" }, { txSignature: "tx0", paidUsd: 4.02 }],
    });
  });

  test("leaves out excluded payments but marks them as saved through", () => {
    const plan = planNextSave(createSpending(4.02, 27.63), TERMS, new Set(["tx1"]));
    expect(plan).toMatchObject({ purchases: [4.02], through: "tx1", changeUsd: 0.98 });
    expect(plan!.payments).toHaveLength(2);
  });

  test("shows changes that add up to the displayed total", () => {
    const plan = planNextSave(createSpending(4.504, 27.504, 12.504), TERMS, new Set(["tx2"]))!;
    expect([plan.changeUsd, plan.payments!.map(({ shownChangeUsd }) => shownChangeUsd)]).toEqual([
      0.992,
      [0.496, 0.49, 0.5],
    ]);
  });

  test("shows no change that its own payment does not have", () => {
    const plan = planNextSave(createSpending(4.991, 4.991, 4.991, 27.5), TERMS, new Set())!;
    expect([plan.changeUsd, plan.payments!.map(({ shownChangeUsd }) => shownChangeUsd)]).toEqual([
      0.527,
      [0.5, 0.01, 0.01, 0.01],
    ]);
  });

  test("multiplies the change and the ceiling", () => {
    expect(planNextSave(createSpending(4.5), { ...TERMS, multiplier: 3 }, new Set())!.changeUsd).toBe(1.5);
    expect(planNextSave(createSpending(4.5), { ...TERMS, ceilingUsd: 0.3, multiplier: 3 }, new Set())!.changeUsd).toBe(
      0.9,
    );
  });

  test("returns null without a batch", () => {
    expect(planNextSave(createSpending(), TERMS, new Set())).toBeNull();
  });

  test("offers no choice of payments when some are not listed or more batches follow", () => {
    const spending = createSpending(4.02, 27.63);
    const batches = [...spending.batches, { txValuesUsd: [1, 2], through: "later" }];
    expect(planNextSave({ ...spending, batches }, TERMS, new Set())).toMatchObject({
      payments: null,
      laterCount: 2,
    });
    for (const overrides of [{ nextBefore: "tx0" }, { items: spending.items.slice(0, 1) }]) {
      const plan = planNextSave({ ...spending, ...overrides }, TERMS, new Set(["tx0"]));
      expect(plan).toMatchObject({ payments: null, purchases: [4.02, 27.63] });
    }
  });

  test("skips batches without change and carries the last saved payment as `after`", () => {
    const wholeDollars = { txValuesUsd: [1, 2], through: "whole dollars" };
    const spending = { ...createSpending(4.5), savedThrough: "saved" };
    const plan = planNextSave({ ...spending, batches: [wholeDollars, ...spending.batches] }, TERMS, new Set());
    expect(plan).toMatchObject({ purchases: [4.5], through: "tx0", after: "saved", changeUsd: 0.5, laterCount: 0 });
    expect(planNextSave({ ...spending, batches: [wholeDollars] }, TERMS, new Set())).toMatchObject({
      changeUsd: 0,
      paymentCount: 2,
    });
    expect(planNextSave(createSpending(4.5), TERMS, new Set())!.after).toBe("none");
  });

  test("pairs values with their payments when a newer payment has no value yet", () => {
    const spending = createSpending(4.02, 27.63);
    const items = [createItem("newer", null), ...spending.items];
    const { payments } = planNextSave({ ...spending, items, isComplete: false }, TERMS, new Set())!;
    expect(payments!.map(({ txSignature, paidUsd }) => [txSignature, paidUsd])).toEqual([
      ["tx1", 27.63],
      ["tx0", 4.02],
    ]);
  });
});
