import type { DataOf, InputOf } from "../contracts/define";
import type { getOverviewContract } from "../contracts/get-overview";
import type { Deps } from "../ports";
import { readActivity } from "./steps/activity";
import { readParts } from "./steps/parts";
import { readPortfolio } from "./steps/portfolio";
import { readPriceList } from "./steps/price-list";

const RECENT = 5;

export async function getOverview(
  deps: Deps,
  { address, serviceWallet }: InputOf<typeof getOverviewContract>,
): Promise<DataOf<typeof getOverviewContract>> {
  const { data, unavailable } = await readParts(deps.clock, {
    prices: readPriceList(deps),
    portfolio: readPortfolio(deps, address),
    savings: serviceWallet === undefined ? null : readPortfolio(deps, serviceWallet),
    activity: readActivity(deps, { address: serviceWallet ?? address, limit: RECENT }),
  });
  return {
    walletAddress: address,
    serviceWallet: serviceWallet ?? null,
    network: deps.network,
    ...data,
    activity: data.activity?.items ?? null,
    unavailable,
  };
}
