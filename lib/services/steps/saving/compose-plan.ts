import type { Deps } from "../../../ports/deps";
import type { BlockhashInfo } from "../../../ports/solana-rpc";
import { buildBudgetInstructions, type PriorityFee } from "../../../solana/budget";
import { toBase64 } from "../../../solana/bytes";
import type { InstructionLike } from "../../../solana/instructions";
import { readBudget } from "../budget";
import { composeUnique } from "../relay/compose-unique";

export interface InstructionPlan {
  /** Signs, and pays the network fee. */
  payer: string;
  instructions: InstructionLike[];
  balanceLamports: bigint;
  /** Lamports that leave the payer, without the network fee. */
  paidLamports: bigint;
  hasTokens: boolean;
}

/** The answer fields of a build that has nothing to sign. */
export const NOTHING_BUILT = {
  instructions: [],
  transaction: null,
  unsigned: null,
  computeUnits: 0,
  affordable: true,
  shortOf: null,
};

/** Composes the transaction of a plan. @returns the answer fields of a build, and its costs in lamports */
export async function composePlan(
  deps: Deps,
  { payer, instructions, balanceLamports, paidLamports, hasTokens }: InstructionPlan,
  chain: { rentLamports: bigint; blockhash: BlockhashInfo; priority: PriorityFee },
) {
  const { rentLamports, blockhash, priority } = chain;
  const parts = { payer, instructions, blockhash: blockhash.blockhash };
  const spareLamports = hasTokens ? balanceLamports - paidLamports - rentLamports : -1n;
  const budget = await readBudget(deps, parts, priority, spareLamports);
  const { networkFeeLamports } = budget;
  const costLamports = paidLamports + networkFeeLamports;
  // The runtime checks twice that the payer is rent-exempt or empty: after the network fee, and at the end.
  const hasLamports = [balanceLamports - networkFeeLamports, balanceLamports - costLamports].every(
    (remainder) => remainder === 0n || remainder >= rentLamports,
  );
  const allInstructions = [...buildBudgetInstructions(budget), ...instructions];
  const { transactions, ...validity } = await composeUnique(deps, payer, [allInstructions], blockhash);
  const unsigned = { base64: toBase64(transactions[0]!), ...validity };
  return {
    instructions,
    transaction: unsigned,
    unsigned,
    computeUnits: budget.unitLimit,
    affordable: hasTokens && hasLamports,
    shortOf: !hasTokens ? ("USDC" as const) : hasLamports ? null : ("SOL" as const),
    networkFeeLamports: Number(networkFeeLamports),
    totalLamports: Number(costLamports),
  };
}
