import type { DataOf, InputOf } from "../contracts/define";
import type { getAccumulatorContract } from "../contracts/get-accumulator";
import { fromMicroUsd, lamportsToSol } from "../domain/money";
import { DEFAULT_THRESHOLD_USD } from "../domain/plans";
import type { Deps } from "../ports";
import { solPriceMicroUsd } from "./steps/prices";
import { compareWithThreshold } from "./steps/threshold";

export async function getAccumulator(
  deps: Deps,
  input: InputOf<typeof getAccumulatorContract>,
): Promise<DataOf<typeof getAccumulatorContract>> {
  const [prices, [account]] = await Promise.all([deps.prices.current(), deps.rpc.accounts([input.address])]);
  const lamports = account?.lamports ?? 0n;
  const solPrice = solPriceMicroUsd(prices);
  const thresholdUsd = input.threshold ?? DEFAULT_THRESHOLD_USD;
  const { balanceUsd, reached, remaining } = compareWithThreshold(lamports, solPrice, thresholdUsd);
  return {
    walletAddress: input.address,
    network: deps.network,
    balanceSol: lamportsToSol(lamports),
    balanceLamports: Number(lamports),
    balanceUsd,
    solPriceUsd: fromMicroUsd(solPrice),
    thresholdUsd,
    thresholdReached: reached,
    remaining,
  };
}
