/** An Ed25519 key pair in tweetnacl's format. */
export interface KeyPair {
  /** 32 bytes. */
  publicKey: Uint8Array;
  /** 64 bytes: the seed, then the public key. */
  secretKey: Uint8Array;
}
