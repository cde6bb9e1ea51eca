import type { DataOf, InputOf } from "../contracts/define";
import type { getAccumulatorContract } from "../contracts/get-accumulator";
import { DEFAULT_ASSET } from "../domain/assets";
import { fromMicroUsd, lamportsToMicroUsd, lamportsToSol } from "../domain/money";
import { DEFAULT_THRESHOLD_USD } from "../domain/plans";
import type { Deps } from "../ports/deps";
import { toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { readSwapBudget } from "./steps/swap/swap-budget";
import { compareWithThreshold } from "./steps/swap/threshold";

/** Compares a wallet's SOL with a threshold in dollars. @throws AppError price_stale, upstream_* */
export async function getAccumulator(
  deps: Deps,
  input: InputOf<typeof getAccumulatorContract>,
): Promise<DataOf<typeof getAccumulatorContract>> {
  const [prices, { balanceLamports: lamports, swappableLamports }] = await Promise.all([
    deps.prices.readCurrent(),
    readSwapBudget(deps, input.address, [DEFAULT_ASSET]),
  ]);
  const solPriceMicroUsd = toSolPriceMicroUsd(prices);
  const thresholdUsd = input.threshold ?? DEFAULT_THRESHOLD_USD;
  const { balanceUsd, isReached, remainingUsd } = compareWithThreshold(lamports, solPriceMicroUsd, thresholdUsd);
  return {
    walletAddress: input.address,
    network: deps.network,
    balanceSol: lamportsToSol(lamports),
    balanceLamports: Number(lamports),
    balanceUsd,
    investableLamports: Number(swappableLamports),
    investableUsd: fromMicroUsd(lamportsToMicroUsd(swappableLamports, solPriceMicroUsd)),
    solPriceUsd: fromMicroUsd(solPriceMicroUsd),
    thresholdUsd,
    thresholdReached: isReached,
    remaining: remainingUsd,
  };
}
