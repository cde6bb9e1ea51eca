import { describe, expect, test } from "vitest";
import { findNextPortion, selectWithinLimit, sumChangeUsd } from "../../../../../lib/sdk/cli/watch/decide";

const TERMS = { plan: "forest" } as const;

test("skips batches without change, and returns null when none has any", () => {
  const [full, other] = [
    { txValuesUsd: [1, 2], through: "a" },
    { txValuesUsd: [2, 3.25], through: "b" },
  ];
  expect(findNextPortion([full, other], TERMS)).toEqual({ purchasesUsd: [2, 3.25], through: "b", changeUsd: 0.75 });
  expect(findNextPortion([full], TERMS)).toBeNull();
  expect(sumChangeUsd([full, other, { txValuesUsd: [0.5], through: "c" }], TERMS)).toBe(1.25);
});

describe("the part of a portion that fits the daily limit", () => {
  const portion = { purchasesUsd: [1.5, 2, 3.5, 4.5], through: "d", changeUsd: 1.5 };
  const payments = ["a", "b", "c", "d"].map((txSignature, i) => ({ txSignature, usdValue: portion.purchasesUsd[i]! }));

  test("contains as many of the oldest payments as the limit allows", () => {
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

  test("does not depend on moved prices or on other payments in the list", () => {
    const moved = payments.map((one) => ({ ...one, usdValue: one.usdValue * 0.97 }));
    const page = [{ txSignature: "saved", usdValue: 9 }, ...moved, { txSignature: "newer", usdValue: null }];
    expect(selectWithinLimit(portion, page, 1, TERMS)).toEqual({
      purchasesUsd: [1.5, 2, 3.5],
      through: "c",
      changeUsd: 1,
    });
  });

  test("is null if not even the oldest payment fits, or if the payments do not match the portion", () => {
    expect(selectWithinLimit(portion, payments, 0.49, TERMS)).toBeNull();
    expect(selectWithinLimit(portion, payments.slice(1), 1, TERMS)).toBeNull();
  });
});
