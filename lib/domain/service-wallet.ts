import { ed25519 } from "@noble/curves/ed25519";
import { hkdf } from "@noble/hashes/hkdf";
import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { utf8 } from "../solana/bytes";

/** How a service wallet comes from its owner's signature; published, so that every client derives the same key. */
export const SERVICE_WALLET_KDF = {
  name: "HKDF-SHA256",
  ikm: "the 64 bytes of the owner's Ed25519 signature over `message`",
  salt: "roundup/service-wallet/v1",
  info: "solana:<owner base58>:<index>",
  length: 32,
  output: "Ed25519 seed of the service wallet",
} as const;

/**
 * The Ed25519 seed of an owner's service wallet. Secret: zero it after use.
 * @param signature the owner's 64-byte signature over serviceWalletText
 * @param index 0…255, one wallet each
 * @throws {RangeError} on a signature of another length or an index out of range
 */
export function serviceWalletSeed(signature: Uint8Array, owner: string, index: number): Uint8Array {
  if (signature.length !== 64) throw new RangeError("a signature has 64 bytes");
  if (!Number.isInteger(index) || index < 0 || index > 255) throw new RangeError("index is 0…255");
  return hkdf(sha256, signature, utf8(SERVICE_WALLET_KDF.salt), utf8(`solana:${owner}:${index}`), 32);
}

/** Public key, base58, of the service wallet; the seed is zeroed before this returns. */
export function serviceWalletPublicKey(signature: Uint8Array, owner: string, index: number): string {
  const seed = serviceWalletSeed(signature, owner, index);
  try {
    return bs58.encode(ed25519.getPublicKey(seed));
  } finally {
    seed.fill(0);
  }
}
