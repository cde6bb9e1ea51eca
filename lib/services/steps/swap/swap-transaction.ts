import type { SwapTerms } from "../../../domain/swap/swap-check";
import type { SwapPlan, SwapRequest } from "../../../domain/swap/swap-plan";
import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import { addUnitMargin, isOutOfUnits } from "../../../solana/budget";
import { fromBase64, toBase64 } from "../../../solana/bytes";
import {
  buildSetComputeUnitLimit,
  buildSetComputeUnitPrice,
  computeMaxUnitPrice,
  MAX_COMPUTE_UNITS,
  readUnitPrice,
} from "../../../solana/compute-budget";
import type { InstructionLike } from "../../../solana/instructions";
import { computeHighestFee } from "../../../solana/read-transaction";
import { readOpenAccount } from "../../../solana/token-instructions";
import { composeTransaction } from "../../../solana/transactions";
import { recordHeight } from "../../records/message-records";
import { readFee, TYPICAL_SWAP_UNITS } from "../budget";
import { toValidity } from "../relay/compose-unique";
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

/** Enough compute units for a swap through one venue. */
const FEW_SWAP_UNITS = 100_000;

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

function fitsTransaction(taker: string, plan: SwapPlan): boolean {
  try {
    composeSwap(taker, plan, DRAFT_SETTINGS);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/**
 * Drops the openings of token accounts that exist already. Bytes alone do not show that an account exists, so a client's
 * review would show a deposit for each opening.
 */
export function dropNeedlessOpenings(plan: SwapPlan, existingAccounts: readonly string[]): SwapPlan {
  const isNeeded = ({ programId, accounts, data }: InstructionLike) => {
    const keys = accounts.map(({ pubkey }) => pubkey);
    const opened = readOpenAccount({ program: programId, accounts: keys, data: fromBase64(data) ?? new Uint8Array() });
    return !existingAccounts.some((account) => account === opened?.account);
  };
  return { ...plan, instructions: plan.instructions.filter(isNeeded) };
}

/**
 * Composes a planned swap, checks its instructions and its simulated outcome, and sets its compute unit limit.
 * @returns the unsigned transaction, the block height at which it expires, and its highest network fee in lamports
 * @throws AppError simulation_failed when the swap would fail now; upstream_invalid when the plan does not fit a
 * transaction, is not a swap of these terms, or would leave the wallet with less than the terms promise
 */
export async function buildVerifiedSwap(deps: Deps, terms: SwapTerms, plan: SwapPlan) {
  const draft = composeSwap(terms.wallet, plan, DRAFT_SETTINGS);
  checkDraft(deps.network, draft, terms);
  const expectedAddresses = listExpectedAccounts(draft, terms);
  const [accountsBefore, firstSimulation, latestBlockhash] = await Promise.all([
    verifyTablesAndReadAccounts(deps, draft, terms),
    deps.rpc.simulate(draft.bytes, { verifySignatures: false, accounts: expectedAddresses }),
    // Read the blockhash from our own node, not from the aggregator, because its height decides when the swap expires.
    deps.rpc.readLatestBlockhash(),
  ]);
  // The chain may show more accounts of the wallet than expected. The simulation must then report on those too.
  const { error } = firstSimulation;
  const isComplete = accountsBefore.size === expectedAddresses.length && error === null;
  // A failed draft is simulated once more: with all units if it lacked some, otherwise with few, because the wallet may
  // be unable to pay for the units of the first draft.
  const unitLimitOfNext =
    error === null ? TYPICAL_SWAP_UNITS : isOutOfUnits(error) ? MAX_COMPUTE_UNITS : FEW_SWAP_UNITS;
  const draftBytes = composeSwap(terms.wallet, plan, { ...DRAFT_SETTINGS, unitLimit: unitLimitOfNext }).bytes;
  const simulation = isComplete
    ? firstSimulation
    : await deps.rpc.simulate(draftBytes, { verifySignatures: false, accounts: [...accountsBefore.keys()] });
  if (simulation.error !== null) {
    throw new AppError("simulation_failed", {
      message: `The swap would fail now: ${describeRuntimeError(simulation.error)}`,
    });
  }
  const draftFee = simulation.feeLamports ?? computeHighestFee(draftBytes);
  checkOutcome(accountsBefore, simulation.accounts ?? [], terms, draftFee);
  const unitLimit = Math.min(MAX_COMPUTE_UNITS, addUnitMargin(simulation.unitsConsumed ?? MAX_COMPUTE_UNITS));
  const validity = toValidity(deps, latestBlockhash);
  const settings = { unitLimit, blockhash: validity.blockhash, maxPriorityFeeLamports: deps.maxPriorityFeeLamports };
  const { bytes, message } = composeSwap(terms.wallet, plan, settings);
  await recordHeight(deps, latestBlockhash);
  const base64 = toBase64(bytes);
  return {
    transaction: base64,
    lastValidBlockHeight: validity.lastValidBlockHeight,
    unsigned: { base64, ...validity },
    networkFeeLamports: (await readFee(deps, message)) ?? computeHighestFee(bytes),
  };
}

interface ComposeSettings {
  unitLimit: number;
  blockhash: string;
  maxPriorityFeeLamports: bigint;
}

/**
 * The settings of the draft that is simulated. The draft pays no priority fee, and asks for the units of most swaps: a
 * fee for all units could be more than the wallet can pay, although the wallet can pay the fee of the result.
 */
const DRAFT_SETTINGS: ComposeSettings = {
  unitLimit: TYPICAL_SWAP_UNITS,
  blockhash: PLACEHOLDER_BLOCKHASH,
  maxPriorityFeeLamports: 0n,
};

/**
 * Composes the transaction of a plan. Caps its unit price, which is in micro-lamports per compute unit.
 * @throws AppError upstream_invalid if the transaction does not fit
 */
function composeSwap(taker: string, plan: SwapPlan, { unitLimit, blockhash, maxPriorityFeeLamports }: ComposeSettings) {
  const maxUnitPrice = computeMaxUnitPrice(unitLimit, maxPriorityFeeLamports);
  const instructions = [
    buildSetComputeUnitLimit(unitLimit),
    ...plan.instructions.map((instruction) =>
      (readInstructionPrice(instruction) ?? 0n) > maxUnitPrice ? buildSetComputeUnitPrice(maxUnitPrice) : instruction,
    ),
  ];
  try {
    const { lookupTables } = plan;
    return { ...composeTransaction({ payer: taker, instructions, blockhash, lookupTables }), instructions };
  } catch (cause) {
    throw new AppError("upstream_invalid", { cause });
  }
}

const readInstructionPrice = ({ programId, data }: InstructionLike) =>
  readUnitPrice({ program: programId, data: fromBase64(data) ?? new Uint8Array() });
