import { expect, test } from "vitest";
import { isWithinDrift, pickBaseline } from "@/lib/domain/prices/price-drift";
import { DAY_MS } from "@/lib/domain/time";

const HOUR_MS = 3_600_000;
const NOW_MS = 1_800_000_000_000;
const createBaseline = (hours: number) => ({ usd: 100, at: NOW_MS - hours * HOUR_MS });

test.each([
  ["allows a rise of 30 % in a day", 24, 129.9, 130.1],
  ["allows a fall of 30 % in a day", 24, 70.1, 69.9],
  ["allows a rise of 14 % in half a day", 12, 114, 114.1],
  ["allows a rise within a minute as within 8 hours", 1 / 60, 109.1, 109.2],
  ["allows a fall in no time as within 8 hours", 0, 88.8, 88.7],
  ["allows a rise within a year as within 2 days", 8_760, 168.9, 169.1],
  ["allows a fall within a year as within 2 days", 8_760, 49.1, 48.9],
  ["treats a price from the future as 8 hours old", -1_000, 109.1, 109.2],
])("the drift limit %s", (_caseName, hours, allowedUsd, refusedUsd) => {
  expect(isWithinDrift(allowedUsd, createBaseline(hours), NOW_MS)).toBe(true);
  expect(isWithinDrift(refusedUsd, createBaseline(hours), NOW_MS)).toBe(false);
});

test("the drift limit compares with the oldest price of the last 24 hours, or else with the newest price", () => {
  const createPrice = (hours: number) => ({ usd: hours, at: NOW_MS - hours * HOUR_MS });
  expect(pickBaseline([createPrice(5), createPrice(23), createPrice(25)], NOW_MS)).toEqual(createPrice(23));
  expect(pickBaseline([createPrice(50), createPrice(25), createPrice(100)], NOW_MS)).toEqual(createPrice(25));
  expect(pickBaseline([], NOW_MS)).toBeNull();
});

test("many small steps within a day are limited as much as one large step", () => {
  const confirmedPrices = [{ usd: 100, at: NOW_MS }];
  for (let nowMs = NOW_MS; nowMs < NOW_MS + DAY_MS - HOUR_MS; nowMs += HOUR_MS) {
    const usd = (confirmedPrices.at(-1)?.usd ?? 0) * 1.08;
    if (isWithinDrift(usd, pickBaseline(confirmedPrices, nowMs)!, nowMs)) confirmedPrices.push({ usd, at: nowMs });
  }
  expect(confirmedPrices.at(-1)!.usd).toBeLessThan(130);
});
