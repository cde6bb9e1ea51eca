"use client";

import { type FormEvent, useState } from "react";
import { findDueWeek, useWeekly } from "@/app/_client/local-storage/weekly-topup";
import { useReadySession } from "@/app/_client/wallet/session";
import { QuietButton, SecondaryButton } from "@/app/_components/button";
import { downloadFile } from "@/app/_components/download";
import { DollarField } from "@/app/_components/field";
import { KeepFocus } from "@/app/_components/keep-focus";
import { formatUsd } from "@/app/_components/money";
import { parseAmountInRange } from "@/app/_components/parse-amount";
import { TOPUP_USD_RANGE } from "@/lib/domain/limits";
import { WEEK_MS } from "@/lib/domain/time";

/** The buttons that replace "Start" ignore clicks for this long, ms. The second of a double click would hit them. */
const DOUBLE_CLICK_MS = 1_000;

export function WeeklySettings() {
  const { wallet } = useReadySession();
  const [weekly, changeWeekly] = useWeekly(wallet);
  const [wasJustStarted, setWasJustStarted] = useState(false);
  const start = (amountUsd: number) => {
    changeWeekly({ amountUsd, doneWeek: null });
    setWasJustStarted(true);
    setTimeout(() => setWasJustStarted(false), DOUBLE_CLICK_MS);
  };
  const downloadReminder = (amountUsd: number) => {
    const fileText = createReminderFile(amountUsd, `${location.origin}/dashboard`, Date.now());
    downloadFile(fileText, "text/calendar", "roundup-weekly.ics");
  };
  return (
    <KeepFocus>
      <p className="font-medium">Weekly top-up</p>
      <p className="text-sm text-soft">
        {weekly
          ? `${formatUsd(weekly.amountUsd)} every week, ${findDueWeek(weekly, Date.now()) ? "due" : "done for"} this week.`
          : "Add a fixed amount once a week."}{" "}
        This page offers it, and you sign each time. It waits in your savings wallet until you or auto-invest buy coins
        with it.
      </p>
      {weekly ? (
        <div className="-mb-2 -ml-4 mt-1 flex flex-wrap">
          <QuietButton disabled={wasJustStarted} onClick={() => downloadReminder(weekly.amountUsd)}>
            Calendar reminder
          </QuietButton>
          <QuietButton disabled={wasJustStarted} onClick={() => changeWeekly(null)}>
            Stop weekly top-up
          </QuietButton>
        </div>
      ) : (
        <WeeklyForm onSave={start} />
      )}
    </KeepFocus>
  );
}

function WeeklyForm({ onSave }: { onSave: (amountUsd: number) => void }) {
  const [text, setText] = useState("");
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { value, error } = parseAmountInRange(text, TOPUP_USD_RANGE);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (value !== null) onSave(value);
  };
  return (
    <form onSubmit={submit} noValidate>
      <div className="mt-3 flex items-start gap-3">
        <DollarField
          label={<span className="sr-only">Amount each week</span>}
          className="-mt-1.5 w-36"
          placeholder="10"
          value={text}
          error={isSubmitted ? error : null}
          onChange={setText}
        />
        <SecondaryButton type="submit">Start</SecondaryButton>
      </div>
    </form>
  );
}

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
