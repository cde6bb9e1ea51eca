import { describe, expect, test } from "vitest";
import type { ActivityItem } from "@/app/_client/queries/use-activity";
import {
  computeGrowth,
  computeValueAt,
  computeValueSeries,
  dropPastPoints,
} from "@/app/dashboard/_overview/growth/value-series";

const DAY = 86_400_000;
const NOW = Date.parse("2026-11-20T00:00:00.000Z");
const at = (daysAgo: number) => new Date(NOW - daysAgo * DAY).toISOString();

function item(daysAgo: number, type: ActivityItem["type"], usdValue: number | null, changes: Record<string, number>) {
  const amounts = Object.entries(changes).map(([asset, change]) => ({ asset, change }));
  const rest = { status: "confirmed", tokenAccountDepositLamports: 0 };
  return { time: at(daysAgo), type, usdValue, amounts, ...rest } as unknown as ActivityItem;
}

const PRICES = [
  { asset: "SOL", points: [10, 5, 0].map((daysAgo, i) => ({ time: at(daysAgo), usd: [100, 200, 300][i]! })) },
  { asset: "BTC", points: [{ time: at(10), usd: 50_000 }] },
];

const SAVED_TWICE = {
  items: [item(5, "round_up", 2, { SOL: 0.01 }), item(10, "round_up", 1, { SOL: 0.01 })],
  balances: [{ asset: "SOL", balance: 0.02 }],
  prices: PRICES,
  now: NOW,
};

describe("the worth of savings at a moment", () => {
  test("multiplies past holdings by past prices, interpolated between two readings", () => {
    expect(computeValueAt(SAVED_TWICE, NOW - 5 * DAY - 1)).toMatchObject({ contributedUsd: 1, worthUsd: 2 });
    expect(computeValueAt(SAVED_TWICE, NOW - 5 * DAY)).toMatchObject({ contributedUsd: 3, worthUsd: 4 });
    expect(computeValueAt(SAVED_TWICE, NOW - 2.5 * DAY).worthUsd).toBe(5);
    expect(computeValueAt(SAVED_TWICE, NOW)).toMatchObject({ contributedUsd: 3, worthUsd: 6 });
  });

  test("is zero before the first transaction", () => {
    expect(computeValueAt(SAVED_TWICE, NOW - 11 * DAY)).toMatchObject({ contributedUsd: 0, worthUsd: 0 });
  });

  test("counts the balance before the first known transaction as contributed", () => {
    const facts = dropPastPoints({ ...SAVED_TWICE, items: SAVED_TWICE.items.slice(0, 1) });
    expect(computeValueAt(facts, NOW - 5 * DAY)).toMatchObject({ contributedUsd: 4, worthUsd: 4 });
    expect(computeValueAt(facts, NOW)).toMatchObject({ contributedUsd: 4, worthUsd: 6 });
    expect(
      computeGrowth(computeValueAt(facts, NOW - 30 * DAY), computeValueAt(facts, NOW)),
      "as since the first one",
    ).toBe(2);
  });

  test("stays the same across a swap, refundable deposits included", () => {
    const swap = { ...item(1, "swap", 2.5, { SOL: -0.01, BTC: 0.00004 }), tokenAccountDepositLamports: 2_000_000 };
    const facts = {
      ...SAVED_TWICE,
      items: [swap, ...SAVED_TWICE.items],
      balances: [...[{ asset: "SOL", balance: 0.01 }], { asset: "BTC", balance: 0.00004 }],
    };
    expect(computeValueAt(facts, NOW)).toMatchObject({ contributedUsd: 3, worthUsd: 5.6 });
  });

  test("ignores assets without a price, and contributions that failed or have no value", () => {
    const failed = { ...item(1, "round_up", 9, {}), status: "failed" } as ActivityItem;
    const items = [failed, item(1, "deposit", null, { SOL: 0.01 }), item(2, "withdrawal", 1, { SOL: -0.01 })];
    const balances = [{ asset: "SOL", balance: 0.01 }, ...[{ asset: null, balance: 1_000 }]];
    expect(computeValueAt({ ...SAVED_TWICE, items, balances }, NOW)).toMatchObject({ contributedUsd: -1, worthUsd: 3 });
  });
});

describe("the line over time", () => {
  test("is ordered from the start of the range to now, with a step at each contribution", () => {
    const line = computeValueSeries(SAVED_TWICE, NOW - 7 * DAY);
    expect(line.map(({ time }) => time)).toEqual(line.map(({ time }) => time).sort((a, b) => a - b));
    expect([line[0]!.time, line.at(-1)!.time]).toEqual([NOW - 7 * DAY, NOW]);
    const step = line.findIndex(({ contributedUsd }) => contributedUsd === 3);
    expect(line[step]!.time - line[step - 1]!.time, "ms").toBe(1);
  });

  test("an emptied wallet has no deposit, whatever it gained or lost", () => {
    const items = [item(1, "withdrawal", 3.03, { SOL: -0.01 }), item(2, "round_up", 3, { SOL: 0.01 })];
    const line = computeValueSeries({ ...SAVED_TWICE, items, balances: [] }, 0);
    expect(line[0]).toMatchObject({ contributedUsd: 3, isEmpty: false });
    expect(line.at(-1)).toMatchObject({ contributedUsd: 0, worthUsd: 0 });
  });

  test("starts at the first save when the range starts earlier", () => {
    expect(computeValueSeries(SAVED_TWICE, 0)[0]).toMatchObject({ time: NOW - 10 * DAY, worthUsd: 1 });
  });

  test("excludes contributions from growth", () => {
    expect(computeGrowth(computeValueAt(SAVED_TWICE, NOW - 5 * DAY - 1), computeValueAt(SAVED_TWICE, NOW))).toBe(2);
  });
});
