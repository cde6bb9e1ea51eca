import { expect, test } from "vitest";
import { describePayments, describeShare, describeSpending } from "@/lib/sdk/describe-payments";

test.each<[number, number, number, string, string]>([
  [0, 0, 0, "0 payments", "0 payments of $0.00"],
  [1, 0, 0, "1 payment", "1 payment of $33.00"],
  [3, 0, 0, "3 payments", "3 payments of $33.00"],
  [1, 1, 0.3, "1 small payment, $0.30", "1 small payment, $0.30"],
  [120, 120, 2.4, "120 small payments, $2.40", "120 small payments, $2.40"],
  [2, 1, 0.000001, "1 payment and 1 small one, $0.000001", "1 payment and 1 small one, $0.000001, of $33.00 in all"],
  [123, 120, 2.4, "3 payments and 120 small ones, $2.40", "3 payments and 120 small ones, $2.40, of $33.00 in all"],
])("%i payments, %i of them small", (payments, count, sumUsd, text, textWithTotal) => {
  const small = { count, sumUsd };
  expect(describePayments(payments, small)).toBe(text);
  expect(describeSpending({ payments, small, totalUsd: payments === 0 ? 0 : 33 })).toBe(textWithTotal);
});

test.each([
  [0.3, 2.5, "saves 12 % of what you spent"],
  [0.85, 31.65, "saves 2.7 % of what you spent"],
  [57.6, 2.4, "saves 2,400 % of what you spent"],
  [0, 5, "saves 0 % of what you spent"],
  [0.01, 4_000, "saves <0.1 % of what you spent"],
  [0, 0, null],
])("%d of %d dollars", (changeUsd, spentUsd, text) => {
  expect(describeShare(changeUsd, spentUsd)).toBe(text);
});
