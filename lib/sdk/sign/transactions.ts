import bs58 from "bs58";
import nacl from "tweetnacl";
import { fromBase64, toBase64, toHex } from "../../solana/bytes";
import type { KeyPair } from "./key-pair";
import { isValidSignature } from "./texts";

/** Splits a transaction: [signature count, one byte, so at most 127][signatures, 64 bytes each][message]. */
function splitTransaction(bytes: Uint8Array) {
  const signatureCount = bytes[0]!;
  const message = bytes.subarray(1 + 64 * signatureCount);
  // A v0 message starts with 0x80. Three header bytes and the number of keys follow.
  const keysOffset = message[0]! & 0x80 ? 5 : 4;
  const getKey = (index: number) => message.subarray(keysOffset + 32 * index, keysOffset + 32 * (index + 1));
  return { signatureCount, message, getKey };
}

/** Returns the addresses that must sign a transaction (base64), payer first. @throws {RangeError} on invalid base64 */
export function listSigners(transaction: string): string[] {
  const bytes = fromBase64(transaction);
  if (!bytes) throw new RangeError("The transaction is not base64.");
  const { signatureCount, getKey } = splitTransaction(bytes);
  return Array.from({ length: signatureCount }, (_, i) => bs58.encode(getKey(i)));
}

/** Returns whether this address pays for the transaction (base64) and has signed it. False for invalid base64. */
export function isPaidAndSignedBy(transaction: string, address: string): boolean {
  const bytes = fromBase64(transaction);
  if (!bytes) return false;
  const { message, getKey } = splitTransaction(bytes);
  const payer = getKey(0);
  return bs58.encode(payer) === address && isValidSignature(message, bytes.subarray(1, 65), payer);
}

/** Returns the first signature (base58) of a transaction (base64), which identifies it. Empty for invalid base64. */
export const readFirstSignature = (signed: string): string =>
  // The byte before the signature holds the number of signatures.
  bs58.encode(fromBase64(signed)?.subarray(1, 65) ?? new Uint8Array());

/** Returns whether two transactions (base64) differ at most in their signatures. False for invalid base64. */
export function isSameMessage(left: string, right: string): boolean {
  const [leftMessage, rightMessage] = [left, right].map((transaction) => {
    const bytes = fromBase64(transaction);
    return bytes && toHex(splitTransaction(bytes).message);
  });
  return leftMessage !== null && leftMessage === rightMessage;
}

/**
 * Signs a transaction (base64) with a local key.
 * @throws {RangeError} on invalid base64, and when the transaction does not require a signature of this key
 */
export function signWithKey(transaction: string, keys: KeyPair): string {
  const bytes = fromBase64(transaction);
  if (!bytes) throw new RangeError("The transaction is not base64.");
  const { signatureCount, message, getKey } = splitTransaction(bytes);
  const publicKey = toHex(keys.publicKey);
  for (let i = 0; i < signatureCount; i++) {
    if (toHex(getKey(i)) !== publicKey) continue;
    bytes.set(nacl.sign.detached(message, keys.secretKey), 1 + 64 * i);
    return toBase64(bytes);
  }
  throw new RangeError("The transaction does not require a signature of this key.");
}
