import { describe, expect, test } from "vitest";
import { DEFAULT_GUARDS } from "@/app/_client/local-storage/guards";
import { chooseNextAction, type NextActionFacts } from "@/app/dashboard/_overview/next-step/next-action";

const withPending = (lamports: number, pendingUsd: number | null, investableLamports = lamports) => ({
  pendingBalance: {
    pendingLamports: lamports,
    pendingUsd,
    investableLamports: pendingUsd === null ? null : investableLamports,
    investableUsd: pendingUsd === null ? null : (pendingUsd * investableLamports) / lamports,
    solPriceUsd: pendingUsd === null ? null : (pendingUsd / lamports) * 1e9,
  },
});
const createFacts = (overrides: Partial<NextActionFacts> = {}): NextActionFacts => ({
  isSandbox: true,
  guards: DEFAULT_GUARDS,
  savedTotals: { dayUsd: 0, monthUsd: 0 },
  ...withPending(10_000_000, 1.5),
  mainBalance: { lamports: 1_000_000_000, usd: 150 },
  isPriceFresh: true,
  ...overrides,
});
const withGuards = (overrides: Partial<typeof DEFAULT_GUARDS>) => ({ guards: { ...DEFAULT_GUARDS, ...overrides } });
/** USD 6 of savings, above the default threshold of USD 5. */
const ABOVE_THRESHOLD = withPending(40_000_000, 6);
/** USD 2 were saved today, USD 9 this month. */
const SAVED_TWO_AND_NINE = { savedTotals: { dayUsd: 2, monthUsd: 9 } };
const listReasons = (overrides: Partial<NextActionFacts>) =>
  chooseNextAction(createFacts(overrides)).reasons.map(({ text }) => text);

describe("chooseNextAction", () => {
  test.each<[string, Partial<NextActionFacts>, string]>([
    ["no hindrance", {}, "round-up"],
    ["savings above the threshold", ABOVE_THRESHOLD, "invest"],
    ["savings of exactly the threshold", withPending(40_000_000, 5), "invest"],
    ["savings above the threshold that reserve and costs use up", withPending(4_000_000, 6, 0), "round-up"],
    ["an empty main wallet in the sandbox", { mainBalance: { lamports: 0, usd: 0 } }, "fund"],
    ["an empty main wallet on mainnet", { mainBalance: { lamports: 0, usd: 0 }, isSandbox: false }, "top-up"],
    ["a main wallet under the largest round-up", { mainBalance: { lamports: 2_000_000, usd: 0.3 } }, "fund"],
    ["a main wallet at its minimum balance", withGuards({ floorSol: 1 }), "fund"],
    ["paused saving", withGuards({ paused: true }), "resume"],
    ["a stale price", { isPriceFresh: false }, "wait-price"],
    ["a used-up daily limit", { ...withGuards({ perDayUsd: 2 }), ...SAVED_TWO_AND_NINE }, "wait-limit"],
    ["a used-up monthly limit", { ...withGuards({ perMonthUsd: 9 }), ...SAVED_TWO_AND_NINE }, "wait-limit"],
    ["a main wallet that is not known yet", { mainBalance: null }, "round-up"],
    ["savings without a price", { ...withPending(1, null), isPriceFresh: false }, "wait-price"],
    ["savings above the threshold in a pause", { ...withGuards({ paused: true }), ...ABOVE_THRESHOLD }, "invest"],
    ["savings above the threshold with a stale price", { isPriceFresh: false, ...ABOVE_THRESHOLD }, "wait-price"],
  ])("chooses the action for %s", (_caseName, overrides, action) => {
    expect(chooseNextAction(createFacts(overrides)).action).toBe(action);
  });
});

describe("the reasons", () => {
  test("never claim that nothing is saved when only the price is missing", () => {
    expect(listReasons({ ...withPending(5, null), isPriceFresh: false }).join(" ")).not.toMatch(/\$0|Nothing saved/);
  });
});
