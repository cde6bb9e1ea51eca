import type { buildSwapContract } from "../contracts/build-swap";
import type { DataOf, InputOf } from "../contracts/define";
import type { Allocation } from "../domain/allocations";
import { ASSETS, type AssetSymbol, DEFAULT_ASSET } from "../domain/assets";
import {
  ceilToCents,
  clampToZero,
  computeLeastForPercent,
  lamportsToSol,
  pickLarger,
  takePercent,
  toMissingUsd,
} from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS, DEFAULT_THRESHOLD_USD } from "../domain/plans";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { NATIVE_MINT } from "../solana/programs";
import { refuseWhilePaused } from "./steps/pause";
import { requireSoundPrices, toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { toQuote } from "./steps/swap/quote";
import { readSwapBudget, type SwapBudget } from "./steps/swap/swap-budget";
import { buildVerifiedSwap, dropNeedlessOpenings, planFittingSwap } from "./steps/swap/swap-transaction";
import { compareWithThreshold } from "./steps/swap/threshold";

type Input = InputOf<typeof buildSwapContract>;
type Build = DataOf<typeof buildSwapContract>;

/**
 * Builds the swaps of a service wallet into its allocation, or explains why nothing can be swapped.
 * @throws AppError wallet_not_allowed, service_not_ready, price_stale, no_route, simulation_failed, upstream_*
 */
export async function buildSwap(deps: Deps, input: Input): Promise<Build> {
  const wallet = input.serviceWalletPubkey;
  if (deps.feeCollectors.includes(wallet)) throw new AppError("wallet_not_allowed");
  const legs: Allocation[] = input.allocations ?? [{ asset: input.targetAsset ?? DEFAULT_ASSET, pct: 100 }];
  const boughtLegs = legs.filter(({ asset }) => asset !== "SOL");
  const thresholdUsd = input.threshold ?? DEFAULT_THRESHOLD_USD;

  const assets = boughtLegs.map(({ asset }) => asset);
  const [prices, budget] = await Promise.all([
    requireSoundPrices(deps, assets),
    readSwapBudget(deps, wallet, assets),
    refuseWhilePaused(deps, "invest"),
  ]);
  const { balanceLamports, depositLamports, reserveLamports, maxFeeLamports, swappableLamports } = budget;
  const solPriceMicroUsd = toSolPriceMicroUsd(prices);
  const comparison = compareWithThreshold(balanceLamports, solPriceMicroUsd, thresholdUsd);
  const { balanceUsd, remainingUsd, thresholdLamports } = comparison;
  const neededLamports = boughtLegs.length === 0 ? 0n : computeNeededLamports(budget, thresholdLamports, legs);
  const neededUsd = toMissingUsd(neededLamports, solPriceMicroUsd);
  const inputLamportsByAsset = divideAmount(swappableLamports, legs);
  const reason = explainRefusal(boughtLegs, neededLamports, neededUsd, balanceLamports < thresholdLamports);

  const commonFields = {
    reason,
    balanceSol: lamportsToSol(balanceLamports),
    balanceUsd,
    threshold: thresholdUsd,
    remaining: remainingUsd,
    neededLamports: Number(neededLamports),
    neededUsd,
    swappableLamports: Number(swappableLamports),
  };
  const costs = { tokenAccountDepositLamports: Number(depositLamports), reserveLamports: Number(reserveLamports) };
  const notReady = {
    ...commonFields,
    ready: false,
    costs: { ...costs, networkFeeLamports: Number(maxFeeLamports) },
    transactions: [],
  };
  if (reason !== null) return notReady;

  const terms = { wallet, slippageBps: input.slippageBps ?? DEFAULT_SLIPPAGE_BPS };
  const offers = await Promise.all(
    boughtLegs.map(async ({ asset, pct }) => {
      const amounts = { amount: inputLamportsByAsset.get(asset)!, slippageBps: terms.slippageBps };
      const plan = await planFittingSwap(deps, { ...toMints(asset), ...amounts, taker: wallet });
      return { asset, pct, plan, quote: toQuote(plan, asset, prices) };
    }),
  );
  const warning = offers.find(({ quote }) => quote.warning !== null)?.quote.warning;
  if (warning) return { ...notReady, reason: warning };
  const swaps = await Promise.all(
    offers.map(async ({ plan, ...offer }) => {
      const { inputAmount, minimumOutputAmount: minimumOutput } = plan;
      const swapTerms = { ...terms, ...toMints(offer.asset), inputAmount, minimumOutput };
      const shortPlan = dropNeedlessOpenings(plan, budget.openAccounts);
      return { ...offer, inputLamports: Number(inputAmount), ...(await buildVerifiedSwap(deps, swapTerms, shortPlan)) };
    }),
  );
  const totalFeeLamports = swaps.reduce((sum, { networkFeeLamports }) => sum + networkFeeLamports, 0n);
  return {
    ready: true,
    ...commonFields,
    // The unused part of the fee bound stays in the wallet, so it is added to the reserve. The answer's costs and
    // inputs then add up to the balance.
    costs: {
      ...costs,
      networkFeeLamports: Number(totalFeeLamports),
      reserveLamports: Number(reserveLamports + maxFeeLamports - totalFeeLamports),
    },
    transactions: swaps.map(({ networkFeeLamports: _, ...swap }) => swap),
  };
}

const toMints = (asset: AssetSymbol) => ({ inputMint: NATIVE_MINT, outputMint: ASSETS[asset].mint });

/** Divides lamports among the legs. Each share is rounded down, and the first leg gets the remainder. */
function divideAmount(swappableLamports: bigint, legs: Allocation[]): Map<AssetSymbol, bigint> {
  const shares = legs.map(({ asset, pct }) => [asset, takePercent(swappableLamports, pct)] as const);
  const inputLamportsByAsset = new Map(shares);
  const remainderLamports = swappableLamports - shares.reduce((sum, [, lamports]) => sum + lamports, 0n);
  const firstAsset = legs[0]!.asset;
  return inputLamportsByAsset.set(firstAsset, inputLamportsByAsset.get(firstAsset)! + remainderLamports);
}

/** Returns the lamports missing to reach the threshold, and to leave every leg something to swap after all costs. */
function computeNeededLamports(budget: SwapBudget, thresholdLamports: bigint, legs: Allocation[]): bigint {
  const { balanceLamports, depositLamports, reserveLamports, maxFeeLamports } = budget;
  // The first leg gets the remainder, so it has something to swap as soon as the total is above 0.
  const minimumInputs = legs.slice(1).map(({ asset, pct }) => (asset === "SOL" ? 1n : computeLeastForPercent(pct)));
  const neededInput = minimumInputs.reduce((largestInput, share) => pickLarger(largestInput, share), 1n);
  const leastSwapLamports = reserveLamports + depositLamports + maxFeeLamports + neededInput;
  return clampToZero(pickLarger(leastSwapLamports, thresholdLamports) - balanceLamports);
}

function explainRefusal(
  boughtLegs: Allocation[],
  neededLamports: bigint,
  neededUsd: number,
  isBelowThreshold: boolean,
): string | null {
  if (boughtLegs.length === 0) return "The whole allocation keeps SOL, so there is nothing to swap.";
  if (neededLamports === 0n) return null;
  const cause = isBelowThreshold
    ? "The balance is below the threshold"
    : "Rent, deposits and network fees would use up the balance";
  // Round up, so that the message never says 0.00 while something is missing.
  return `${cause}; ${ceilToCents(neededUsd).toFixed(2)} USD are missing until something can be swapped.`;
}
