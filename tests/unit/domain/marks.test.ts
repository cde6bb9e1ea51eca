import fc from "fast-check";
import { expect, test } from "vitest";
import { computePeriodClose, toIsoWeek } from "../../../lib/domain/marks";
import { DAY_MS } from "../../../lib/domain/time";

test.each([
  ["2026-W47", "2026-11-30T00:00:00Z"],
  ["2026-W53", "2027-01-11T00:00:00Z"],
  ["2027-W01", "2027-01-18T00:00:00Z"],
  ["2026-11", "2027-01-01T00:00:00Z"],
  ["2026-12", "2027-02-01T00:00:00Z"],
  ["2028-02-29", "2028-03-02T00:00:00Z"],
  ["2026-12-31", "2027-01-02T00:00:00Z"],
])("the service closes the period %s at %s, one period after its end", (period, closesAt) => {
  expect(computePeriodClose(period)).toBe(Date.parse(closesAt));
});

test.each([
  "2026-W00",
  "2026-W54",
  "2027-W53",
  "2026-00",
  "2026-13",
  "2026-02-30",
  "2026-11-00",
  "2026-w47",
  "2026-W7",
  "2026-1-1",
  "26-11",
  "2026",
  "w1",
  "once-2026-11",
])("the service never closes the name %s, which is not a period", (period) => {
  expect(computePeriodClose(period)).toBeNull();
});

test.each([
  ["2026-11-22T23:59:59.999Z", "2026-W47"],
  ["2026-11-23T00:00:00.000Z", "2026-W48"],
  ["2027-01-03T12:00:00.000Z", "2026-W53"],
  ["2024-12-30T00:00:00.000Z", "2025-W01"],
  ["2023-01-01T00:00:00.000Z", "2022-W52"],
])("the time %s belongs to the ISO week %s", (time, week) => {
  expect(toIsoWeek(Date.parse(time))).toBe(week);
});

test("the current week's name stays open for more than one and at most two weeks", () => {
  const anyTimeMs = fc.integer({ min: Date.parse("1990-01-01"), max: Date.parse("2090-01-01") });
  const weekMs = 7 * DAY_MS;
  fc.assert(
    fc.property(anyTimeMs, (nowMs) => {
      const remainingMs = computePeriodClose(toIsoWeek(nowMs))! - nowMs;
      expect(remainingMs > weekMs && remainingMs <= 2 * weekMs).toBe(true);
    }),
  );
});
