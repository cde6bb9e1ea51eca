/** Gives play money and a payment history to wallets of the sandbox. Signatures are base58. */
export interface Faucet {
  /** @throws AppError invalid_request when the account would be left under the rent-exempt minimum */
  airdrop(address: string, lamports: bigint): Promise<{ txSignature: string }>;
  /** Sends base units of USDC to a wallet and opens its associated account. */
  airdropUsdc(address: string, amount: bigint): Promise<{ txSignature: string }>;
  /**
   * Adds payments to shops over the last month to the wallet's history.
   * @returns the number of added payments; 0 when the wallet already has a history
   * @throws AppError invalid_address when the address is not that of a wallet
   */
  addPastPayments(address: string): Promise<number>;
}
