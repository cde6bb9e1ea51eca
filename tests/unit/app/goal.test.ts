import { describe, expect, test } from "vitest";
import { parseGoal } from "@/app/_client/local-storage/goal";

const GOAL = { name: "A new bike", amountUsd: 1_500.5, date: "2028-02-29" };

describe("parseGoal", () => {
  test("reads back a stored goal", () => {
    expect(parseGoal(JSON.stringify(GOAL))).toEqual(GOAL);
    expect(parseGoal(JSON.stringify({ ...GOAL, date: null }))).toEqual({ ...GOAL, date: null });
  });

  test.each([
    null,
    "",
    "broken",
    "null",
    "[]",
    ...[" ", "n".repeat(41), 7].map((name) => JSON.stringify({ ...GOAL, name })),
    ...[0, "5", null].map((amountUsd) => JSON.stringify({ ...GOAL, amountUsd })),
    ...["2027-02-29", "soon", 1].map((date) => JSON.stringify({ ...GOAL, date })),
  ])("returns null for the stored text %j", (text) => {
    expect(parseGoal(text)).toBeNull();
  });
});
