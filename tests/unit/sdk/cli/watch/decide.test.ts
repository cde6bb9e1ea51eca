import { describe, expect, test } from "vitest";
import { findNextPortion, selectWithinLimit, sumChangeUsd } from "../../../../../lib/sdk/cli/watch/decide";

const TERMS = { plan: "forest" } as const;

test("findNextPortion returns the oldest batch with change", () => {
  const [wholeDollars, withChange] = [
    { txValuesUsd: [1, 2], through: "a" },
    { txValuesUsd: [2, 3.25], through: "b" },
  ];
  expect(findNextPortion([wholeDollars, withChange], TERMS)).toEqual({
    purchasesUsd: [2, 3.25],
    through: "b",
    changeUsd: 0.75,
  });
  expect(findNextPortion([wholeDollars], TERMS)).toBeNull();
});

test("sumChangeUsd adds the change of all batches", () => {
  const batches = [[1, 2], [2, 3.25], [0.5]].map((txValuesUsd) => ({ txValuesUsd, through: "a" }));
  expect(sumChangeUsd(batches, TERMS)).toBe(1.25);
});

describe("selectWithinLimit", () => {
  const portion = { purchasesUsd: [1.5, 2, 3.5, 4.5], through: "d", changeUsd: 1.5 };
  const payments = ["a", "b", "c", "d"].map((txSignature, i) => ({ txSignature, usdValue: portion.purchasesUsd[i]! }));

  test("selects as many of the oldest payments as the limit allows", () => {
    expect(selectWithinLimit(portion, payments, 1, TERMS)).toEqual({
      purchasesUsd: [1.5, 2, 3.5],
      through: "c",
      changeUsd: 1,
    });
    expect(selectWithinLimit(portion, payments, 0.99, TERMS)).toEqual({
      purchasesUsd: [1.5, 2],
      through: "b",
      changeUsd: 0.5,
    });
  });

  test("accepts slightly moved values, and payments around the portion", () => {
    const movedPayments = payments.map((payment) => ({ ...payment, usdValue: payment.usdValue * 0.97 }));
    const page = [{ txSignature: "saved", usdValue: 9 }, ...movedPayments, { txSignature: "newer", usdValue: null }];
    expect(selectWithinLimit(portion, page, 1, TERMS)).toEqual({
      purchasesUsd: [1.5, 2, 3.5],
      through: "c",
      changeUsd: 1,
    });
  });

  test("returns null if the oldest payment does not fit", () => {
    expect(selectWithinLimit(portion, payments, 0.49, TERMS)).toBeNull();
  });

  test("returns null if the payments do not match the portion", () => {
    expect(selectWithinLimit(portion, payments.slice(1), 1, TERMS)).toBeNull();
  });
});
