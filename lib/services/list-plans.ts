import type { DataOf } from "../contracts/define";
import type { listPlansContract } from "../contracts/list-plans";
import { ASSET_SYMBOLS, ASSETS, DEFAULT_ASSET } from "../domain/assets";
import { DEFAULT_CEILING_USD, DEFAULT_PLAN, DEFAULT_SLIPPAGE_BPS, DEFAULT_THRESHOLD_USD, PLANS } from "../domain/plans";
import type { Deps } from "../ports/deps";

export async function listPlans({ network }: Deps): Promise<DataOf<typeof listPlansContract>> {
  return {
    plans: PLANS,
    ceiling: DEFAULT_CEILING_USD,
    defaultPlan: DEFAULT_PLAN,
    defaultAsset: DEFAULT_ASSET,
    defaultThreshold: DEFAULT_THRESHOLD_USD,
    defaultSlippageBps: DEFAULT_SLIPPAGE_BPS,
    supportedAssets: [...ASSET_SYMBOLS],
    assets: ASSETS,
    network,
  };
}
