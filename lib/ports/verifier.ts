import type { SignatureForm } from "../domain/signed-texts";

/**
 * Verifies Ed25519 signatures strictly (canonical encodings only, no small-order keys, S below the group order), and
 * computes SHA-256.
 */
export interface Verifier {
  /** @param publicKey 32 bytes @param signature 64 bytes */
  verify(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean;
  /**
   * Verifies a wallet's signature over one of the fixed texts. Caches valid results under hashes, so that no signature
   * stays in memory.
   * @param form what the wallet must have signed; default: the text's plain bytes
   */
  verifyText(wallet: string, text: string, signatureBase64: string, form?: SignatureForm): boolean;
  /** Returns the SHA-256 digest of the bytes, as hex. */
  digest(bytes: Uint8Array): string;
}
