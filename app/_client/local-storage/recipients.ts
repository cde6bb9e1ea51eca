import { useMemo } from "react";
import { parseFields, storeValue, useStoredValue } from "./stored-value";

/** An address that received a withdrawal from this browser. */
export interface Recipient {
  address: string;
  /** Day of the latest withdrawal, as YYYY-MM-DD. */
  day: string;
}

const MOST_RECIPIENTS = 5;
const ADDRESS = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const keyOf = (wallet: string) => `roundup-recipients:${wallet}`;

/** Returns the wallet's recent recipients, latest first. */
export function useRecipients(wallet: string): Recipient[] {
  const text = useStoredValue(keyOf(wallet));
  return useMemo(() => readRecipients(text), [text]);
}

/** Remembers a recipient after a withdrawal to it has landed. */
export function noteRecipient(wallet: string, address: string, now: Date): void {
  const others = readRecipients(localStorage.getItem(keyOf(wallet))).filter((one) => one.address !== address);
  storeValue(keyOf(wallet), { list: [{ address, day: now.toISOString().slice(0, 10) }, ...others] });
}

/** Parses stored recipients. Leaves out every invalid entry. */
export function readRecipients(text: string | null): Recipient[] {
  const { list } = parseFields(text);
  if (!Array.isArray(list)) return [];
  return list
    .filter((one) => ADDRESS.test(String(one?.address)) && /^\d{4}-\d\d-\d\d$/.test(String(one?.day)))
    .slice(0, MOST_RECIPIENTS)
    .map(({ address, day }) => ({ address, day }));
}
