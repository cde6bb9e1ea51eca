import { expect, test } from "vitest";
import { findDueWeek, parseWeekly } from "@/app/_client/local-storage/weekly-topup";
import { createReminderFile } from "@/app/dashboard/_saving/weekly/reminder";

const SUNDAY_MS = Date.parse("2026-11-22T23:59:59Z");
const MONDAY_MS = SUNDAY_MS + 1_000;

test("a week is due until it is done or the next Monday begins in UTC", () => {
  const weekly = { amountUsd: 10, doneWeek: null };
  expect(findDueWeek(weekly, SUNDAY_MS)).toBe("2026-W47");
  expect(findDueWeek({ ...weekly, doneWeek: "2026-W47" }, SUNDAY_MS)).toBeNull();
  expect(findDueWeek({ ...weekly, doneWeek: "2026-W47" }, MONDAY_MS)).toBe("2026-W48");
  expect(findDueWeek(null, SUNDAY_MS)).toBeNull();
});

test.each([null, "{", '{"amountUsd":0}', '{"amountUsd":"10"}', '{"amountUsd":1e9}'])(
  "reads the stored text %j as no weekly amount",
  (text) => {
    expect(parseWeekly(text)).toBeNull();
  },
);

test("the reminder is a calendar event that repeats weekly, starting in a week", () => {
  const file = createReminderFile(1_234.5, "https://roundup.example/dashboard", SUNDAY_MS);
  expect(file.split("\r\n")).toEqual([
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Roundup//Weekly top-up//EN",
    "BEGIN:VEVENT",
    "UID:weekly-top-up@roundup.example",
    "DTSTAMP:20261122T235959Z",
    "DTSTART:20261129T235959Z",
    "DURATION:PT15M",
    "RRULE:FREQ=WEEKLY",
    "SUMMARY:Roundup weekly top-up: add $1\\,234.50",
    "URL:https://roundup.example/dashboard",
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "DESCRIPTION:Roundup weekly top-up",
    "TRIGGER:PT0M",
    "END:VALARM",
    "END:VEVENT",
    "END:VCALENDAR",
    "",
  ]);
});
