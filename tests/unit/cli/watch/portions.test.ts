import { describe, expect, test } from "vitest";
import { findNextPortion, selectWithinLimit } from "../../../../lib/cli/watch/portions";

const NONE_SMALL = { count: 0, sumUsd: 0 };
const TERMS = { plan: "forest" } as const;

test("findNextPortion returns the oldest batch with change", () => {
  const wholeDollars = { txValuesUsd: [1, 2], small: NONE_SMALL, through: "a", after: "none" };
  const withChange = { txValuesUsd: [2, 3.25], small: NONE_SMALL, through: "b", after: "a" };
  const portion = { purchasesUsd: [2, 3.25], payments: 2, small: NONE_SMALL, through: "b", changeUsd: 0.75 };
  expect(findNextPortion([wholeDollars, withChange], TERMS)).toEqual(portion);
  expect(findNextPortion([wholeDollars], TERMS)).toBeNull();
});

describe("selectWithinLimit", () => {
  const portion = { purchasesUsd: [1.5, 2, 3.5, 4.5], payments: 4, small: NONE_SMALL, through: "d", changeUsd: 1.5 };
  const payments = ["a", "b", "c", "d"].map((txSignature, i) => ({
    txSignature,
    time: `2026-11-21T12:00:0${i}.000Z`,
    usdValue: portion.purchasesUsd[i]!,
  }));

  const firstThree = { purchasesUsd: [1.5, 2, 3.5], payments: 3, small: NONE_SMALL, through: "c", changeUsd: 1 };

  test("selects as many of the oldest payments as the limit allows", () => {
    const firstTwo = { purchasesUsd: [1.5, 2], payments: 2, small: NONE_SMALL, through: "b", changeUsd: 0.5 };
    expect(selectWithinLimit(portion, payments, 1, TERMS)).toEqual(firstThree);
    expect(selectWithinLimit(portion, payments, 0.99, TERMS)).toEqual(firstTwo);
    expect(selectWithinLimit(portion, payments, 0.49, TERMS)).toBeNull();
  });

  test("saves the listed values if they moved slightly, and ignores payments around the portion", () => {
    const movedPayments = payments.map((payment) => ({ ...payment, usdValue: payment.usdValue * 0.97 }));
    const page = [
      { txSignature: "saved", time: null, usdValue: 9 },
      ...movedPayments,
      { txSignature: "newer", time: null, usdValue: null },
    ];
    const moved = { ...firstThree, purchasesUsd: [1.455, 1.94, 3.395], changeUsd: 1.21 };
    expect(selectWithinLimit(portion, page, 1.21, TERMS)).toEqual(moved);
    expect(selectWithinLimit(portion, page, 1.2, TERMS)).toMatchObject({ through: "b" });
  });

  test("never ends between two payments of one second", () => {
    const firstOne = { purchasesUsd: [1.5], payments: 1, small: NONE_SMALL, through: "a", changeUsd: 0.5 };
    const crowdedPayments = payments.map((payment, i) => (i === 2 ? { ...payment, time: payments[1]!.time } : payment));
    expect(selectWithinLimit(portion, crowdedPayments, 0.99, TERMS)).toEqual(firstOne);
    const undatedPayments = payments.map((payment) => ({ ...payment, time: null }));
    expect(selectWithinLimit(portion, undatedPayments, 1, TERMS)).toBeNull();
  });

  test("adds up the small payments of the part that it selects", () => {
    const paidUsd = [0.3, 1.5, 0.4, 0.8, 5.2, 0.5];
    const mixedPayments = paidUsd.map((usdValue, i) => ({
      txSignature: `tx${i}`,
      time: `2026-11-21T12:00:0${i}.000Z`,
      usdValue,
    }));
    const mixed = {
      ...{ purchasesUsd: [1.5, 7.2], payments: 6, small: { count: 4, sumUsd: 2 } },
      ...{ through: "tx5", changeUsd: 1.3 },
    };
    const select = (remainingUsd: number) => selectWithinLimit(mixed, mixedPayments, remainingUsd, TERMS);
    expect(select(0.81)).toEqual({
      ...{ purchasesUsd: [1.5, 6.7], payments: 5, small: { count: 3, sumUsd: 1.5 } },
      ...{ through: "tx4", changeUsd: 0.8 },
    });
    // The first four leave no change: 1.50 and 1.50 small ones are 3.00. The first three leave 0.80.
    expect(select(0.79)).toEqual({
      ...{ purchasesUsd: [1.8], payments: 2, small: { count: 1, sumUsd: 0.3 } },
      ...{ through: "tx1", changeUsd: 0.2 },
    });
    expect(select(0.19)).toBeNull();
    const unpriced = mixedPayments.map((payment, i) => (i === 2 ? { ...payment, usdValue: null } : payment));
    expect(selectWithinLimit(mixed, unpriced, 0.81, TERMS)).toBeNull();
  });

  test("returns null if the payments do not match the portion", () => {
    expect(selectWithinLimit(portion, payments.slice(1), 1, TERMS)).toBeNull();
  });
});
