/** An Ed25519 key pair, as tweetnacl has it. */
export interface KeyPair {
  /** 32 bytes. */
  publicKey: Uint8Array;
  /** 64 bytes: the seed, then the public key. */
  secretKey: Uint8Array;
}
