import type { DataOf, InputOf } from "../contracts/define";
import type { getOverviewContract } from "../contracts/get-overview";
import { fromMicroUsd, toMicroUsd } from "../domain/money";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { Caller, RequestContext } from "../ports/request-context";
import { pauseTexts } from "./steps/pause";
import { readPriceList } from "./steps/prices/price-list";
import { readParts } from "./steps/read-parts";
import { readPortfolio } from "./steps/reads/portfolio";
import { readActivity } from "./steps/reads/read-activity";
import { collectSpending } from "./steps/spending/collect-spending";

type Overview = DataOf<typeof getOverviewContract>;

const RECENT = 5;

/** Returns all parts of the dashboard overview. A part that fails is null and listed in `unavailable`. */
export async function getOverview(
  deps: Deps,
  { address, serviceWallet }: InputOf<typeof getOverviewContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<Overview> {
  const { data, unavailable } = await readParts(deps.clock, {
    prices: readPriceList(deps),
    portfolio: readPortfolio(deps, address),
    savings: serviceWallet === undefined ? null : readPortfolio(deps, serviceWallet),
    activity: readActivity(deps, { address: serviceWallet ?? address, limit: RECENT }),
    spending: sumSpending(deps, { address, serviceWallet }, caller),
    pauses: pauseTexts(deps),
  });
  return {
    walletAddress: address,
    serviceWallet: serviceWallet ?? null,
    network: deps.network,
    ...data,
    activity: data.activity?.items ?? null,
    activityNextBefore: data.activity?.nextBefore ?? null,
    unavailable,
  };
}

/** Returns the unsaved spending and its total. @throws AppError credentials_missing for a public caller, upstream_* */
async function sumSpending(
  deps: Deps,
  input: InputOf<typeof getOverviewContract>,
  { kind, wallet }: Caller,
): Promise<Overview["spending"]> {
  if (kind === "public") throw new AppError("credentials_missing");
  const { items, batches, savedThrough, nextBefore, isComplete } = await collectSpending(deps, input, wallet);
  const payments = batches.flatMap(({ txValuesUsd }) => txValuesUsd);
  return {
    payments: payments.length,
    totalUsd: fromMicroUsd(payments.reduce((sum, usd) => sum + toMicroUsd(usd), 0n)),
    savedThrough,
    isComplete,
    items,
    batches,
    nextBefore,
  };
}
