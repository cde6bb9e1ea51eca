/** Cryptographic randomness. */
export interface Random {
  /** Returns `length` random bytes. */
  bytes(length: number): Uint8Array;
}
