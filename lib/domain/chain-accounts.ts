/** The state of an account on the chain. `owner` is the program that controls it. */
export interface AccountState {
  lamports: bigint;
  owner: string;
  data: Uint8Array;
  executable: boolean;
}

/** A token account of a wallet, with its balance. */
export interface TokenHolding {
  /** Token account address. */
  account: string;
  mint: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
  /** The token program of the mint. */
  program: string;
}
