/** Hex and UTF-8 are @noble's, under the names used here. */
export { bytesToHex as toHex, utf8ToBytes as utf8 } from "@noble/hashes/utils";

/**
 * Base64 of bytes; isomorphic.
 * @throws {RangeError} on some hundred thousand bytes and more: each is an argument of one call
 */
export function toBase64(bytes: Uint8Array): string {
  // Neither a loop, which takes 3.6 µs for a transaction, nor a spread, which takes 7: this takes 1.2.
  return btoa(String.fromCharCode.apply(null, bytes as unknown as number[]));
}

/** Strict: only what toBase64 would have written is read (decoders accept junk, spaces and missing padding). @returns null otherwise */
export function fromBase64(text: string): Uint8Array | null {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    return null;
  }
  if (btoa(binary) !== text) return null;
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
