import { expect, test } from "vitest";
import { findDueWeek } from "@/app/_client/local-storage/weekly-topup";

const SUNDAY_MS = Date.parse("2026-11-22T23:59:59Z");
const MONDAY_MS = SUNDAY_MS + 1_000;

test("a week is due until it is done or the next Monday begins in UTC", () => {
  const weekly = { amountUsd: 10, doneWeek: null };
  expect(findDueWeek(weekly, SUNDAY_MS)).toBe("2026-W47");
  expect(findDueWeek({ ...weekly, doneWeek: "2026-W47" }, SUNDAY_MS)).toBeNull();
  expect(findDueWeek({ ...weekly, doneWeek: "2026-W47" }, MONDAY_MS)).toBe("2026-W48");
  expect(findDueWeek(null, SUNDAY_MS)).toBeNull();
});
