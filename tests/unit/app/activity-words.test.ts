import { describe, expect, test } from "vitest";
import { type ActivityItem, computeMovedAmounts } from "@/app/_client/queries/use-activity";
import { formatTitle } from "@/app/dashboard/_components/activity-words";

function item(type: ActivityItem["type"], moved: Record<string, string>, more: Partial<ActivityItem> = {}) {
  const amounts = Object.entries(moved).map(([symbol, amount]) => ({ symbol, asset: symbol, amount }));
  const rest = { status: "confirmed", topup: false, tokenAccountDepositLamports: 0 };
  return { type, amounts, ...rest, ...more } as unknown as ActivityItem;
}

describe("an event is named after the user's action", () => {
  test.each<[string, ActivityItem]>([
    ["Saved change", item("round_up", { SOL: "5" })],
    ["Top-up", item("round_up", { SOL: "5" }, { topup: true })],
    ["Bought BTC", item("swap", { SOL: "-5", BTC: "1" })],
    ["Bought USDC", item("swap", { SOL: "-5", USDC: "1" })],
    ["Bought BTC", item("swap", { SOL: "-5000", BTC: "1" }, { tokenAccountDepositLamports: 2_000 })],
    ["Sold BTC", item("swap", { BTC: "-1", USDC: "9" })],
    ["Sold USDC", item("swap", { USDC: "-9", SOL: "5" })],
    ["Sold BTC", item("swap", { SOL: "-2000", BTC: "-1", USDC: "9" }, { tokenAccountDepositLamports: 2_000 })],
    ["Swap", item("swap", { BTC: "-1", ETH: "-1", SOL: "9" })],
    ["Taken out", item("withdrawal", { SOL: "-5" })],
    ["Received", item("deposit", { SOL: "5" })],
    ["Failed transaction", item("round_up", {}, { status: "failed" })],
    ["Deposit returned", item("other", { SOL: "5" }, { tokenAccountDepositLamports: -5 })],
  ])("%s", (title, event) => {
    expect(formatTitle(event, "service")).toBe(title);
  });

  test("calls a transfer out of the main wallet sent, not withdrawn", () => {
    expect(formatTitle(item("withdrawal", { SOL: "-5" }), "main")).toBe("Sent");
  });
});

test("what was given comes before what was received", () => {
  const moved = computeMovedAmounts(item("swap", { BTC: "1", SOL: "-5" }));
  expect(moved.map(({ symbol }) => symbol)).toEqual(["SOL", "BTC"]);
});
