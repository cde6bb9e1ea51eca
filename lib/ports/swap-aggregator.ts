import type { SwapPlan, SwapRequest } from "../domain/swap/swap-plan";

export interface SwapAggregator {
  /** @throws AppError no_route when the venue has no way to swap this */
  plan(request: SwapRequest): Promise<SwapPlan>;
}
