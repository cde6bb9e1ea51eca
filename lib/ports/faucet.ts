/** Gives play money and a payment history to wallets of the sandbox. */
export interface Faucet {
  /**
   * Sends SOL to a wallet.
   * @throws AppError invalid_request when the account would be left under the rent-exempt minimum
   */
  airdrop(address: string, lamports: bigint): Promise<{ txSignature: string }>;
  /**
   * Adds payments to shops over the last month to the wallet's history, unless it has a history.
   * @returns the number of payments
   */
  addHistory(address: string): Promise<number>;
}
