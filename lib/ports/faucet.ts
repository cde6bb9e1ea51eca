/** The sandbox's own taps; absent on a real network. */
export interface Faucet {
  /** @throws AppError invalid_request when the account would be left under the rent-exempt minimum */
  airdrop(address: string, lamports: bigint): Promise<{ txSignature: string }>;
  /** Lets the wallet have paid shops over the last month, unless it has a past. @returns how many times */
  addHistory(address: string): Promise<number>;
}
