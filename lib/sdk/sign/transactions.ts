import bs58 from "bs58";
import nacl from "tweetnacl";
import { fromBase64, toBase64, toHex } from "../../solana/bytes";
import type { KeyPair } from "./key-pair";
import { isSignature } from "./texts";

/**
 * Splits a serialized transaction: [count][signatures, 64 bytes each][message]. The count is read as a single byte, so
 * at most 127 signatures are supported.
 */
function splitTransaction(bytes: Uint8Array) {
  const count = bytes[0]!;
  const message = bytes.subarray(1 + 64 * count);
  // A v0 message starts with 0x80. Three header bytes and the number of keys follow.
  const keysAt = message[0]! & 0x80 ? 5 : 4;
  const keyAt = (index: number) => message.subarray(keysAt + 32 * index, keysAt + 32 * (index + 1));
  return { count, message, keyAt };
}

/** Returns the addresses that must sign a transaction (base64), payer first. @throws {RangeError} on invalid base64 */
export function listSigners(transaction: string): string[] {
  const bytes = fromBase64(transaction);
  if (!bytes) throw new RangeError("The transaction is not base64.");
  const { count, keyAt } = splitTransaction(bytes);
  return Array.from({ length: count }, (_, i) => bs58.encode(keyAt(i)));
}

/** Returns true if this address is the payer of the transaction (base64) and has signed it. */
export function isPaidAndSignedBy(transaction: string, address: string): boolean {
  const bytes = fromBase64(transaction);
  if (!bytes) return false;
  const { message, keyAt } = splitTransaction(bytes);
  const payer = keyAt(0);
  return bs58.encode(payer) === address && isSignature(message, bytes.subarray(1, 65), payer);
}

/**
 * Returns the first signature of a signed transaction (base64), which identifies it; empty for invalid base64. The byte
 * before it holds the number of signatures.
 */
export const readFirstSignature = (signed: string): string =>
  bs58.encode(fromBase64(signed)?.subarray(1, 65) ?? new Uint8Array());

/** Returns true if two transactions (base64) differ at most in their signatures. */
export function isSameMessage(one: string, other: string): boolean {
  const [first, second] = [one, other].map((transaction) => {
    const bytes = fromBase64(transaction);
    return bytes && toHex(splitTransaction(bytes).message);
  });
  return first !== null && first === second;
}

/**
 * Signs a transaction (base64) with a local key.
 * @throws {RangeError} when the transaction does not require a signature of this key
 */
export function signWithKey(transaction: string, keys: KeyPair): string {
  const bytes = fromBase64(transaction);
  if (!bytes) throw new RangeError("The transaction is not base64.");
  const { count, message, keyAt } = splitTransaction(bytes);
  const publicKey = toHex(keys.publicKey);
  for (let i = 0; i < count; i++) {
    if (toHex(keyAt(i)) !== publicKey) continue;
    bytes.set(nacl.sign.detached(message, keys.secretKey), 1 + 64 * i);
    return toBase64(bytes);
  }
  throw new RangeError("The transaction does not require a signature of this key.");
}
