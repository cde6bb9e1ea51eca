import { TOPUP_USD_RANGE } from "@/lib/domain/limits";
import { toIsoWeek } from "@/lib/domain/marks";
import { isNumberInRange, parseFields, storeValue, useParsedValue } from "./stored-value";

/** A fixed amount that a person wants to add every week. */
export interface WeeklyTopup {
  amountUsd: number;
  /** The last week (UTC, e.g. 2026-W47) whose top-up was made, here or by another program; null for none. */
  doneWeek: string | null;
}

const toStorageKey = (wallet: string) => `roundup-weekly:${wallet}`;

/** Returns the weekly amount, with a setter. Null ends it. */
export function useWeekly(wallet: string): [WeeklyTopup | null, (weekly: WeeklyTopup | null) => void] {
  const key = toStorageKey(wallet);
  return [useParsedValue(key, parseWeekly), (weekly) => storeValue(key, weekly)];
}

export function parseWeekly(text: string | null): WeeklyTopup | null {
  const { amountUsd, doneWeek } = parseFields(text);
  if (!isNumberInRange(amountUsd, TOPUP_USD_RANGE)) return null;
  return { amountUsd, doneWeek: typeof doneWeek === "string" ? doneWeek : null };
}

/** Returns the week that is due at `now` (ms), or null. `roundup watch` uses the same names: a week is saved once. */
export function findDueWeek(weekly: WeeklyTopup | null, now: number): string | null {
  const week = toIsoWeek(now);
  return weekly === null || weekly.doneWeek === week ? null : week;
}
