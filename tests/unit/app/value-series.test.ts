import { describe, expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/activity";
import {
  computeGrowthUsd,
  computeValueAt,
  countEarlierAsContributed,
} from "@/app/dashboard/_overview/growth/value-series";
import { DAY_MS } from "@/lib/domain/time";

const NOW_MS = Date.parse("2026-11-20T00:00:00.000Z");
const toTime = (daysAgo: number) => new Date(NOW_MS - daysAgo * DAY_MS).toISOString();

type ActivityType = ActivityItem["type"];
function createItem(daysAgo: number, type: ActivityType, usdValue: number, changes: Record<string, number>) {
  const amounts = Object.entries(changes).map(([asset, change]) => ({ asset, change }));
  const fields = { status: "confirmed", tokenAccountDepositLamports: 0 };
  return { time: toTime(daysAgo), type, usdValue, amounts, ...fields } as unknown as ActivityItem;
}

const PRICES = [
  { asset: "SOL", points: [10, 5, 0].map((daysAgo, i) => ({ time: toTime(daysAgo), usd: [100, 200, 300][i]! })) },
  { asset: "BTC", points: [{ time: toTime(10), usd: 50_000 }] },
];

/** 0.01 SOL saved at $100 ten days ago and at $200 five days ago. SOL costs $300 now. */
const SAVED_TWICE = {
  items: [createItem(5, "round_up", 2, { SOL: 0.01 }), createItem(10, "round_up", 1, { SOL: 0.01 })],
  balances: [{ asset: "SOL", balance: 0.02 }],
  prices: PRICES,
  now: NOW_MS,
};

describe("computeValueAt", () => {
  test.each([
    ["is 0 before the first transaction", 11 * DAY_MS, 0, 0],
    ["excludes a transaction that comes 1 ms later", 5 * DAY_MS + 1, 1, 2],
    ["includes a transaction from its own time on", 5 * DAY_MS, 3, 4],
    ["uses an interpolated price between two readings", 2.5 * DAY_MS, 3, 5],
    ["uses the newest price for now", 0, 3, 6],
  ])("%s", (_caseName, agoMs, contributedUsd, worthUsd) => {
    expect(computeValueAt(SAVED_TWICE, NOW_MS - agoMs)).toMatchObject({ contributedUsd, worthUsd });
  });

  test("counts the balance before the first known transaction as contributed", () => {
    const facts = countEarlierAsContributed({ ...SAVED_TWICE, items: SAVED_TWICE.items.slice(0, 1) });
    expect(computeValueAt(facts, NOW_MS - 5 * DAY_MS)).toMatchObject({ contributedUsd: 4, worthUsd: 4 });
    expect(computeValueAt(facts, NOW_MS)).toMatchObject({ contributedUsd: 4, worthUsd: 6 });
    expect(
      computeGrowthUsd(computeValueAt(facts, NOW_MS - 30 * DAY_MS), computeValueAt(facts, NOW_MS)),
      "growth starts at the first known transaction",
    ).toBe(2);
  });

  test("counts neither a swap nor its refundable deposit as contributed", () => {
    const swap = {
      ...createItem(1, "swap", 2.5, { SOL: -0.01, BTC: 0.00004 }),
      tokenAccountDepositLamports: 2_000_000,
    };
    const facts = {
      ...SAVED_TWICE,
      items: [swap, ...SAVED_TWICE.items],
      balances: [
        { asset: "SOL", balance: 0.01 },
        { asset: "BTC", balance: 0.00004 },
      ],
    };
    // 0.01 SOL and a deposit of 0.002 SOL at $300, and 0.00004 BTC at $50,000.
    expect(computeValueAt(facts, NOW_MS)).toMatchObject({ contributedUsd: 3, worthUsd: 5.6 });
  });
});
