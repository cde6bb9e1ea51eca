/** A key of the operator's own servers. Several keys may have one name, so that a new key overlaps the old one. */
export interface StaticKey {
  /** Shown in the log; null for a key without a name. */
  name: string | null;
  key: string;
}

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/;

/**
 * Parses `key` or `name:key`, separated by commas or line breaks. A line that begins with # is a comment.
 * @returns the keys, or a text that says what is wrong; it names a key by its position, never by its value
 */
export function parseStaticKeys(text: string): StaticKey[] | string {
  const entries = text
    .replace(/^\s*#.*$/gm, "")
    .split(/[,\n]/)
    .map((entry) => entry.trim())
    .filter(Boolean);
  const keys = entries.map((entry): StaticKey => {
    const colon = entry.indexOf(":");
    return colon < 0 ? { name: null, key: entry } : { name: entry.slice(0, colon), key: entry.slice(colon + 1) };
  });
  for (const [i, { name, key }] of keys.entries()) {
    if (name !== null && !NAME.test(name))
      return `key ${i + 1}: its name needs 1 to 32 letters, digits, hyphens or underscores`;
    if (/[:\s]/.test(key)) return `key ${i + 1} contains a colon or a space`;
  }
  return keys;
}
