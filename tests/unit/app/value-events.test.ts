import { expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import { describeEvents } from "@/app/dashboard/_overview/growth/value-events";

const NOW_MS = Date.parse("2026-11-20T00:00:00.000Z");
const MINUTE_MS = 60_000;
const createItem = (minutesAgo: number, fields: Partial<ActivityItem>) =>
  ({
    time: new Date(NOW_MS - minutesAgo * MINUTE_MS).toISOString(),
    status: "confirmed",
    amounts: [],
    ...fields,
  }) as ActivityItem;

/** Newest first, as the history. */
const ITEMS = [
  createItem(0, { type: "withdrawal", usdValue: 2, time: null }),
  createItem(1, { type: "round_up", usdValue: 9, status: "failed" }),
  createItem(2, { type: "deposit", usdValue: null }),
  createItem(3, { type: "round_up", usdValue: 0.85 }),
  createItem(4, { type: "other", usdValue: null }),
  createItem(5, { type: "round_up", usdValue: 0.5 }),
];
const describeBetween = (after: number, until: number) => describeEvents({ items: ITEMS, now: NOW_MS }, after, until);

test("the chart lists every confirmed transaction that moved savings, and adds up those with the same title", () => {
  expect(describeBetween(0, NOW_MS)).toEqual(["Saved change, 2 times: $1.35", "Received", "Withdrawn: $2.00"]);
});

test("a transaction belongs to exactly one of two periods that follow each other", () => {
  const middleMs = NOW_MS - 3 * MINUTE_MS;
  expect(describeBetween(0, middleMs)).toEqual(["Saved change, 2 times: $1.35"]);
  expect(describeBetween(middleMs, NOW_MS)).toEqual(["Received", "Withdrawn: $2.00"]);
});
