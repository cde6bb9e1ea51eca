import { describe, expect, test } from "vitest";
import type { Spending } from "@/app/_client/queries/overview";
import { unsavedOf } from "@/app/dashboard/_saving/payments/unsaved";

const TERMS = { choice: "forest", incrementUsd: 0, ceilingUsd: 1 } as const;
const item = (txSignature: string, usdValue: number | null) => ({
  ...{ txSignature, usdValue, time: null, amounts: [], estimated: false },
});

/** Payments oldest first, as one batch. */
function spent(...values: number[]): Spending {
  const items = values.map((usd, i) => item(`tx${i}`, usd)).reverse();
  const batches = values.length > 0 ? [{ txValuesUsd: values, through: items[0]!.txSignature }] : [];
  const sums = { payments: values.length, totalUsd: values.reduce((sum, usd) => sum + usd, 0) };
  return { ...sums, savedThrough: null, isComplete: true, items, batches, nextBefore: null };
}

describe("what one signature saves of a wallet's payments", () => {
  test("is every payment, oldest first, through the newest, and their change by the page's own terms", () => {
    expect(unsavedOf(spent(4.02, 27.63, 12), TERMS, new Set())).toMatchObject({
      purchases: [4.02, 27.63, 12],
      through: "tx2",
      count: 3,
      changeUsd: 1.35,
      largestUsd: 0.98,
      afterwards: 0,
      payments: [{ txSignature: "tx2" }, { txSignature: "tx1" }, { txSignature: "tx0", paidUsd: 4.02 }],
    });
  });

  test("leaves out what is unticked, and goes on past it all the same", () => {
    const unsaved = unsavedOf(spent(4.02, 27.63), TERMS, new Set(["tx1"]));
    expect(unsaved).toMatchObject({ purchases: [4.02], through: "tx1", changeUsd: 0.98 });
    expect(unsaved!.payments).toHaveLength(2);
  });

  test("is multiplied, each up to as many times the ceiling", () => {
    expect(unsavedOf(spent(4.5), { ...TERMS, multiplier: 3 }, new Set())!.changeUsd).toBe(1.5);
    expect(unsavedOf(spent(4.5), { ...TERMS, ceilingUsd: 0.3, multiplier: 3 }, new Set())!.changeUsd).toBe(0.9);
  });

  test("is nothing without a batch", () => {
    expect(unsavedOf(spent(), TERMS, new Set())).toBeNull();
  });

  test("is all or nothing where not every payment of the batch is listed, or more batches follow", () => {
    const spending = spent(4.02, 27.63);
    const more = [...spending.batches, { txValuesUsd: [1, 2], through: "later" }];
    expect(unsavedOf({ ...spending, batches: more }, TERMS, new Set())).toMatchObject({
      payments: null,
      afterwards: 2,
    });
    for (const one of [{ nextBefore: "tx0" }, { items: spending.items.slice(0, 1) }]) {
      const unsaved = unsavedOf({ ...spending, ...one }, TERMS, new Set(["tx0"]));
      expect(unsaved).toMatchObject({ payments: null, purchases: [4.02, 27.63] });
    }
  });

  test("passes over batches without change, and says what was saved when they were listed", () => {
    const full = { txValuesUsd: [1, 2], through: "full" };
    const spending = { ...spent(4.5), savedThrough: "saved" };
    const unsaved = unsavedOf({ ...spending, batches: [full, ...spending.batches] }, TERMS, new Set());
    expect(unsaved).toMatchObject({ purchases: [4.5], through: "tx0", after: "saved", changeUsd: 0.5, afterwards: 0 });
    expect(unsavedOf({ ...spending, batches: [full] }, TERMS, new Set())).toMatchObject({ changeUsd: 0, count: 2 });
    expect(unsavedOf(spent(4.5), TERMS, new Set())!.after).toBe("none");
  });

  test("shows values beside their own payments, though a newer payment has no value yet", () => {
    const spending = spent(4.02, 27.63);
    const items = [item("newer", null), ...spending.items];
    const { payments } = unsavedOf({ ...spending, items, isComplete: false }, TERMS, new Set())!;
    expect(payments!.map(({ txSignature, paidUsd }) => [txSignature, paidUsd])).toEqual([
      ["tx1", 27.63],
      ["tx0", 4.02],
    ]);
  });
});
