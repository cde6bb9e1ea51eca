import { expect, test } from "vitest";
import { NO_LIMIT } from "../../../../lib/clients/quota/budget";
import { createBudgets } from "../../../../lib/clients/quota/budgets";
import { createManualClock } from "../../../support/fakes/manual-clock";

const clock = createManualClock();
const createTestBudgets = (rpcCallsPerSecond: number | null, jupiterCallsPerSecond: number | null) =>
  createBudgets({ rpcCallsPerSecond, jupiterCallsPerSecond, clock });

test("the budget counts nothing without a limit", () => {
  expect(createTestBudgets(null, null)).toEqual({ rpc: NO_LIMIT, jupiter: NO_LIMIT });
});

test.each([
  ["two fifths of the node's calls for reads, the rest for money", "rpc", 10, { public: 4, money: 6, prices: 0 }],
  ["calls for both at the lowest limit", "rpc", 5, { public: 2, money: 3, prices: 0 }],
  ["Jupiter's calls over a minute", "jupiter", 1, { public: 18, money: 36, prices: 6 }],
  ["Jupiter's calls at the lowest limit", "jupiter", 0.1, { public: 1, money: 4, prices: 1 }],
] as const)("divides a limit into shares: %s", (_caseName, upstream, callsPerSecond, expectedCalls) => {
  const budget = createTestBudgets(callsPerSecond, callsPerSecond)[upstream];
  const takenCalls = { public: 0, money: 0, prices: 0 };
  for (const share of ["public", "money", "prices"] as const) {
    // The loop stops at the first call that has to wait.
    for (;;) {
      const turn = budget.take({ share, address: "" });
      turn?.catch(() => {});
      if (turn) break;
      takenCalls[share]++;
    }
  }
  expect(takenCalls).toEqual(expectedCalls);
});
