import { ed25519 } from "@noble/curves/ed25519";
import bs58 from "bs58";
import { fromBase64, toHex } from "./bytes";

/**
 * Small-order points of Curve25519, little-endian hex with the sign bit cleared. Anyone can compute a signature of a
 * fixed text for these keys. Source: libsodium's ge25519_has_small_order blocklist.
 */
const SMALL_ORDER_POINTS = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
]);

/** Order L of the base point. Source: RFC 8032, section 5.1. */
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

export function isSmallOrder(point: Uint8Array): boolean {
  const unsignedPoint = point.slice();
  unsignedPoint[31] = unsignedPoint[31]! & 0x7f;
  return SMALL_ORDER_POINTS.has(toHex(unsignedPoint));
}

function isOnCurve(point: Uint8Array): boolean {
  try {
    ed25519.ExtendedPoint.fromHex(point);
    return true;
  } catch {
    return false;
  }
}

/** Null when the text is base58 of 32 bytes that are a point on the curve and not of small order. */
export const findWalletAddressFault = (text: string): string | null => findWalletAddressFaultBy(text, isOnCurve);

/** Does the same as findWalletAddressFault with a given curve check, so that small bundles need no curve library. */
export function findWalletAddressFaultBy(text: string, isOnCurve: (point: Uint8Array) => boolean): string | null {
  // 32 bytes are 32 to 44 base58 characters. Decoding is quadratic, so reject longer input first.
  if (text.length < 32 || text.length > 44) return "is not base58 of 32 bytes";
  const bytes = bs58.decodeUnsafe(text);
  if (!bytes) return "is not base58";
  if (bytes.length !== 32) return "is not base58 of 32 bytes";
  if (isSmallOrder(bytes)) return "is a point of small order, which no wallet has";
  if (!isOnCurve(bytes)) return "is off the curve: a program's address, not a wallet's";
  return null;
}

/** Returns whether a text is a transaction signature: base58 of exactly 64 bytes. */
export function isTransactionSignature(text: string): boolean {
  // 64 bytes are 64 to 88 base58 characters. Decoding is quadratic, so reject longer input first.
  return text.length >= 64 && text.length <= 88 && bs58.decodeUnsafe(text)?.length === 64;
}

/** Reads canonical base64 of 64 bytes with S below the group order (RFC 8032, 5.1.7). Null for any other text. */
export function parseSignature(base64: string): Uint8Array | null {
  if (base64.length !== 88) return null;
  const bytes = fromBase64(base64);
  return bytes?.length === 64 && hasCanonicalScalar(bytes) ? bytes : null;
}

/** Returns whether S, the second half of a signature, is below L. Otherwise S + L would be a second valid signature. */
export function hasCanonicalScalar(signature: Uint8Array): boolean {
  let scalar = 0n;
  for (let i = 63; i >= 32; i--) scalar = (scalar << 8n) | BigInt(signature[i]!);
  return scalar < GROUP_ORDER;
}
