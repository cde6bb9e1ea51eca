import { type AddressRange, parseAddressRanges } from "./address-ranges";

/** A key of the operator's own servers. Several keys may have one name, so that a new key overlaps the old one. */
export interface StaticKey {
  /** The log shows this name. Null for a key without a name. */
  name: string | null;
  key: string;
  /** The key's own limit. If absent, each address has its own limit. */
  callsPerMinute?: number;
  /** The only addresses that may use the key. If absent, any address may. */
  ranges?: AddressRange[];
}

/** A static key without its text. */
export interface KnownStaticKey extends Omit<StaticKey, "key"> {
  /** Identifies the key, and stays the same in all processes. Reveals nothing about the key's text. */
  id: string;
}

const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/** The highest limit of a key, calls per minute. The limiter keeps the time of each call, 4 bytes in a shared store. */
const MAX_CALLS_PER_MINUTE = 10_000;

/**
 * Parses `key`, `name:key` or `name:key:callsPerMinute`, separated by commas or line breaks. `@` and one or several
 * networks, joined by `+`, may follow each. A line that begins with # is a comment.
 * @returns the keys, or a text that says what is wrong; it names a key by its position, never by its value
 */
export function parseStaticKeys(text: string): StaticKey[] | string {
  const entries = text
    .replace(/^\s*#.*$/gm, "")
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  const keys: StaticKey[] = [];
  for (const [i, entry] of entries.entries()) {
    const key = parseEntry(entry);
    if (typeof key === "string") return `key ${i + 1}${key}`;
    keys.push(key);
  }
  return keys;
}

/** Parses one entry. Returns what is wrong with it, as the end of a sentence about the key. */
function parseEntry(entry: string): StaticKey | string {
  const atIndex = entry.indexOf("@");
  const parts = (atIndex < 0 ? entry : entry.slice(0, atIndex)).split(":");
  const [name, key, callsText] = parts.length === 1 ? [null, parts[0]!] : (parts as [string, string, string?]);
  if (name !== null && !NAME_PATTERN.test(name))
    return ": its name needs 1 to 32 letters, digits, hyphens or underscores";
  if (parts.length > 3 || /\s/.test(key)) return " contains a colon or a space";
  const callsPerMinute = callsText === undefined ? undefined : Number(callsText);
  if (callsText !== undefined && !(/^[1-9]\d{0,4}$/.test(callsText) && callsPerMinute! <= MAX_CALLS_PER_MINUTE))
    return `: its calls a minute are not a whole number from 1 to ${MAX_CALLS_PER_MINUTE}`;
  const ranges = atIndex < 0 ? undefined : parseAddressRanges(entry.slice(atIndex + 1));
  if (ranges === null) return ": after @ come addresses or networks such as 203.0.113.0/24, joined by +";
  return { name, key, callsPerMinute, ranges };
}
