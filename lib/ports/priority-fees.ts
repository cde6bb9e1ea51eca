/** What is worth offering beside the base fee. */
export interface PriorityFees {
  /** Micro-lamports for a compute unit, to write to these accounts soon; 0 where nobody can say. */
  unitPrice(accounts: string[]): Promise<bigint>;
}
