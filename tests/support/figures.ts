import type { TransactionFigures } from "../../lib/ports";

/** Of a transaction whose instructions say nothing: only its balances do. */
export const NO_ORDERS = {
  movements: [],
  innerMovements: [],
  created: [],
  staked: [],
  signers: [],
  programs: [],
  marks: [],
} satisfies Partial<TransactionFigures>;
