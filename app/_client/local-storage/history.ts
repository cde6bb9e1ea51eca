import type { ActivityItem, LoadedPage } from "../queries/use-activity";

/**
 * Stores the part of each wallet's history that this browser has read. Landed transactions never change, so a reload
 * does not need to page through them again. The stored data is public on the chain.
 */

const KEY_PREFIX = "roundup-history:";
/**
 * Maximum number of stored histories. A history takes about 100 kB, at most about 500 kB. A browser gives an origin a
 * few MB.
 */
const MAX_HISTORIES = 3;

/** Returns the stored history as text, or null. The caller parses the text and checks it with `isStoredHistory`. */
export function readStoredHistory(address: string): string | null {
  return localStorage.getItem(KEY_PREFIX + address);
}

/** Stores a history. Removes other wallets' histories above `MAX_HISTORIES`, in no particular order. */
export function storeHistory(address: string, text: string): void {
  const storageKey = KEY_PREFIX + address;
  const otherKeys = Object.keys(localStorage).filter((key) => key.startsWith(KEY_PREFIX) && key !== storageKey);
  for (const key of otherKeys.slice(MAX_HISTORIES - 1)) localStorage.removeItem(key);
  try {
    localStorage.setItem(storageKey, text);
  } catch {
    // Storage is full. Remove the outdated entry. The next load reads the history from the service.
    localStorage.removeItem(storageKey);
  }
}

/**
 * Returns whether a stored value has the shape of a history. Checks every field that the page calculates with. Any
 * script in the page can write to storage, so the value cannot be trusted.
 */
export const isStoredHistory = (value: unknown): value is LoadedPage =>
  objectOf({ network: isString, items: arrayOf(objectOf(ITEM_CHECKS)), nextBefore: nullable(isString) })(value);

type Check = (value: unknown) => boolean;
type Checks<T> = { [Name in keyof T]-?: Check };

const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isFiniteNumber: Check = Number.isFinite;
const isWholeNumber: Check = Number.isSafeInteger;
const isTime: Check = (value) => !Number.isNaN(Date.parse(String(value)));
const isBaseUnits: Check = (value) => /^-?\d{1,20}$/.test(String(value));

const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const arrayOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const objectOf =
  <T>(checks: Checks<T>): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries<Check>(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const AMOUNT_CHECKS: Checks<ActivityItem["amounts"][number]> = {
  asset: nullable(isString),
  symbol: isString,
  mint: isString,
  amount: isBaseUnits,
  decimals: isWholeNumber,
  change: isFiniteNumber,
};

const ITEM_CHECKS: Checks<ActivityItem> = {
  txSignature: isString,
  type: isString,
  status: isString,
  slot: isWholeNumber,
  time: nullable(isTime),
  amounts: arrayOf(objectOf(AMOUNT_CHECKS)),
  tokenAccountDepositLamports: isWholeNumber,
  networkFeeLamports: nullable(isWholeNumber),
  serviceFeeLamports: nullable(isWholeNumber),
  topup: isBoolean,
  referenceHash: nullable(isString),
  usdValue: nullable(isFiniteNumber),
  estimated: isBoolean,
  priceUsd: nullable(isFiniteNumber),
};
