import { expect, test } from "vitest";
import { baselineOf, isWithinDrift } from "@/lib/domain/prices/price-drift";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;
const before = (hours: number) => ({ usd: 100, at: NOW - hours * HOUR });

test.each([
  ["a day allows 30 % up", 24, 129.9, 130.1],
  ["a day allows 30 % down", 24, 70.1, 69.9],
  ["half a day allows less", 12, 114, 114.1],
  ["a minute allows what 8 hours do", 1 / 60, 109.1, 109.2],
  ["and down", 0, 88.8, 88.7],
  ["a year allows what 2 days do", 8_760, 168.9, 169.1],
  ["and down", 8_760, 49.1, 48.9],
  ["a price of a clock that ran ahead allows what 8 hours do", -1_000, 109.1, 109.2],
])("%s", (_what, hours, within, beyond) => {
  expect(isWithinDrift(within, before(hours), NOW)).toBe(true);
  expect(isWithinDrift(beyond, before(hours), NOW)).toBe(false);
});

test("a price is held against the oldest of the last 24 hours, else the newest, in whatever order they stand", () => {
  const at = (hours: number) => ({ usd: hours, at: NOW - hours * HOUR });
  expect(baselineOf([at(5), at(23), at(25)], NOW)).toEqual(at(23));
  expect(baselineOf([at(50), at(25), at(100)], NOW)).toEqual(at(25));
  expect(baselineOf([], NOW)).toBeNull();
});

test("many small steps within a day go no further than one large step", () => {
  const confirmed = [{ usd: 100, at: NOW }];
  for (let now = NOW; now < NOW + DAY - HOUR; now += HOUR) {
    const usd = (confirmed.at(-1)?.usd ?? 0) * 1.08;
    if (isWithinDrift(usd, baselineOf(confirmed, now)!, now)) confirmed.push({ usd, at: now });
  }
  expect(confirmed.at(-1)!.usd).toBeLessThan(130);
});
