import type { SwapPlan, SwapRequest } from "../domain/swap/swap-plan";

export interface SwapAggregator {
  /** Plans a swap. @throws AppError no_route when there is no route for it; upstream_* when the aggregator fails */
  planSwap(request: SwapRequest): Promise<SwapPlan>;
}
