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

/** Returns the wallet's weekly amount in this browser, or null, with a setter. Setting null ends it. */
export function useWeekly(wallet: string): [WeeklyTopup | null, (weekly: WeeklyTopup | null) => void] {
  const key = toStorageKey(wallet);
  return [useParsedValue(key, parseWeekly), (weekly) => storeValue(key, weekly)];
}

/** Parses a stored weekly amount. Returns null when the amount is invalid. */
export function parseWeekly(text: string | null): WeeklyTopup | null {
  const { amountUsd, doneWeek } = parseFields(text);
  if (!isNumberInRange(amountUsd, TOPUP_USD_RANGE)) return null;
  return { amountUsd, doneWeek: typeof doneWeek === "string" ? doneWeek : null };
}

/**
 * Returns the week that is due, or null if none is. `roundup watch` names weeks in the same way, so the service saves a
 * week only once.
 * @param now ms since the epoch
 */
export function findDueWeek(weekly: WeeklyTopup | null, now: number): string | null {
  const week = toIsoWeek(now);
  return weekly === null || weekly.doneWeek === week ? null : week;
}
