/** Cryptographic randomness. */
export interface Random {
  /** Returns this many random bytes. */
  bytes(length: number): Uint8Array;
}
