import { ed25519 } from "@noble/curves/ed25519";
import { hkdf } from "@noble/hashes/hkdf";
import { sha256 } from "@noble/hashes/sha2";
import bs58 from "bs58";
import { encodeUtf8 } from "../solana/bytes";
import type { SignatureForm } from "../solana/offchain-message";

/** Derivation of a service wallet from its owner's signature. Published so that every client derives the same key. */
export const SERVICE_WALLET_KDF = {
  name: "HKDF-SHA256",
  ikm: "the 64 bytes of the owner's Ed25519 signature over `message`",
  salt: "roundup/service-wallet/v1",
  info: "solana:<owner base58>:<index>",
  offchainInfo: "solana:<owner base58>:<index>:<form>",
  length: 32,
  output: "Ed25519 seed of the service wallet",
} as const;

/**
 * Derives the Ed25519 seed of an owner's service wallet. The seed is secret: zero it after use.
 * @param signature the owner's 64-byte signature over the result of createServiceWalletText
 * @param index 0…255; each index is a different wallet
 * @param form what the owner signed; each form is a different wallet
 * @throws {RangeError} on a signature of another length or an index out of range
 */
export function deriveServiceWalletSeed(
  signature: Uint8Array,
  owner: string,
  index: number,
  form: SignatureForm = "plain",
): Uint8Array {
  if (signature.length !== 64) throw new RangeError("the signature must have 64 bytes");
  if (!Number.isInteger(index) || index < 0 || index > 255) throw new RangeError("index must be 0…255");
  const info = `solana:${owner}:${index}${form === "plain" ? "" : `:${form}`}`;
  return hkdf(sha256, signature, encodeUtf8(SERVICE_WALLET_KDF.salt), encodeUtf8(info), 32);
}

/** Returns the service wallet's public key, base58. Zeroes the seed. @throws {RangeError} as deriveServiceWalletSeed */
export function deriveServiceWalletPublicKey(
  ...[signature, owner, index, form]: Parameters<typeof deriveServiceWalletSeed>
): string {
  const seed = deriveServiceWalletSeed(signature, owner, index, form);
  try {
    return bs58.encode(ed25519.getPublicKey(seed));
  } finally {
    seed.fill(0);
  }
}
