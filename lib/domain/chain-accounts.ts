/** The state of an account on the chain. `owner` is the program that controls it. */
export interface AccountState {
  lamports: bigint;
  owner: string;
  data: Uint8Array;
}

/** A token account of a wallet, with its balance. */
export interface TokenHolding {
  /** Address of the token account, base58. */
  address: string;
  mint: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** The token program of the mint. */
  tokenProgram: string;
}
