import { describe, expect, test } from "vitest";
import { findNextPortion, selectWithinLimit } from "../../../../lib/cli/watch/portions";

const TERMS = { plan: "forest" } as const;

test("findNextPortion returns the oldest batch with change", () => {
  const wholeDollars = { txValuesUsd: [1, 2], through: "a", after: "none" };
  const withChange = { txValuesUsd: [2, 3.25], through: "b", after: "a" };
  const portion = { purchasesUsd: [2, 3.25], through: "b", changeUsd: 0.75 };
  expect(findNextPortion([wholeDollars, withChange], TERMS)).toEqual(portion);
  expect(findNextPortion([wholeDollars], TERMS)).toBeNull();
});

describe("selectWithinLimit", () => {
  const portion = { purchasesUsd: [1.5, 2, 3.5, 4.5], through: "d", changeUsd: 1.5 };
  const payments = ["a", "b", "c", "d"].map((txSignature, i) => ({
    txSignature,
    time: `2026-11-21T12:00:0${i}.000Z`,
    usdValue: portion.purchasesUsd[i]!,
  }));

  const firstThree = { purchasesUsd: [1.5, 2, 3.5], through: "c", changeUsd: 1 };

  test("selects as many of the oldest payments as the limit allows", () => {
    const firstTwo = { purchasesUsd: [1.5, 2], through: "b", changeUsd: 0.5 };
    expect(selectWithinLimit(portion, payments, 1, TERMS)).toEqual(firstThree);
    expect(selectWithinLimit(portion, payments, 0.99, TERMS)).toEqual(firstTwo);
    expect(selectWithinLimit(portion, payments, 0.49, TERMS)).toBeNull();
  });

  test("accepts slightly moved values, and payments around the portion", () => {
    const movedPayments = payments.map((payment) => ({ ...payment, usdValue: payment.usdValue * 0.97 }));
    const page = [
      { txSignature: "saved", time: null, usdValue: 9 },
      ...movedPayments,
      { txSignature: "newer", time: null, usdValue: null },
    ];
    expect(selectWithinLimit(portion, page, 1, TERMS)).toEqual(firstThree);
  });

  test("never ends between two payments of one second", () => {
    const firstOne = { purchasesUsd: [1.5], through: "a", changeUsd: 0.5 };
    const crowdedPayments = payments.map((payment, i) => (i === 2 ? { ...payment, time: payments[1]!.time } : payment));
    expect(selectWithinLimit(portion, crowdedPayments, 0.99, TERMS)).toEqual(firstOne);
    const undatedPayments = payments.map((payment) => ({ ...payment, time: null }));
    expect(selectWithinLimit(portion, undatedPayments, 1, TERMS)).toBeNull();
  });

  test("returns null if the payments do not match the portion", () => {
    expect(selectWithinLimit(portion, payments.slice(1), 1, TERMS)).toBeNull();
  });
});
