import { describe, expect, test } from "vitest";
import { DEFAULT_CHOICE, type InvestChoice, parseInvestChoice } from "@/app/_client/local-storage/invest-choice";

const CHOICE: InvestChoice = {
  kind: "several",
  asset: "ETH",
  allocations: [
    { asset: "USDT", pct: 33.33 },
    { asset: "SOL", pct: 66.67 },
  ],
  slippageBps: 75,
};
const listAllocations = (btcPct: number, ethPct: number) =>
  Object.entries({ BTC: btcPct, ETH: ethPct }).map(([asset, pct]) => ({ asset, pct }));
const parseChanged = (overrides: Record<string, unknown>) =>
  parseInvestChoice(JSON.stringify({ ...CHOICE, ...overrides }));

describe("the stored investment choice", () => {
  test("is read back as stored", () => {
    expect(parseInvestChoice(JSON.stringify(CHOICE))).toEqual(CHOICE);
  });

  test.each([null, "", "nonsense", "null", "7", "[]", '"text"'])("is the default choice if %j is stored", (text) => {
    expect(parseInvestChoice(text)).toEqual(DEFAULT_CHOICE);
  });

  test.each<[string, unknown]>([
    ["an object instead of a list", { BTC: 100 }],
    ["an empty list", []],
    ["an empty entry", [null, { asset: "BTC", pct: 100 }]],
    ["an unknown asset", [{ asset: "DOGE", pct: 100 }]],
    ["the name of an object method", [{ asset: "toString", pct: 100 }]],
    ["an asset twice", [CHOICE.allocations[0], { asset: "USDT", pct: 66.67 }]],
    ["a sum under 100", [{ asset: "BTC", pct: 99.99 }]],
    ["a negative share", listAllocations(-50, 150)],
    ["more than two decimals", listAllocations(50.001, 49.999)],
    ["a share as a string", [{ asset: "BTC", pct: "100" }]],
    ["nothing but SOL", [{ asset: "SOL", pct: 100 }]],
  ])("gets only the default shares if its shares have %s", (_, allocations) => {
    expect(parseChanged({ allocations })).toEqual({ ...CHOICE, allocations: DEFAULT_CHOICE.allocations });
  });

  test("gets the default of each invalid field", () => {
    expect(parseChanged({ kind: "none" })).toEqual({ ...CHOICE, kind: "one" });
    expect(parseChanged({ asset: "SOL" })).toEqual({ ...CHOICE, asset: "BTC" });
    for (const slippageBps of [0, 1_001, 1.5, "100", null]) {
      expect(parseChanged({ slippageBps })).toEqual({ ...CHOICE, slippageBps: 100 });
    }
  });
});
