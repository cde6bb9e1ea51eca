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
    ...[{ name: " " }, { name: "n".repeat(41) }, { name: 7 }].map((changes) => JSON.stringify({ ...GOAL, ...changes })),
    ...[{ amountUsd: 0 }, { amountUsd: "5" }, { amountUsd: null }].map((changes) =>
      JSON.stringify({ ...GOAL, ...changes }),
    ),
    ...[{ date: "2027-02-29" }, { date: "soon" }, { date: 1 }].map((changes) =>
      JSON.stringify({ ...GOAL, ...changes }),
    ),
  ])("returns null for the stored text %j", (text) => {
    expect(parseGoal(text)).toBeNull();
  });
});
