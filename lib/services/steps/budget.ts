import { untilCaughtUp } from "../../domain/catch-up";
import type { Deps } from "../../ports/deps";
import {
  addDraftBudget,
  addUnitMargin,
  buildBudgetInstructions,
  chooseBudget,
  computeDoubledUnits,
  describeCharge,
  describeShape,
  NO_PRIORITY_FEE,
  type PricedBudget,
  type PriorityFee,
  toDecoded,
} from "../../solana/budget";
import { toBase64 } from "../../solana/bytes";
import { buildSetComputeUnitLimit } from "../../solana/compute-budget";
import type { DecodedInstruction, InstructionLike } from "../../solana/instructions";
import { computeHighestFee, readTransaction } from "../../solana/read-transaction";
import { buildSystemTransfer } from "../../solana/system-instructions";
import { composeTransaction } from "../../solana/transactions";

/*
 * Chooses the compute units of a transaction, and reads what the network charges for it.
 *
 * Too few units fail the transaction, too many cost money, and the rules of charging change. So no fee is a constant: a
 * transaction asks for the units that its shape used in a simulation, and a margin. Units are measured once a shape, and
 * fees once a shape, limit and price. A transaction that fails for lack of units doubles the limit of its shape.
 */

export async function readPriority(
  { priorityFees, maxPriorityFeeLamports }: Deps,
  accounts: string[],
): Promise<PriorityFee> {
  if (!priorityFees) return NO_PRIORITY_FEE;
  return { unitPrice: await priorityFees.readUnitPrice(accounts), maxLamports: maxPriorityFeeLamports };
}

/**
 * Chooses the budget of a transaction that leaves its payer at least the rent minimum.
 * @param spareLamports what the payer has left for the network's fee. A simulation that it cannot pay for is left out
 */
export async function readBudget(
  deps: Deps,
  parts: { payer: string; instructions: InstructionLike[]; blockhash: string },
  priority: PriorityFee,
  spareLamports: bigint,
): Promise<PricedBudget> {
  const { instructions } = parts;
  const usedUnits = await readUsedUnits(deps, instructions.map(toDecoded), async () => {
    const draft = composeTransaction({ ...parts, instructions: addDraftBudget(instructions) }).bytes;
    return spareLamports < computeHighestFee(draft) ? null : simulateUnits(deps, draft);
  });
  const budget = chooseBudget(instructions, priority, usedUnits);
  const composePriced = () =>
    composeTransaction({ ...parts, instructions: [...buildBudgetInstructions(budget), ...instructions] });
  const networkFeeLamports = await readMeasuredFee(deps, describeCharge(instructions, budget), composePriced);
  // Not a leading spread, see COMMON_HEADERS in lib/http/respond.ts.
  return { networkFeeLamports, ...budget };
}

/** Most swaps use fewer compute units. */
export const TYPICAL_SWAP_UNITS = 400_000;

/** Returns what the network charges for a message, lamports; null while no node knows its blockhash. */
export const readFee = ({ rpc, clock }: Pick<Deps, "rpc" | "clock">, message: Uint8Array): Promise<bigint | null> =>
  untilCaughtUp(
    clock,
    () => rpc.readFee(message),
    (fee) => fee !== null,
  );

/** Returns what the network charges for a swap that is not planned yet, lamports, without priority. */
export async function readTypicalSwapFee(deps: Deps, payer: string): Promise<bigint> {
  const { measures, rpc } = deps;
  const composeDraft = (blockhash: string) => {
    const instructions = [buildSetComputeUnitLimit(TYPICAL_SWAP_UNITS), buildSystemTransfer(payer, payer, 0n)];
    return composeTransaction({ payer, instructions, blockhash });
  };
  const lamports = await measures.read("fee swap", async () => {
    const { blockhash } = await rpc.readLatestBlockhash();
    return toNumber(await readFee(deps, composeDraft(blockhash).message));
  });
  return lamports === null ? computeHighestFee(composeDraft(payer).bytes) : BigInt(lamports);
}

const toNumber = (lamports: bigint | null) => (lamports === null ? null : Number(lamports));

/** Returns the fee of transactions like this one. If no node tells it, returns the highest fee that the bytes allow. */
async function readMeasuredFee(
  deps: Deps,
  name: string,
  compose: () => ReturnType<typeof composeTransaction>,
): Promise<bigint> {
  const lamports = await deps.measures.read(`fee ${name}`, async () =>
    toNumber(await readFee(deps, compose().message)),
  );
  return lamports === null ? computeHighestFee(compose().bytes) : BigInt(lamports);
}

export const readUsedUnits = (
  { measures }: Pick<Deps, "measures">,
  instructions: DecodedInstruction[],
  measure: () => Promise<number | null>,
): Promise<number | null> => measures.read(toUnitsKey(instructions), measure);

const toUnitsKey = (instructions: DecodedInstruction[]) => `units ${describeShape(instructions)}`;

/** Simulates a draft. @returns the units that it used; null when it failed, or when the node does not report them */
export async function simulateUnits({ rpc }: Pick<Deps, "rpc">, draft: Uint8Array): Promise<number | null> {
  const { error, unitsConsumed } = await rpc.simulate(draft, { verifySignatures: false });
  return error === null ? unitsConsumed : null;
}

/**
 * Makes later builds of this shape ask for twice the units of a transaction that lacked units. Does nothing if builds
 * ask for more already: strangers may post such a transaction with any limit.
 */
export async function doubleUnits(deps: Deps, transaction: Uint8Array): Promise<void> {
  const { instructions, unitLimit } = readTransaction(toBase64(transaction));
  const usedUnits = await readUsedUnits(deps, instructions, async () => null);
  const programs = instructions.map(({ program }) => program);
  if (usedUnits === null || addUnitMargin(usedUnits, programs) > unitLimit) return;
  await deps.measures.write(toUnitsKey(instructions), computeDoubledUnits(unitLimit));
}
