/** The state of an account on the chain. `owner` is the program that controls it. */
export interface AccountState {
  lamports: bigint;
  owner: string;
  data: Uint8Array;
}

export interface TokenHolding {
  /** Address of the token account, base58. */
  address: string;
  mint: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
  tokenProgram: string;
}
