import { expect, test } from "vitest";
import { UNLIMITED } from "../../../../lib/clients/quota/budget";
import { createBudgets } from "../../../../lib/clients/quota/budgets";
import { manualClock } from "../../../support/fakes/manual-clock";

const clock = manualClock();
const setup = (rpcCallsPerSecond: number | null, jupiterCallsPerSecond: number | null) =>
  createBudgets({ rpcCallsPerSecond, jupiterCallsPerSecond, clock });

test("without a ceiling nothing is counted", () => {
  expect(setup(null, null)).toEqual({ rpc: UNLIMITED, jupiter: UNLIMITED });
});

test.each([
  ["the node's: reads two fifths, money the rest", () => setup(10, null).rpc, { public: 4, money: 6, prices: 0 }],
  ["the least ceiling leaves something to both", () => setup(5, null).rpc, { public: 2, money: 3, prices: 0 }],
  ["Jupiter's, over a minute", () => setup(null, 1).jupiter, { public: 18, money: 36, prices: 6 }],
  ["Jupiter's least", () => setup(null, 0.1).jupiter, { public: 1, money: 4, prices: 1 }],
] as const)("%s", (_what, budgetOf, expected) => {
  const budget = budgetOf();
  const taken = { public: 0, money: 0, prices: 0 };
  for (const share of ["public", "money", "prices"] as const) {
    // One that must wait is refused sooner or later.
    for (;;) {
      const turn = budget.take({ share, address: "" });
      turn?.catch(() => {});
      if (turn) break;
      taken[share]++;
    }
  }
  expect(taken).toEqual(expected);
});
