import { expect, test } from "vitest";
import { type ActivityItem, computeMovedAmounts } from "@/app/_client/queries/activity";
import { formatTitle, formatTransactionCount, type Viewpoint } from "@/app/dashboard/_components/activity-words";

function createItem(type: ActivityItem["type"], moves: Record<string, string>, overrides: Partial<ActivityItem> = {}) {
  const amounts = Object.entries(moves).map(([symbol, amount]) => ({ symbol, asset: symbol, amount }));
  const fields = { status: "confirmed", topup: false, tokenAccountDepositLamports: 0 };
  return { type, amounts, ...fields, ...overrides } as unknown as ActivityItem;
}

test.each<[string, ActivityItem, Viewpoint?]>([
  ["Saved change", createItem("round_up", { SOL: "5" })],
  ["Top-up", createItem("round_up", { SOL: "5" }, { topup: true })],
  ["Bought BTC", createItem("swap", { SOL: "-5", BTC: "1" })],
  ["Bought USDC", createItem("swap", { SOL: "-5", USDC: "1" })],
  ["Bought BTC", createItem("swap", { SOL: "-5000", BTC: "1" }, { tokenAccountDepositLamports: 2_000 })],
  ["Sold BTC", createItem("swap", { BTC: "-1", USDC: "9" })],
  ["Sold USDC", createItem("swap", { USDC: "-9", SOL: "5" })],
  ["Sold BTC", createItem("swap", { SOL: "-2000", BTC: "-1", USDC: "9" }, { tokenAccountDepositLamports: 2_000 })],
  ["Swap", createItem("swap", { BTC: "-1", ETH: "-1", SOL: "9" })],
  ["Withdrawn", createItem("withdrawal", { SOL: "-5" })],
  ["Sent", createItem("withdrawal", { SOL: "-5" }), "main"],
  ["Received", createItem("deposit", { SOL: "5" })],
  ["Failed transaction", createItem("round_up", {}, { status: "failed" })],
  ["Account deposit returned", createItem("other", { SOL: "5" }, { tokenAccountDepositLamports: -5 })],
])("the title of an activity item is “%s”", (title, item, viewpoint = "service") => {
  expect(formatTitle(item, viewpoint)).toBe(title);
});

test("an entry lists what was spent before what was received", () => {
  const moved = computeMovedAmounts(createItem("swap", { BTC: "1", SOL: "-5" }));
  expect(moved.map(({ symbol }) => symbol)).toEqual(["SOL", "BTC"]);
});

test("one transaction is counted in the singular", () => {
  expect([0, 1, 2].map(formatTransactionCount)).toEqual(["0 transactions", "1 transaction", "2 transactions"]);
});
