import { formatUsd } from "@/app/_components/money";
import { WEEK_MS } from "@/lib/domain/time";

/** Formats a time, ms since the epoch, as a UTC time of iCalendar. */
const formatCalendarTime = (time: number) => `${new Date(time).toISOString().slice(0, 19).replace(/[-:]/g, "")}Z`;

/**
 * Returns a calendar file (iCalendar, RFC 5545) with a weekly reminder, first a week from now.
 * @param url the page that offers the week's amount
 * @param now ms since the epoch
 */
export function createReminderFile(amountUsd: number, url: string, now: number): string {
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//Roundup//Weekly top-up//EN",
    "BEGIN:VEVENT",
    `UID:weekly-top-up@${new URL(url).hostname}`,
    `DTSTAMP:${formatCalendarTime(now)}`,
    `DTSTART:${formatCalendarTime(now + WEEK_MS)}`,
    "DURATION:PT15M",
    "RRULE:FREQ=WEEKLY",
    `SUMMARY:Roundup weekly top-up: add ${formatUsd(amountUsd).replace(",", "\\,")}`,
    `URL:${url}`,
    "BEGIN:VALARM",
    "ACTION:DISPLAY",
    "DESCRIPTION:Roundup weekly top-up",
    "TRIGGER:PT0M",
    "END:VALARM",
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${line}\r\n`).join("");
}
