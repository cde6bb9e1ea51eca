import { expect, test } from "vitest";
import { listRanges } from "@/app/dashboard/_overview/growth/value-ranges";
import { DAY_MS } from "@/lib/domain/time";

test.each([
  [0, ["all"]],
  [1, ["all"]],
  [1.1, ["day", "all"]],
  [7, ["day", "all"]],
  [29, ["day", "week", "all"]],
  [400, ["day", "week", "month", "all"]],
])("the chart offers no two ranges that would draw the same line, after %d days", (days, ranges) => {
  expect(listRanges(days * DAY_MS).map(([name]) => name)).toEqual(ranges);
});
