import { browserStore } from "./browser-storage";
import { parseFields, storeValue, useParsedValue } from "./stored-value";

/** An address that received a withdrawal from this browser. */
export interface Recipient {
  address: string;
  /** Day of the latest withdrawal, local time, YYYY-MM-DD. */
  day: string;
}

export const MAX_RECIPIENTS = 5;
/** YYYY-MM-DD, as Sweden writes days. */
const formatLocalDay = (time: Date) => time.toLocaleDateString("sv-SE");

const ADDRESS_PATTERN = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

const toStorageKey = (wallet: string) => `roundup-recipients:${wallet}`;

/** Latest first. */
export const useRecipients = (wallet: string): Recipient[] => useParsedValue(toStorageKey(wallet), parseRecipients);

/** Stores a recipient as the latest one, after its withdrawal has landed. */
export function recordRecipient(wallet: string, address: string, now: Date): void {
  const otherRecipients = parseRecipients(browserStore.get(toStorageKey(wallet))).filter(
    (recipient) => recipient.address !== address,
  );
  storeValue(toStorageKey(wallet), { list: [{ address, day: formatLocalDay(now) }, ...otherRecipients] });
}

/** Parses stored recipients. Omits every invalid entry. */
export function parseRecipients(text: string | null): Recipient[] {
  const { list: recipients } = parseFields(text);
  if (!Array.isArray(recipients)) return [];
  return recipients
    .filter((entry) => ADDRESS_PATTERN.test(String(entry?.address)) && /^\d{4}-\d\d-\d\d$/.test(String(entry?.day)))
    .slice(0, MAX_RECIPIENTS)
    .map(({ address, day }) => ({ address, day }));
}
