import { equalBytes } from "@noble/curves/utils";
import { hmac } from "@noble/hashes/hmac";
import { sha256 } from "@noble/hashes/sha2";
import { encodeUtf8, toHex } from "../solana/bytes";

/**
 * Makes and checks the nonces of Sign In With Solana. A nonce is its time as 12 hex digits, then 32 hex digits of an
 * HMAC-SHA-256 of that time. The service therefore stores nothing until a wallet signs in. EIP-4361 allows letters and
 * digits only. Times are ms since the epoch.
 */

/** Lifetime of a sign-in with a nonce, from the time of the nonce. */
export const SIGN_IN_LIFETIME_MS = 24 * 3_600_000;
/**
 * Time in which a sign-in with a nonce can create API keys, from the time of the nonce. A stolen sign-in must not create
 * keys that outlive its 24 hours.
 */
export const KEY_CREATION_WINDOW_MS = 10 * 60_000;
/** Largest accepted difference between the clocks of two instances. */
const MAX_CLOCK_SKEW_MS = 60_000;

const TIME_DIGITS = 12;
const NONCE_PATTERN = /^[0-9a-f]{44}$/;

/** Makes a nonce for the time `now`. @param secret the deployment's secret for nonces */
export function makeNonce(secret: string, now: number): string {
  const time = now.toString(16).padStart(TIME_DIGITS, "0");
  return time + toHex(hmac(sha256, encodeUtf8(secret), encodeUtf8(`sign-in ${time}`))).slice(0, 32);
}

/** Returns the time of a nonce that `secret` made within the last 24 h. Returns null for any other nonce. */
export function verifyNonce(secret: string, nonce: string, now: number): number | null {
  if (!NONCE_PATTERN.test(nonce)) return null;
  const time = Number.parseInt(nonce.slice(0, TIME_DIGITS), 16);
  if (time > now + MAX_CLOCK_SKEW_MS || now >= time + SIGN_IN_LIFETIME_MS) return null;
  // The comparison takes the same time wherever the texts differ.
  return equalBytes(encodeUtf8(makeNonce(secret, time)), encodeUtf8(nonce)) ? time : null;
}
