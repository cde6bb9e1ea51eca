import { storeValue, useStoredValue } from "./stored-value";

/* The token program forgets an allowance that is used up, so the browser remembers that there was one. */

const toStorageKey = (wallet: string) => `roundup-allowance:${wallet}`;

export const storeAllowance = (wallet: string): void => storeValue(toStorageKey(wallet), true);
export const removeAllowance = (wallet: string): void => storeValue(toStorageKey(wallet), null);

export const useWasAllowed = (wallet: string): boolean => useStoredValue(toStorageKey(wallet)) !== null;
