/** The state of the account at an address. */
export interface AccountState {
  lamports: bigint;
  owner: string;
  data: Uint8Array;
  executable: boolean;
}

export interface TokenHolding {
  /** Token account address. */
  account: string;
  mint: string;
  /** Base units. */
  amount: bigint;
  decimals: number;
  program: string;
}
