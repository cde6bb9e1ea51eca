import type { DataOf, InputOf } from "../contracts/define";
import type { getAccumulatorContract } from "../contracts/get-accumulator";
import { ASSETS, DEFAULT_ASSET } from "../domain/assets";
import { deriveUsdcAccount } from "../domain/dollar-accounts";
import { fromMicroUsd, lamportsToMicroUsd, lamportsToSol, toCoins } from "../domain/money";
import { DEFAULT_THRESHOLD_USD } from "../domain/plans";
import { isUsdcAtParity } from "../domain/prices/prices";
import type { Deps } from "../ports/deps";
import { toSolPriceMicroUsd } from "./steps/prices/read-prices";
import { compareWithThreshold, readHeldAmount, readSwapBudget } from "./steps/swap/swap-budget";

export async function getAccumulator(
  deps: Deps,
  input: InputOf<typeof getAccumulatorContract>,
): Promise<DataOf<typeof getAccumulatorContract>> {
  const usdcAccount = deriveUsdcAccount(input.address);
  const [prices, { balanceLamports: lamports, swappableAmount: swappableLamports }, [usdcState]] = await Promise.all([
    deps.prices.readCurrent(),
    readSwapBudget(deps, input.address, "SOL", [DEFAULT_ASSET], { waitsForBatch: true }),
    deps.rpc.readAccounts([usdcAccount], { waitsForBatch: true }),
  ]);
  const solPriceMicroUsd = toSolPriceMicroUsd(prices);
  const solMicroUsd = lamportsToMicroUsd(lamports, solPriceMicroUsd);
  const usdcAmount = readHeldAmount(usdcState ?? null);
  // No investment is built with USDC while it is not worth one dollar. A unit of it is then one micro-dollar.
  const usdcMicroUsd = isUsdcAtParity(prices) ? usdcAmount : 0n;
  const thresholdUsd = input.threshold ?? DEFAULT_THRESHOLD_USD;
  const { isReached, remainingUsd } = compareWithThreshold(solMicroUsd + usdcMicroUsd, thresholdUsd);
  return {
    walletAddress: input.address,
    network: deps.network,
    balanceSol: lamportsToSol(lamports),
    balanceLamports: Number(lamports),
    balanceUsd: fromMicroUsd(solMicroUsd),
    balanceUsdc: toCoins(usdcAmount, ASSETS.USDC.decimals),
    usdcUsd: fromMicroUsd(usdcMicroUsd),
    investableLamports: Number(swappableLamports),
    investableUsd: fromMicroUsd(lamportsToMicroUsd(swappableLamports, solPriceMicroUsd)),
    solPriceUsd: fromMicroUsd(solPriceMicroUsd),
    thresholdUsd,
    thresholdReached: isReached,
    remaining: remainingUsd,
  };
}
