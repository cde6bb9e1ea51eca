import type { DataOf } from "../contracts/define";
import type { getAccumulatorContract } from "../contracts/get-accumulator";
import type { getActivityContract } from "../contracts/get-activity";
import type { getAllowanceContract } from "../contracts/get-allowance";
import type { getOverviewContract } from "../contracts/get-overview";
import type { getPricesContract } from "../contracts/get-prices";
import type { getSpendingContract } from "../contracts/get-spending";
import type { Abortable, Calls, PathOf } from "./calls/calls";
import { rejectOnAbort } from "./platform";

export type Overview = DataOf<typeof getOverviewContract>;
export type Allowance = DataOf<typeof getAllowanceContract>;
type Accumulator = DataOf<typeof getAccumulatorContract>;
export type Activity = DataOf<typeof getActivityContract>;
type Prices = DataOf<typeof getPricesContract>;
export type Spending = DataOf<typeof getSpendingContract>;

/** Pages run from newest to oldest. */
export interface PageRequest {
  /** The page has at most this many entries. The service has a default. */
  limit?: number;
  /** `nextBefore` of the previous page; absent for the first page. */
  before?: string;
}

export interface SpendingRequest extends PageRequest {
  /** Start of the list while nothing is saved yet, ISO 8601. */
  since?: string;
}

/** Read operations for the user's wallet and its service wallet. All throw ApiError, or the signal's reason. */
export interface Reads {
  /** Returns prices, both balances, the newest activity and the payments that are not saved yet. */
  overview(options?: Abortable): Promise<Overview>;
  /** Returns prices in US dollars, and their age. */
  prices(options?: Abortable): Promise<Prices>;
  /** Returns a wallet's SOL balance and whether it reaches the threshold. @param thresholdUsd US dollars; default 5 */
  accumulator(address: string, thresholdUsd?: number, options?: Abortable): Promise<Accumulator>;
  /** Returns the allowance of the service wallet: who may take the wallet's USDC, and what is left. */
  allowance(options?: Abortable): Promise<Allowance>;
  /** Returns the activity of the service wallet, newest first. */
  activity(request?: PageRequest, options?: Abortable): Promise<Activity>;
  /** Returns the wallet's payments that are not saved yet. Pass its `batches` to `save`, oldest first. */
  spending(request?: SpendingRequest, options?: Abortable): Promise<Spending>;
}

export function createReads(
  wallet: string,
  session: { getCalls(): Promise<Calls>; getServiceWallet(): Promise<string> },
): Reads {
  const readPath = async <Path extends PathOf<"GET">>(path: Path, query: object, { signal }: Abortable = {}) => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
    // All callers share the sign-in, so one caller's signal must not end it.
    const calls = await rejectOnAbort(session.getCalls(), signal);
    return calls.get(`${path}?${params}` as Path, { signal });
  };
  const getServiceWallet = (options?: Abortable) => rejectOnAbort(session.getServiceWallet(), options?.signal);
  return {
    overview: async (options) =>
      readPath(`/api/overview/${wallet}`, { serviceWallet: await getServiceWallet(options) }, options),
    prices: (options) => readPath("/api/price", {}, options),
    accumulator: (address, thresholdUsd, options) =>
      readPath(`/api/accumulator/${address}`, { threshold: thresholdUsd }, options),
    allowance: async (options) =>
      readPath(`/api/allowance/${wallet}`, { serviceWallet: await getServiceWallet(options) }, options),
    activity: async (request = {}, options) =>
      readPath(`/api/activity/${await getServiceWallet(options)}`, request, options),
    spending: async (request = {}, options) =>
      readPath(`/api/spending/${wallet}`, { ...request, serviceWallet: await getServiceWallet(options) }, options),
  };
}
