import { STORE_KEYS } from "./store-keys";
import { DAY_MS } from "./time";

/** Number of calls on one day, by the name of the static key. */
export type KeyUsage = Record<string, number>;

/** The name under which calls of static keys without a name are counted. No key can have it: names have no brackets. */
export const UNNAMED_KEY = "(unnamed)";

/** Days for which the record of a day is stored. */
export const KEY_USAGE_DAYS = STORE_KEYS.keyUsage.ttlMs / DAY_MS;

/** Returns the UTC day of a time, for example 2026-11-23. @param time ms since the epoch */
export const toUsageDay = (time: number) => new Date(time).toISOString().slice(0, 10);

export function sumUsage(...counts: KeyUsage[]): KeyUsage {
  // A Map, because a key can be named "constructor".
  const callsByName = new Map<string, number>();
  for (const [name, calls] of counts.flatMap(Object.entries<number>))
    callsByName.set(name, (callsByName.get(name) ?? 0) + calls);
  return Object.fromEntries(callsByName);
}
