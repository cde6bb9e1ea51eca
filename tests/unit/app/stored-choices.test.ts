import { expect, test } from "vitest";
import { parseGoal } from "@/app/_client/local-storage/goal";
import { DEFAULT_CHOICE, parseInvestChoice } from "@/app/_client/local-storage/invest-choice";
import { EMPTY_PURCHASE_LIST, parsePurchaseList } from "@/app/_client/local-storage/purchase-list";
import { parseRecipients } from "@/app/_client/local-storage/recipients";
import { DEFAULT_TERMS, parseTerms } from "@/app/_client/local-storage/terms";
import { findDueWeek, parseWeekly } from "@/app/_client/local-storage/weekly-topup";
import { parseExplorer } from "@/app/dashboard/_components/explorer-link";

const GOAL = { name: "A new bike", amountUsd: 1_500.5, date: "2028-02-29" };
const TERMS = { choice: "custom", increment: "2,5", ceiling: "0.", multiplier: 3, payWith: "USDC" };
const CHOICE = {
  kind: "several",
  asset: "ETH",
  allocations: [
    { asset: "USDT", pct: 33.33 },
    { asset: "SOL", pct: 66.67 },
  ],
  slippageBps: 75,
  payWith: "USDC",
};
const RECIPIENT = { address: "7vfCXTUXx5WJV5JADk17DUJ4ksgau7utNKj4b963voxs", day: "2026-05-03" };

test.each<[string, (text: string | null) => unknown, unknown, unknown[]]>([
  [
    "goal",
    parseGoal,
    null,
    [
      { ...GOAL, name: " " },
      { ...GOAL, amountUsd: "5" },
      { ...GOAL, date: "2027-02-29" },
    ],
  ],
  ["weekly amount", parseWeekly, null, [{ amountUsd: 0 }, { amountUsd: "10" }, { amountUsd: 1e9 }]],
  [
    "terms",
    parseTerms,
    DEFAULT_TERMS,
    [{ choice: "hedge", increment: 2, ceiling: {}, multiplier: 11, payWith: "BTC" }],
  ],
  [
    "investment",
    parseInvestChoice,
    DEFAULT_CHOICE,
    [{ kind: "none", asset: "SOL", slippageBps: 1_001, payWith: "BTC" }],
  ],
  [
    "purchase list",
    parsePurchaseList,
    EMPTY_PURCHASE_LIST,
    [{ text: 7, isOpen: 1, savedLines: 7, excludedLines: ["x"] }],
  ],
  ["explorer", parseExplorer, "explorer", ["toString", { name: "solscan" }]],
  ["recipients", parseRecipients, [], [{ list: "x" }, { list: [null, { address: "<img>", day: "2026-05-03" }] }]],
])("the page reads an invalid stored %s as its default", (_name, parse, fallback, invalidValues) => {
  const texts = [null, "", "broken", "null", "[]", "7", ...invalidValues.map((value) => JSON.stringify(value))];
  for (const text of texts) expect(parse(text), `${text}`).toEqual(fallback);
});

test("the page reads valid choices as they were stored, and replaces only the invalid fields", () => {
  expect(parseGoal(JSON.stringify(GOAL))).toEqual(GOAL);
  expect(parseTerms(JSON.stringify(TERMS))).toEqual(TERMS);
  expect(parseTerms('{"choice":"gone","ceiling":"0.80"}')).toEqual({ ...DEFAULT_TERMS, ceiling: "0.80" });
  expect(parseInvestChoice(JSON.stringify(CHOICE))).toEqual(CHOICE);
  expect(parseRecipients(JSON.stringify({ list: [RECIPIENT, null] }))).toEqual([RECIPIENT]);
  for (const allocations of [
    { BTC: 100 },
    [null, { asset: "BTC", pct: 100 }],
    [{ asset: "toString", pct: 100 }],
    [{ asset: "BTC", pct: 99.99 }],
    [{ asset: "SOL", pct: 100 }],
  ])
    expect(parseInvestChoice(JSON.stringify({ ...CHOICE, allocations }))).toEqual({
      ...CHOICE,
      allocations: DEFAULT_CHOICE.allocations,
    });
});

const SUNDAY_MS = Date.parse("2026-11-22T23:59:59Z");
const MONDAY_MS = SUNDAY_MS + 1_000;

test("a week is due until it is done or the next Monday begins in UTC", () => {
  const weekly = { amountUsd: 10, doneWeek: null };
  expect(findDueWeek(weekly, SUNDAY_MS)).toBe("2026-W47");
  expect(findDueWeek({ ...weekly, doneWeek: "2026-W47" }, SUNDAY_MS)).toBeNull();
  expect(findDueWeek({ ...weekly, doneWeek: "2026-W47" }, MONDAY_MS)).toBe("2026-W48");
  expect(findDueWeek(null, SUNDAY_MS)).toBeNull();
});
