import type { ActivityItem, LoadedPage } from "../queries/activity";
import { browserStore } from "./browser-storage";

/* Landed transactions never change, so a reload need not read them again. They are public on the chain. */

const KEY_PREFIX = "roundup-history:";
/** A history takes up to 500 kB, usually 100 kB. localStorage has room for a few MB. */
const MAX_HISTORIES = 3;

/** The caller must check the parsed text with `isStoredHistory`. */
export function readStoredHistory(address: string): string | null {
  return browserStore.get(KEY_PREFIX + address);
}

/** Stores a history. Removes other wallets' histories above `MAX_HISTORIES`, in no particular order. */
export function storeHistory(address: string, text: string): void {
  const storageKey = KEY_PREFIX + address;
  const otherKeys = browserStore.listKeys().filter((key) => key.startsWith(KEY_PREFIX) && key !== storageKey);
  for (const key of otherKeys.slice(MAX_HISTORIES - 1)) browserStore.store(key, null);
  browserStore.replace(storageKey, text);
}

/** Checks every field that the page calculates with, because any script in the page can write to storage. */
export const isStoredHistory = (value: unknown): value is LoadedPage =>
  isObjectOf({ network: isString, items: isArrayOf(isObjectOf(ITEM_CHECKS)), nextBefore: isNullOr(isString) })(value);

type Check = (value: unknown) => boolean;
type FieldChecks<T> = { [Name in keyof T]-?: Check };

const isString: Check = (value) => typeof value === "string";
const isBoolean: Check = (value) => typeof value === "boolean";
const isFiniteNumber: Check = Number.isFinite;
const isWholeNumber: Check = Number.isSafeInteger;
const isDateText: Check = (value) => !Number.isNaN(Date.parse(String(value)));
const isBaseUnitsText: Check = (value) => /^-?\d{1,20}$/.test(String(value));

const isNullOr =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const isArrayOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const isObjectOf =
  <T>(checks: FieldChecks<T>): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries<Check>(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const AMOUNT_CHECKS: FieldChecks<ActivityItem["amounts"][number]> = {
  asset: isNullOr(isString),
  symbol: isString,
  mint: isString,
  amount: isBaseUnitsText,
  decimals: isWholeNumber,
  change: isFiniteNumber,
};

const ITEM_CHECKS: FieldChecks<ActivityItem> = {
  txSignature: isString,
  type: isString,
  status: isString,
  slot: isWholeNumber,
  time: isNullOr(isDateText),
  amounts: isArrayOf(isObjectOf(AMOUNT_CHECKS)),
  tokenAccountDepositLamports: isWholeNumber,
  networkFeeLamports: isNullOr(isWholeNumber),
  serviceFeeLamports: isNullOr(isWholeNumber),
  serviceFeeUnits: isNullOr(isWholeNumber),
  topup: isBoolean,
  referenceHash: isNullOr(isString),
  usdValue: isNullOr(isFiniteNumber),
  estimated: isBoolean,
  pulled: isNullOr(isObjectOf({ by: isString })),
  priceUsd: isNullOr(isFiniteNumber),
};
