import { expect, test } from "vitest";
import { shareText } from "@/app/dashboard/_overview/activity-sums";

test("a change is given as a share of what was put in, but never as 0 %", () => {
  expect(shareText(4.05, 40)).toBe(" (10.1 %)");
  expect(shareText(0.02, 40)).toBe(" (0.1 %)");
  expect(shareText(0.01, 40)).toBe("");
});
