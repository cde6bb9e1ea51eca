import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import { computeOwnPace } from "@/app/dashboard/_overview/growth/own-pace";
import { MONTH_MS } from "@/lib/domain/time";

const NOW_MS = Date.parse("2026-11-20T00:00:00.000Z");

const createItem = (monthsAgo: number, type: ActivityItem["type"], usdValue: number) =>
  ({
    time: new Date(NOW_MS - monthsAgo * MONTH_MS).toISOString(),
    type,
    usdValue,
    status: "confirmed",
    tokenAccountDepositLamports: 0,
  }) as ActivityItem;

test("the pace is what was saved and not withdrawn, per month since the first saving, and never below zero", () => {
  const items = [
    createItem(1, "deposit", 50),
    createItem(2, "withdrawal", 30),
    createItem(3, "swap", 9),
    createItem(4, "round_up", 10),
  ];
  expect(computeOwnPace({ items }, NOW_MS)).toEqual({
    perMonthMicroUsd: 7_500_000n,
    isFirstMonth: false,
    isRepresentative: true,
  });
  expect(computeOwnPace({ items: [createItem(1, "withdrawal", 99), ...items] }, NOW_MS).perMonthMicroUsd).toBe(0n);
});

test.each([
  ["a started first month as a whole month", [createItem(0.01, "round_up", 40)], 40_000_000n],
  ["an empty history as zero", [], 0n],
])("the pace counts %s", (_caseName, items, perMonthMicroUsd) => {
  const pace = computeOwnPace({ items }, NOW_MS);
  expect(pace).toEqual({ perMonthMicroUsd, isFirstMonth: true, isRepresentative: false });
});
