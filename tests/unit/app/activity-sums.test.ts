import { expect, test } from "vitest";
import { addDeposits, computeGain, formatShare, sumHistory } from "@/app/dashboard/_components/activity-sums";

test("formats a change as a share of the contributions but never as 0 %", () => {
  expect(formatShare(4.05, 40)).toBe(" (10.1 %)");
  expect(formatShare(0.02, 40)).toBe(" (0.1 %)");
  expect(formatShare(0.01, 40)).toBe("");
});

test.each([
  [7.484, 7.485, 0, -0.01],
  [7.4849, 7.4751, 0, 0],
  [0.004, 7.485, 7.5, 0.01],
])(
  "computes the gain from displayed cents: worth $%d, contributed $%d, withdrawn $%d",
  (worth, contributedUsd, withdrawnUsd, gain) => {
    expect(computeGain(worth, { ...sumHistory([]), contributedUsd, withdrawnUsd })).toBe(gain);
  },
);

test("never values savings below zero when a partial history has refunds without their deposits", () => {
  const sums = { ...sumHistory([]), depositLamports: -4 * 2_039_280 };
  expect(addDeposits(0, sums, 150)).toBe(0);
  expect(addDeposits(10, { ...sums, depositLamports: 2_000_000 }, 150)).toBeCloseTo(10.3, 9);
});
