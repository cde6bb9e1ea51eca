import { describe, expect, test } from "vitest";
import type { Spending } from "@/app/_client/queries/overview";
import { planNextSave } from "@/app/dashboard/_saving/payments/next-save";

const TERMS = { choice: "forest", incrementUsd: 0, ceilingUsd: 1 } as const;
const item = (txSignature: string, usdValue: number | null) => ({
  ...{ txSignature, usdValue, time: null, amounts: [], estimated: false },
});

/** Builds one batch of payments, oldest first. */
function spent(...values: number[]): Spending {
  const items = values.map((usd, i) => item(`tx${i}`, usd)).reverse();
  const batches = values.length > 0 ? [{ txValuesUsd: values, through: items[0]!.txSignature }] : [];
  const sums = { payments: values.length, totalUsd: values.reduce((sum, usd) => sum + usd, 0) };
  return { ...sums, savedThrough: null, isComplete: true, items, batches, nextBefore: null };
}

describe("the save of a wallet's payments with one signature", () => {
  test("covers every payment, oldest first, with change by the page's terms", () => {
    expect(planNextSave(spent(4.02, 27.63, 12), TERMS, new Set())).toMatchObject({
      purchases: [4.02, 27.63, 12],
      through: "tx2",
      count: 3,
      changeUsd: 1.35,
      largestUsd: 0.98,
      afterwards: 0,
      payments: [{ txSignature: "tx2" }, { txSignature: "tx1" }, { txSignature: "tx0", paidUsd: 4.02 }],
    });
  });

  test("skips unticked payments and moves the mark past them", () => {
    const unsaved = planNextSave(spent(4.02, 27.63), TERMS, new Set(["tx1"]));
    expect(unsaved).toMatchObject({ purchases: [4.02], through: "tx1", changeUsd: 0.98 });
    expect(unsaved!.payments).toHaveLength(2);
  });

  test("multiplies the change, with a multiplied ceiling", () => {
    expect(planNextSave(spent(4.5), { ...TERMS, multiplier: 3 }, new Set())!.changeUsd).toBe(1.5);
    expect(planNextSave(spent(4.5), { ...TERMS, ceilingUsd: 0.3, multiplier: 3 }, new Set())!.changeUsd).toBe(0.9);
  });

  test("is null without a batch", () => {
    expect(planNextSave(spent(), TERMS, new Set())).toBeNull();
  });

  test("is all or nothing when not every payment is listed or more batches follow", () => {
    const spending = spent(4.02, 27.63);
    const more = [...spending.batches, { txValuesUsd: [1, 2], through: "later" }];
    expect(planNextSave({ ...spending, batches: more }, TERMS, new Set())).toMatchObject({
      payments: null,
      afterwards: 2,
    });
    for (const one of [{ nextBefore: "tx0" }, { items: spending.items.slice(0, 1) }]) {
      const unsaved = planNextSave({ ...spending, ...one }, TERMS, new Set(["tx0"]));
      expect(unsaved).toMatchObject({ payments: null, purchases: [4.02, 27.63] });
    }
  });

  test("skips batches without change and records what was saved when they were listed", () => {
    const full = { txValuesUsd: [1, 2], through: "full" };
    const spending = { ...spent(4.5), savedThrough: "saved" };
    const unsaved = planNextSave({ ...spending, batches: [full, ...spending.batches] }, TERMS, new Set());
    expect(unsaved).toMatchObject({ purchases: [4.5], through: "tx0", after: "saved", changeUsd: 0.5, afterwards: 0 });
    expect(planNextSave({ ...spending, batches: [full] }, TERMS, new Set())).toMatchObject({ changeUsd: 0, count: 2 });
    expect(planNextSave(spent(4.5), TERMS, new Set())!.after).toBe("none");
  });

  test("pairs values with their payments when a newer payment has no value yet", () => {
    const spending = spent(4.02, 27.63);
    const items = [item("newer", null), ...spending.items];
    const { payments } = planNextSave({ ...spending, items, isComplete: false }, TERMS, new Set())!;
    expect(payments!.map(({ txSignature, paidUsd }) => [txSignature, paidUsd])).toEqual([
      ["tx1", 27.63],
      ["tx0", 4.02],
    ]);
  });
});
