import type { buildSwapContract } from "../contracts/build-swap";
import type { DataOf, InputOf } from "../contracts/define";
import type { Allocation } from "../domain/allocations";
import { type AssetSymbol, DEFAULT_ASSET, type PayAsset } from "../domain/assets";
import {
  ceilToCents,
  clampToZero,
  computeLeastForPercent,
  fromMicroUsd,
  lamportsForMicroUsd,
  lamportsToMicroUsd,
  lamportsToSol,
  pickLarger,
  takePercent,
  toMissingUsd,
} from "../domain/money";
import { DEFAULT_SLIPPAGE_BPS, DEFAULT_THRESHOLD_USD } from "../domain/plans";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import { refuseWhilePaused } from "./steps/pause";
import { requireSoundPrices, requireUsdcAtParity, toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { buildLegs } from "./steps/swap/build-legs";
import { compareWithThreshold, readSwapBudget, type SwapBudget } from "./steps/swap/swap-budget";

type Input = InputOf<typeof buildSwapContract>;
type Build = DataOf<typeof buildSwapContract>;

export async function buildSwap(deps: Deps, input: Input): Promise<Build> {
  const { serviceWalletPubkey: wallet, payWith = "SOL", slippageBps = DEFAULT_SLIPPAGE_BPS } = input;
  if (deps.feeCollectors.includes(wallet)) throw new AppError("wallet_not_allowed");
  const legs: Allocation[] = input.allocations ?? [{ asset: input.targetAsset ?? DEFAULT_ASSET, pct: 100 }];
  const boughtLegs = legs.filter(({ asset }) => asset !== payWith);
  const assets = boughtLegs.map(({ asset }) => asset);
  const [prices, budget] = await Promise.all([
    payWith === "USDC" ? requireUsdcAtParity(deps, assets) : requireSoundPrices(deps, assets),
    readSwapBudget(deps, wallet, payWith, assets),
    refuseWhilePaused(deps, "invest"),
  ]);
  const solPriceMicroUsd = toSolPriceMicroUsd(prices);
  const thresholdUsd = input.threshold ?? DEFAULT_THRESHOLD_USD;
  const needs = computeNeeds(budget, payWith, legs, thresholdUsd, solPriceMicroUsd);

  /** @param builtFeeLamports null before the swaps are built */
  const buildAnswer = (builtFeeLamports: bigint | null, quoteWarning: string | null = null): Build => {
    const feeLamports = builtFeeLamports ?? budget.maxFeeLamports;
    const neededLamports = payWith === "SOL" ? needs.neededAmount : computeMissingLamports(budget, builtFeeLamports);
    const neededUsd = toMissingUsd(neededLamports, solPriceMicroUsd);
    const reason =
      boughtLegs.length === 0
        ? `The whole allocation keeps ${payWith}, so there is nothing to swap.`
        : (quoteWarning ?? explainShortage(payWith, needs, neededUsd));
    // If SOL is sold, the unused part of the fee bound stays in the wallet, so it is added to the reserve. The answer's
    // costs and inputs then add up to the balance.
    const unusedFeeLamports = payWith === "SOL" ? budget.maxFeeLamports - feeLamports : 0n;
    return {
      ready: reason === null,
      reason,
      payWith,
      balanceSol: lamportsToSol(budget.balanceLamports),
      balanceAmount: budget.heldAmount.toString(),
      balanceUsd: fromMicroUsd(needs.balanceMicroUsd),
      threshold: thresholdUsd,
      remaining: needs.remainingUsd,
      neededLamports: boughtLegs.length === 0 ? 0 : Number(neededLamports),
      neededUsd: boughtLegs.length === 0 ? 0 : neededUsd,
      neededAmount: boughtLegs.length === 0 ? "0" : needs.neededAmount.toString(),
      costs: {
        networkFeeLamports: Number(feeLamports),
        tokenAccountDepositLamports: Number(budget.depositLamports),
        reserveLamports: Number(budget.reserveLamports + unusedFeeLamports),
      },
      swappableLamports: payWith === "SOL" ? Number(budget.swappableAmount) : 0,
      swappableAmount: budget.swappableAmount.toString(),
      transactions: [],
    };
  };
  const firstAnswer = buildAnswer(null);
  if (!firstAnswer.ready) return firstAnswer;

  const amountByAsset = divideAmount(budget.swappableAmount, legs);
  const terms = { wallet, soldAsset: payWith, slippageBps, openAccounts: budget.openAccounts, prices };
  const swapLegs = boughtLegs.map(({ asset }) => ({ asset, amount: amountByAsset.get(asset)! }));
  const { swaps, networkFeeLamports, warning } = await buildLegs(deps, terms, swapLegs);
  if (warning !== null) return buildAnswer(null, warning);
  const build = buildAnswer(networkFeeLamports);
  if (!build.ready) return build;
  const transactions = swaps.map((swap, i) => ({
    ...boughtLegs[i]!,
    inputLamports: swap.quote.inputLamports,
    ...swap,
  }));
  return { ...build, transactions };
}

/** Divides an amount among the legs. Each share is rounded down, and the first leg gets the remainder. */
function divideAmount(amount: bigint, legs: Allocation[]): Map<AssetSymbol, bigint> {
  const shares = legs.map(({ asset, pct }) => [asset, takePercent(amount, pct)] as const);
  const amountByAsset = new Map(shares);
  const remainder = amount - shares.reduce((sum, [, share]) => sum + share, 0n);
  const firstAsset = legs[0]!.asset;
  return amountByAsset.set(firstAsset, amountByAsset.get(firstAsset)! + remainder);
}

type Needs = ReturnType<typeof computeNeeds>;

/**
 * Compares a budget with the threshold, and with what leaves every leg something to swap. If SOL is sold, the costs come
 * out of the same balance.
 * @returns `neededAmount`, the missing base units of the sold asset
 */
function computeNeeds(
  budget: SwapBudget,
  payWith: PayAsset,
  legs: Allocation[],
  thresholdUsd: number,
  solPriceMicroUsd: bigint,
) {
  const { heldAmount, depositLamports, reserveLamports, maxFeeLamports } = budget;
  // A unit of USDC is one micro-dollar, because nothing is built while USDC is not worth one dollar.
  const balanceMicroUsd = payWith === "SOL" ? lamportsToMicroUsd(heldAmount, solPriceMicroUsd) : heldAmount;
  const { isReached, remainingUsd, thresholdMicroUsd } = compareWithThreshold(balanceMicroUsd, thresholdUsd);
  const thresholdAmount =
    payWith === "SOL" ? lamportsForMicroUsd(thresholdMicroUsd, solPriceMicroUsd) : thresholdMicroUsd;
  // The first leg gets the remainder, so it has something to swap as soon as the total is above 0.
  const minimumInputs = legs.slice(1).map(({ asset, pct }) => (asset === payWith ? 1n : computeLeastForPercent(pct)));
  const minimumInput = minimumInputs.reduce((largestInput, share) => pickLarger(largestInput, share), 1n);
  const costs = payWith === "SOL" ? reserveLamports + depositLamports + maxFeeLamports : 0n;
  const neededAmount = clampToZero(pickLarger(costs + minimumInput, thresholdAmount) - heldAmount);
  return { balanceMicroUsd, remainingUsd, isReached, neededAmount };
}

/**
 * Returns the lamports that the wallet lacks besides the USDC that it swaps.
 * @param feeLamports null before the swaps are built. The wallet must then hold the usual fee, without which a
 * simulation would fail. A lack is stated with the highest fee, so that adding it suffices.
 */
function computeMissingLamports(budget: SwapBudget, feeLamports: bigint | null): bigint {
  const { balanceLamports, depositLamports, reserveLamports, typicalFeeLamports, maxFeeLamports } = budget;
  const compute = (fee: bigint) => clampToZero(fee + depositLamports + reserveLamports - balanceLamports);
  return feeLamports === null && compute(typicalFeeLamports) === 0n ? 0n : compute(feeLamports ?? maxFeeLamports);
}

/** Says what is missing in dollars, rounded up, so that the message never says 0.00 while something is missing. */
function explainShortage(payWith: PayAsset, { isReached, neededAmount }: Needs, neededUsd: number): string | null {
  const format = (usd: number) => `${ceilToCents(usd).toFixed(2)} USD`;
  if (payWith === "USDC" && neededAmount > 0n) {
    const cause = isReached ? "The smallest share would be nothing" : "The USDC is below the threshold";
    return `${cause}; ${format(fromMicroUsd(neededAmount))} are missing until something can be swapped.`;
  }
  if (neededUsd === 0) return null;
  if (payWith === "USDC")
    return `SOL worth ${format(neededUsd)} is missing for network fees and Solana's refundable deposits. Add it with a top-up.`;
  const cause = isReached
    ? "Rent, deposits and network fees would use up the balance"
    : "The balance is below the threshold";
  return `${cause}; ${format(neededUsd)} are missing until something can be swapped.`;
}
