import { expect, test } from "vitest";
import { isWithinDrift, pickBaseline } from "@/lib/domain/prices/price-drift";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = 1_800_000_000_000;
const before = (hours: number) => ({ usd: 100, at: NOW - hours * HOUR });

test.each([
  ["allows 30 % up in a day", 24, 129.9, 130.1],
  ["allows 30 % down in a day", 24, 70.1, 69.9],
  ["allows less in half a day", 12, 114, 114.1],
  ["treats a minute as 8 hours, up", 1 / 60, 109.1, 109.2],
  ["treats no time at all as 8 hours, down", 0, 88.8, 88.7],
  ["treats a year as 2 days, up", 8_760, 168.9, 169.1],
  ["treats a year as 2 days, down", 8_760, 49.1, 48.9],
  ["treats a price from the future as 8 hours old", -1_000, 109.1, 109.2],
])("%s", (_what, hours, within, beyond) => {
  expect(isWithinDrift(within, before(hours), NOW)).toBe(true);
  expect(isWithinDrift(beyond, before(hours), NOW)).toBe(false);
});

test("compares with the oldest price of the last 24 hours, else the newest, in any order", () => {
  const at = (hours: number) => ({ usd: hours, at: NOW - hours * HOUR });
  expect(pickBaseline([at(5), at(23), at(25)], NOW)).toEqual(at(23));
  expect(pickBaseline([at(50), at(25), at(100)], NOW)).toEqual(at(25));
  expect(pickBaseline([], NOW)).toBeNull();
});

test("limits many small steps within a day as much as one large step", () => {
  const confirmed = [{ usd: 100, at: NOW }];
  for (let now = NOW; now < NOW + DAY - HOUR; now += HOUR) {
    const usd = (confirmed.at(-1)?.usd ?? 0) * 1.08;
    if (isWithinDrift(usd, pickBaseline(confirmed, now)!, now)) confirmed.push({ usd, at: now });
  }
  expect(confirmed.at(-1)!.usd).toBeLessThan(130);
});
