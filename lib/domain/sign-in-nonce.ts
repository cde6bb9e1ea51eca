import { hmac } from "@noble/hashes/hmac";
import { sha256 } from "@noble/hashes/sha2";
import { toHex, utf8 } from "../solana/bytes";

/**
 * Makes and checks the nonces of Sign In With Solana. A nonce is its time and an HMAC of it, so that nothing is stored
 * until somebody signs in: 12 hex digits of Unix ms, then 32 of HMAC-SHA-256. EIP-4361 allows letters and digits only.
 */

/** How long a sign-in with a nonce is accepted, from the time of the nonce. */
export const SIGN_IN_LIFETIME_MS = 24 * 3_600_000;
/** How long such a sign-in can create API keys, from the time of the nonce. A stolen one must not outlive its day. */
export const SIGN_IN_CREATES_KEYS_MS = 10 * 60_000;
/** The largest difference between the clocks of two instances. */
const CLOCK_DIFFERENCE_MS = 60_000;

const TIME_DIGITS = 12;
const FORM = /^[0-9a-f]{44}$/;

/** @param secret the deployment's secret for nonces @param now Unix ms */
export function makeNonce(secret: string, now: number): string {
  const time = now.toString(16).padStart(TIME_DIGITS, "0");
  return time + toHex(hmac(sha256, utf8(secret), utf8(`sign-in ${time}`))).slice(0, 32);
}

/** Returns the time of a nonce that `secret` made within the last 24 h, Unix ms; null for any other nonce. */
export function nonceTime(secret: string, nonce: string, now: number): number | null {
  if (!FORM.test(nonce)) return null;
  const time = Number.parseInt(nonce.slice(0, TIME_DIGITS), 16);
  if (time > now + CLOCK_DIFFERENCE_MS || now >= time + SIGN_IN_LIFETIME_MS) return null;
  return isEqual(makeNonce(secret, time), nonce) ? time : null;
}

/** Compares texts of one length in constant time. */
function isEqual(a: string, b: string): boolean {
  let difference = a.length ^ b.length;
  for (let i = 0; i < a.length; i++) difference |= a.charCodeAt(i) ^ b.charCodeAt(i);
  return difference === 0;
}
