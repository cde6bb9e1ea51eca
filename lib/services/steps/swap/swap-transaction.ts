import type { SwapTerms } from "../../../domain/swap/swap-check";
import type { SwapPlan, SwapRequest } from "../../../domain/swap/swap-plan";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { fromBase64, toBase64 } from "../../../solana/bytes";
import {
  getMaxPrice,
  MAX_COMPUTE_UNITS,
  readUnitPrice,
  setComputeUnitLimit,
  setComputeUnitPrice,
} from "../../../solana/compute-budget";
import { computeNetworkFee } from "../../../solana/fees";
import type { InstructionLike } from "../../../solana/instructions";
import { composeTransaction } from "../../../solana/transactions";
import { recordHeight } from "../relay/build-records";
import { describeRuntimeError } from "../relay/runtime-error";
import { checkDraft, checkOutcome, listExpectedAccounts, verifyTablesAndReadAccounts } from "./swap-guard";

/*
 * Builds the transaction of a swap.
 *
 * The problem: the aggregator's plan may be too large, may fail, or may cost the wallet more than the terms.
 * The invariant: a swap is returned only after its instructions and its simulated outcome were checked (swap-guard).
 * How it is kept: a draft without a priority fee is checked and simulated. The result differs from the draft only in
 * its blockhash, compute unit limit and capped unit price.
 * Example: the draft of a swap uses 150,000 units. The result gets a limit of 180,000, and its unit price is capped so
 * that the priority fee stays under the configured maximum.
 */

/**
 * Compute unit limit in percent of the units that the simulation used. The state may change before landing. Source:
 * Jupiter's guidance.
 */
const UNIT_MARGIN_PERCENT = 120;

/** Account limits to try in order if a route is too large for a transaction. Jupiter's default is 64 accounts. */
const ACCOUNT_LIMITS = [40, 26];

/** A placeholder of 32 bytes. The simulation of an unsigned transaction replaces it with the newest blockhash. */
const PLACEHOLDER_BLOCKHASH = "11111111111111111111111111111111";

/**
 * Plans a swap whose transaction fits into 1,232 bytes. Returns the last plan tried if none fits.
 * @throws AppError no_route, upstream_*
 */
export async function planFittingSwap({ swaps }: Deps, request: SwapRequest & { taker: string }): Promise<SwapPlan> {
  let plan = await swaps.planSwap(request);
  for (const maxAccounts of ACCOUNT_LIMITS) {
    if (fitsTransaction(request.taker, plan)) break;
    plan = await swaps.planSwap({ ...request, maxAccounts });
  }
  return plan;
}

function fitsTransaction(wallet: string, plan: SwapPlan): boolean {
  try {
    composeSwap(wallet, plan, DRAFT);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Composes a planned swap, checks its instructions and its simulated outcome, and sets its compute unit limit.
 * @returns the unsigned transaction as builds list it, and its base fee plus the highest possible priority fee
 * @throws AppError simulation_failed when it would fail now; upstream_invalid when the plan does not fit a transaction,
 * is not a swap of these terms, or would leave the wallet with less than the terms promise
 */
export async function buildVerifiedSwap(deps: Deps, terms: SwapTerms, plan: SwapPlan) {
  const { maxPriorityFeeLamports } = deps;
  const draft = composeSwap(terms.wallet, plan, DRAFT);
  checkDraft(deps.network, draft, terms);
  const expected = listExpectedAccounts(draft, terms);
  const [before, first, latest] = await Promise.all([
    verifyTablesAndReadAccounts(deps, draft, terms),
    deps.rpc.simulate(draft.bytes, { verifySignatures: false, accounts: expected }),
    // Taken from our own node, not from the aggregator: the expiry of the swap is decided by this height.
    deps.rpc.readLatestBlockhash(),
  ]);
  // The chain may show more accounts of the wallet than expected. The simulation must then report on those too.
  const simulation =
    before.size === expected.length
      ? first
      : await deps.rpc.simulate(draft.bytes, { verifySignatures: false, accounts: [...before.keys()] });
  if (simulation.error !== null) {
    throw new AppError("simulation_failed", {
      message: `The swap would fail now: ${describeRuntimeError(simulation.error)}`,
    });
  }
  checkOutcome(before, simulation.accounts ?? [], terms, computeNetworkFee(1, MAX_COMPUTE_UNITS, draft.unitPrice));
  const used = simulation.unitsConsumed ?? MAX_COMPUTE_UNITS;
  const units = Math.min(MAX_COMPUTE_UNITS, Math.max(1, Math.ceil((used * UNIT_MARGIN_PERCENT) / 100)));
  const { blockhash, lastValidBlockHeight } = latest;
  const { bytes, unitPrice } = composeSwap(terms.wallet, plan, { units, blockhash, maxPriorityFeeLamports });
  await recordHeight(deps, latest);
  const base64 = toBase64(bytes);
  return {
    transaction: base64,
    lastValidBlockHeight,
    unsigned: { base64, blockhash, lastValidBlockHeight },
    networkFeeLamports: computeNetworkFee(1, units, unitPrice),
  };
}

interface Composition {
  units: number;
  blockhash: string;
  maxPriorityFeeLamports: bigint;
}

/** Draft for the simulation. With a priority fee for all units, a wallet that can just pay the final fee would fail. */
const DRAFT: Composition = { units: MAX_COMPUTE_UNITS, blockhash: PLACEHOLDER_BLOCKHASH, maxPriorityFeeLamports: 0n };

/** Composes the transaction of a plan and caps its unit price. @throws AppError upstream_invalid if it does not fit */
function composeSwap(payer: string, plan: SwapPlan, { units, blockhash, maxPriorityFeeLamports }: Composition) {
  const maxPrice = getMaxPrice(units, maxPriorityFeeLamports);
  const instructions = [
    setComputeUnitLimit(units),
    ...plan.instructions.map((instruction) => capPrice(instruction, maxPrice)),
  ];
  const unitPrice = instructions.reduce((price, instruction) => price + (readPrice(instruction) ?? 0n), 0n);
  try {
    const { lookupTables } = plan;
    return { ...composeTransaction({ payer, instructions, blockhash, lookupTables }), instructions, unitPrice };
  } catch (cause) {
    throw new AppError("upstream_invalid", { cause });
  }
}

const readPrice = ({ programId, data }: InstructionLike) =>
  readUnitPrice({ program: programId, data: fromBase64(data) ?? new Uint8Array() });

function capPrice(instruction: InstructionLike, maxPrice: bigint): InstructionLike {
  return (readPrice(instruction) ?? 0n) > maxPrice ? setComputeUnitPrice(maxPrice) : instruction;
}
