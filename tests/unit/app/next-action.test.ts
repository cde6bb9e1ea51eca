import { describe, expect, test } from "vitest";
import { DEFAULT_GUARDS } from "@/app/_client/local-storage/guards";
import { chooseNextAction, type Facts } from "@/app/dashboard/_overview/next-step/next-action";

const pending = (lamports: number, usd: number | null, investable = lamports) => ({
  pending: {
    pendingLamports: lamports,
    pendingUsd: usd,
    investableLamports: usd === null ? null : investable,
    investableUsd: usd === null ? null : (usd * investable) / lamports,
    solPriceUsd: usd === null ? null : (usd / lamports) * 1e9,
  },
});
const facts = (changed: Partial<Facts> = {}): Facts => ({
  sandbox: true,
  guards: DEFAULT_GUARDS,
  saved: { dayUsd: 0, monthUsd: 0 },
  ...pending(10_000_000, 1.5),
  main: { lamports: 1_000_000_000, usd: 150 },
  priceFresh: true,
  ...changed,
});
const guards = (changed: Partial<typeof DEFAULT_GUARDS>) => ({ guards: { ...DEFAULT_GUARDS, ...changed } });
const texts = (changed: Partial<Facts>) => chooseNextAction(facts(changed)).reasons.map(({ text }) => text);

describe("the one right next action", () => {
  test.each<[string, Partial<Facts>, string]>([
    ["nothing in the way", {}, "round-up"],
    ["the threshold is reached", pending(40_000_000, 6), "invest"],
    ["exactly the threshold", pending(40_000_000, 5), "invest"],
    ["the threshold is reached, but reserve and costs would take all of it", pending(4_000_000, 6, 0), "round-up"],
    ["an empty main wallet in the sandbox", { main: { lamports: 0, usd: 0 } }, "fund"],
    ["an empty main wallet elsewhere", { main: { lamports: 0, usd: 0 }, sandbox: false }, "top-up"],
    ["a main wallet under the largest round-up", { main: { lamports: 2_000_000, usd: 0.3 } }, "fund"],
    ["a main wallet at its floor", guards({ floorSol: 1 }), "fund"],
    ["a pause", guards({ paused: true }), "resume"],
    ["an old price", { priceFresh: false }, "wait-price"],
    ["the day's cap is used up", { ...guards({ perDayUsd: 2 }), saved: { dayUsd: 2, monthUsd: 2 } }, "wait-cap"],
    ["the month's cap is used up", { ...guards({ perMonthUsd: 9 }), saved: { dayUsd: 0, monthUsd: 9 } }, "wait-cap"],
    ["an unknown main wallet is no hindrance", { main: null }, "round-up"],
    ["an unknown value without a price", { ...pending(1, null), priceFresh: false }, "wait-price"],
    ["the threshold is reached while paused", { ...guards({ paused: true }), ...pending(40_000_000, 6) }, "invest"],
    ["the threshold is reached at an old price", { priceFresh: false, ...pending(40_000_000, 6) }, "wait-price"],
  ])("%s", (_case, changed, action) => {
    expect(chooseNextAction(facts(changed)).action).toBe(action);
  });
});

describe("the reasons", () => {
  test("state the amount to add to reach the threshold, with the fee", () => {
    expect(texts({}).join(" ")).toContain("$3.51 more (fee included) and you can invest.");
  });

  test("state the investable amount, not the whole balance", () => {
    expect(texts(pending(40_000_000, 6, 20_000_000))[0]).toBe("$3.00 ready to invest.");
  });

  test("state the missing amount when reserve and costs use up the whole balance", () => {
    expect(texts(pending(4_000_000, 6, 0)).join(" ")).toMatch(
      /\$1\.\d\d more \(fee included\) and you can invest\. You reached your goal, but .* would use up the balance\./,
    );
  });

  test("list every obstacle, not only the first", () => {
    expect(texts({ ...guards({ paused: true }), main: { lamports: 0, usd: 0 }, priceFresh: false })).toHaveLength(4);
  });

  test("never claim that nothing is saved when only the price is missing", () => {
    expect(texts({ ...pending(5, null), priceFresh: false }).join(" ")).not.toMatch(/\$0|Nothing saved/);
  });
});
