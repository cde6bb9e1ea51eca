export interface PriorityFees {
  /** Returns micro-lamports per compute unit for a transaction that writes to these accounts; 0 when unknown. */
  readUnitPrice(accounts: string[]): Promise<bigint>;
}
