/** Strict Ed25519: canonical encodings only, no small-order keys, S below the group order; and SHA-256. */
export interface Verifier {
  /** @param publicKey 32 bytes @param signature 64 bytes */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /** A wallet's signature over one of the fixed texts, both as they came in; verified pairs are remembered (as keyed hashes). */
  verifyText(wallet: string, text: string, signatureBase64: string): boolean;
  /** SHA-256, hex. */
  digest(bytes: Uint8Array): string;
}
