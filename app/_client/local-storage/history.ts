import type { ActivityItem, ActivityPage } from "../queries/use-activity";

/**
 * Stores the part of each wallet's history that this browser has read. Landed transactions never change, so a reload
 * does not need to page through them again. The data is as public as the chain.
 */

const PREFIX = "roundup-history:";
/**
 * Limits how many histories are stored. One takes about 100 kB, at most about 500 kB, of the few MB that an origin
 * gets.
 */
const MOST_WALLETS = 3;

export function readStoredHistory(address: string): string | null {
  return localStorage.getItem(PREFIX + address);
}

export function storeHistory(address: string, text: string): void {
  const ownKey = PREFIX + address;
  const others = Object.keys(localStorage).filter((key) => key.startsWith(PREFIX) && key !== ownKey);
  for (const key of others.slice(MOST_WALLETS - 1)) localStorage.removeItem(key);
  try {
    localStorage.setItem(ownKey, text);
  } catch {
    // Storage is full. Drop the entry; the next load reads the history again.
    localStorage.removeItem(ownKey);
  }
}

/**
 * Returns whether a stored value has the shape of a history, for the fields that figures use. Any script in the page
 * can write to storage, so the value cannot be trusted.
 */
export const isStoredHistory = (value: unknown): value is Pick<ActivityPage, "network" | "items" | "nextBefore"> =>
  hasMembers({ network: isText, items: listOf(hasMembers(ITEM_CHECKS)), nextBefore: orNull(isText) })(value);

type Check = (value: unknown) => boolean;
type Checks<T> = { [Name in keyof T]-?: Check };

const isText: Check = (value) => typeof value === "string";
const isFlag: Check = (value) => typeof value === "boolean";
const isFigure: Check = Number.isFinite;
const isWhole: Check = Number.isSafeInteger;
const isTime: Check = (value) => !Number.isNaN(Date.parse(String(value)));
const isBaseUnits: Check = (value) => /^-?\d{1,20}$/.test(String(value));

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

const hasMembers =
  <T>(checks: Checks<T>): Check =>
  (value) =>
    typeof value === "object" &&
    value !== null &&
    Object.entries<Check>(checks).every(([name, check]) => check((value as Record<string, unknown>)[name]));

const AMOUNT_CHECKS: Checks<ActivityItem["amounts"][number]> = {
  asset: orNull(isText),
  symbol: isText,
  mint: isText,
  amount: isBaseUnits,
  decimals: isWhole,
  change: isFigure,
};

const ITEM_CHECKS: Checks<ActivityItem> = {
  txSignature: isText,
  type: isText,
  status: isText,
  slot: isWhole,
  time: orNull(isTime),
  amounts: listOf(hasMembers(AMOUNT_CHECKS)),
  tokenAccountDepositLamports: isWhole,
  networkFeeLamports: orNull(isWhole),
  serviceFeeLamports: orNull(isWhole),
  topup: isFlag,
  referenceHash: orNull(isText),
  usdValue: orNull(isFigure),
  estimated: isFlag,
  priceUsd: orNull(isFigure),
};
