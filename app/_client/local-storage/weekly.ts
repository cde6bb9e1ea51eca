import { TOPUP_USD } from "@/lib/domain/limits";
import { toIsoWeek } from "@/lib/domain/marks";
import { parseFields, storeValue, useStoredValue } from "./stored-value";

/** A fixed amount that a person wants to add every week. */
export interface Weekly {
  amountUsd: number;
  /** The last week (UTC, e.g. 2026-W47) known to be made, by this page or another program; null for none. */
  doneWeek: string | null;
}

const keyOf = (wallet: string) => `roundup-weekly:${wallet}`;

/** Returns the wallet's weekly amount in this browser, or null, with a setter. Setting null ends it. */
export function useWeekly(wallet: string): [Weekly | null, (next: Weekly | null) => void] {
  return [readWeekly(useStoredValue(keyOf(wallet))), (next) => storeValue(keyOf(wallet), next)];
}

/** Parses a stored weekly amount. Returns null when the amount is invalid. */
export function readWeekly(text: string | null): Weekly | null {
  const { amountUsd, doneWeek } = parseFields(text);
  if (typeof amountUsd !== "number" || !(amountUsd >= TOPUP_USD.min && amountUsd <= TOPUP_USD.max)) return null;
  return { amountUsd, doneWeek: typeof doneWeek === "string" ? doneWeek : null };
}

/** Returns the week that is due, or null. The name is the one `roundup watch` uses, so only one of both buys it. */
export function dueWeek(weekly: Weekly | null, now: number): string | null {
  const week = toIsoWeek(now);
  return weekly === null || weekly.doneWeek === week ? null : week;
}
