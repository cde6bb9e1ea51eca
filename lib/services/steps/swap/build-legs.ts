import { ASSETS, type AssetSymbol } from "../../../domain/assets";
import type { Prices } from "../../../domain/prices/prices";
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
import { toQuote } from "./quote";
import { checkDraft, checkOutcome, listExpectedAccounts, verifyTablesAndReadAccounts } from "./swap-guard";

interface SwapLeg {
  asset: AssetSymbol;
  /** Base units of the sold asset. */
  amount: bigint;
}

interface LegTerms {
  wallet: string;
  soldAsset: AssetSymbol;
  slippageBps: number;
  /** The token accounts of the bought assets that are open already. */
  openAccounts: readonly string[];
  prices: Prices;
}

/**
 * Plans one swap for each leg, checks all offers against the prices, and builds verified transactions.
 * @returns `swaps`: in the order of the legs; empty with a `warning`, which says why they are not built: the venue's
 * offer for one of them is worth less than the price allows
 * @throws AppError no_route, simulation_failed, upstream_*
 */
export async function buildLegs(deps: Deps, terms: LegTerms, legs: readonly SwapLeg[]) {
  const { wallet, soldAsset, slippageBps, openAccounts, prices } = terms;
  const inputMint = ASSETS[soldAsset].mint;
  const offers = await Promise.all(
    legs.map(async ({ asset, amount }) => {
      const mints = { inputMint, outputMint: ASSETS[asset].mint };
      const plan = await planFittingSwap(deps, { ...mints, amount, slippageBps, taker: wallet });
      return { mints, plan, quote: toQuote(plan, soldAsset, asset, prices) };
    }),
  );
  const warning = offers.find(({ quote }) => quote.warning !== null)?.quote.warning ?? null;
  if (warning !== null) return { swaps: [], networkFeeLamports: 0n, warning };
  const builtSwaps = await Promise.all(
    offers.map(async ({ mints, plan, quote }) => {
      const { inputAmount, minimumOutputAmount: minimumOutput } = plan;
      const swapTerms = { ...mints, wallet, inputAmount, minimumOutput, slippageBps };
      const builtSwap = await buildVerifiedSwap(deps, swapTerms, dropNeedlessOpenings(plan, openAccounts));
      return { ...builtSwap, inputMint, inputAmount: inputAmount.toString(), quote };
    }),
  );
  return {
    swaps: builtSwaps.map(({ networkFeeLamports: _, ...swap }) => swap),
    networkFeeLamports: builtSwaps.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n),
    warning,
  };
}

/*
 * Builds the transaction of a swap. A draft without a priority fee is checked and simulated (swap-guard). The result
 * differs from the draft only in its blockhash, compute unit limit and capped unit price.
 */

/** Enough for a swap through one venue. */
const FEW_SWAP_UNITS = 100_000;

/** Account limits to try in order if a route is too large for a transaction. Jupiter's default is 64 accounts. */
const ACCOUNT_LIMITS = [40, 26];

/** A placeholder of 32 bytes. The simulation of an unsigned transaction replaces it with the newest blockhash. */
const PLACEHOLDER_BLOCKHASH = "11111111111111111111111111111111";

/**
 * Plans a swap whose transaction fits into 1,232 bytes. Returns the last plan tried if none fits.
 * @throws AppError no_route, upstream_*
 */
async function planFittingSwap({ swaps }: Deps, request: SwapRequest & { taker: string }): Promise<SwapPlan> {
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
function dropNeedlessOpenings(plan: SwapPlan, existingAccounts: readonly string[]): SwapPlan {
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
async function buildVerifiedSwap(deps: Deps, terms: SwapTerms, plan: SwapPlan) {
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
