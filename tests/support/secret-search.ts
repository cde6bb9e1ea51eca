import bs58 from "bs58";

/** Looks for secrets in texts, in every encoding somebody might have printed them in. */

/** No encoding of 32 bytes is shorter, and no window of a text this long matches by chance. */
const WINDOW = 16;

/** The window a secret's text begins with → all texts that begin so. */
export type Needles = Map<string, string[]>;

/** Base58, base64 and base64url without padding, hex in both cases. */
export function encodingsOf(secret: Uint8Array): string[] {
  const bytes = Buffer.from(secret);
  const hex = bytes.toString("hex");
  const base64 = bytes.toString("base64").replace(/=+$/, "");
  return [...new Set([bs58.encode(secret), base64, bytes.toString("base64url"), hex, hex.toUpperCase()])];
}

export function needlesOf(secrets: Iterable<Uint8Array>): Needles {
  const needles: Needles = new Map();
  for (const secret of secrets) {
    for (const text of encodingsOf(secret)) addNeedle(needles, text);
  }
  return needles;
}

/** @throws {RangeError} on a text that is too short to be looked for */
export function addNeedle(needles: Needles, text: string): void {
  if (text.length < WINDOW) throw new RangeError("a secret's text is at least as long as the window");
  const head = text.slice(0, WINDOW);
  needles.set(head, [...(needles.get(head) ?? []), text]);
}

/**
 * Where a secret stands in the text: its first characters and what is before it. One pass over the text, whatever the
 * number of secrets.
 */
export function findSecrets(text: string, needles: Needles): string[] {
  const found: string[] = [];
  for (const { 0: run, index } of text.matchAll(/[A-Za-z0-9+/_-]{16,}/g)) {
    for (let at = 0; at + WINDOW <= run.length; at++) {
      for (const needle of needles.get(run.slice(at, at + WINDOW)) ?? []) {
        if (run.startsWith(needle, at)) {
          found.push(
            `${needle.slice(0, 8)}… after ${JSON.stringify(text.slice(Math.max(0, index + at - 60), index + at))}`,
          );
        }
      }
    }
  }
  return found;
}
