import {
  addDraftBudget,
  buildBudgetInstructions,
  type ComputeBudget,
  chooseBudget,
  computeDoubledUnits,
  describeCharge,
  describeShape,
  type PricedBudget,
  type PriorityFee,
  toDecoded,
} from "../../solana/budget";
import type { InstructionLike } from "../../solana/instructions";
import { computeHighestFee, isPlausibleFee } from "../../solana/read-transaction";
import { composeTransaction } from "../../solana/transactions";
import { type Funds, planAffordableWithdrawal, type WithdrawalPlan, type WithdrawalRequest } from "./withdraw-plan";
import type { FoundAccounts } from "./withdraw-sources";
import type { WithdrawalEnds } from "./withdrawal";

/*
 * Plans a withdrawal with the network's own fees.
 *
 * The problem: a plan that ends at 0 fails if the network charges one lamport more or less than the plan says. The fee
 * depends on the compute units that a transaction asks for, and both are known only after the plan.
 * The invariant: each transaction of a finished plan has a measured fee, or the highest fee that its bytes allow.
 * How it is kept: the first plan assumes that nothing is charged. A node then measures the transactions of all choices
 * that the plan compared, and the next plan uses these numbers, until none is missing. The plan therefore rejects a choice
 * only for a measured reason.
 * Example: a wallet holds 1,000,000 lamports. The first plan sends all of them. A node names a fee of 5,000 for that
 * message, so the second plan sends 995,000.
 */

/** What a node says of a transaction. Null where it does not know. */
export interface FeeNode {
  /** Returns the units that a draft with these instructions used. */
  readUnits(instructions: InstructionLike[], draft: Uint8Array): Promise<number | null>;
  /** Returns what the network charges for a message, lamports. */
  readFee(message: Uint8Array): Promise<bigint | null>;
}

/** Limit of the rounds of planning and measuring. There are at most 8 choices, with 2 measurements each. */
const MAX_ROUNDS = 16;

export interface WithdrawalPlanner {
  /** @throws as the node does */
  plan(): Promise<WithdrawalPlan>;
  /** Sets what the network charges for the first transaction of a plan, unless no network can. The next plan uses it. */
  correctFee(plan: WithdrawalPlan, feeLamports: bigint): void;
  /** Makes the next plan ask for twice the units for transactions of the first one's shape. */
  doubleUnits(plan: WithdrawalPlan): void;
}

/** Creates the planner of one withdrawal. @param blockhash a blockhash that the node knows */
export function createWithdrawalPlanner(
  node: FeeNode,
  ends: WithdrawalEnds,
  accounts: FoundAccounts,
  request: WithdrawalRequest,
  funds: Omit<Funds, "priceTransaction">,
  blockhash: string,
): WithdrawalPlanner {
  /** The units of each shape; null where no node could tell. */
  const unitsByShape = new Map<string, number | null>();
  const feeByCharge = new Map<string, bigint>();
  const toShape = (draft: InstructionLike[]) => describeShape(draft.map(toDecoded));
  // Transactions of one shape and charge cost the same. A wallet with much dust then needs a few fees, not one for each.
  const toCharge = (draft: InstructionLike[], budget: ComputeBudget) =>
    `${toShape(draft)} ${describeCharge(draft, budget)}`;
  const compose = (instructions: InstructionLike[]) =>
    composeTransaction({ payer: ends.wallet, instructions, blockhash });
  const composePriced = (draft: InstructionLike[], budget: ComputeBudget) =>
    compose([...buildBudgetInstructions(budget), ...draft]);

  /** Returns a call that measures a transaction: first its units, then its fee. Returns null if both are known. */
  const findUnknown = (draft: InstructionLike[], budget: ComputeBudget): (() => Promise<void>) | null => {
    const [shape, charge] = [toShape(draft), toCharge(draft, budget)];
    if (!unitsByShape.has(shape))
      return async () => {
        const readUnits = (part: number) => node.readUnits(draft, compose(addDraftBudget(draft, part)).bytes);
        // A wallet that cannot pay for all units of a draft can often pay for a quarter, which most transactions use.
        unitsByShape.set(shape, (await readUnits(1)) ?? (await readUnits(1 / 4)));
      };
    if (feeByCharge.has(charge)) return null;
    return async () => {
      const { bytes, message } = composePriced(draft, budget);
      const fee = await node.readFee(message);
      feeByCharge.set(charge, fee !== null && isPlausibleFee(fee, message) ? fee : computeHighestFee(bytes));
    };
  };

  return {
    async plan() {
      const isEmpty = funds.balanceLamports === 0n && accounts.sources.length === 0;
      for (let round = 1; ; round++) {
        const unknowns = new Map<string, () => Promise<void>>();
        const priceTransaction = (draft: InstructionLike[], priority: PriorityFee): PricedBudget => {
          const budget = chooseBudget(draft, priority, unitsByShape.get(toShape(draft)));
          const unknown = findUnknown(draft, budget);
          if (unknown) unknowns.set(toCharge(draft, budget), unknown);
          return { ...budget, networkFeeLamports: feeByCharge.get(toCharge(draft, budget)) ?? 0n };
        };
        const plan = planAffordableWithdrawal(ends, accounts, request, { ...funds, priceTransaction });
        if (unknowns.size === 0 || isEmpty || round === MAX_ROUNDS) return plan;
        await Promise.all([...unknowns.values()].map((measure) => measure()));
      }
    },
    doubleUnits({ withdrawal: { drafts, budgets } }) {
      unitsByShape.set(toShape(drafts[0]!), computeDoubledUnits(budgets[0]!.unitLimit));
    },
    correctFee({ withdrawal: { drafts, budgets } }, feeLamports) {
      const [draft, budget] = [drafts[0]!, budgets[0]!];
      if (isPlausibleFee(feeLamports, composePriced(draft, budget).message))
        feeByCharge.set(toCharge(draft, budget), feeLamports);
    },
  };
}
