import type { getAccumulatorContract } from "../contracts/get-accumulator";
import type { getActivityContract } from "../contracts/get-activity";
import type { getOverviewContract } from "../contracts/get-overview";
import type { getPricesContract } from "../contracts/get-prices";
import type { getSpendingContract } from "../contracts/get-spending";
import { rejectOnAbort } from "./abort";
import type { Abortable, AnswerOf, Calls, PathOf } from "./calls/calls";

export type Overview = AnswerOf<typeof getOverviewContract>;
type Accumulator = AnswerOf<typeof getAccumulatorContract>;
export type Activity = AnswerOf<typeof getActivityContract>;
type Prices = AnswerOf<typeof getPricesContract>;
export type Spending = AnswerOf<typeof getSpendingContract>;

/** Pages run from newest to oldest: pass the previous page's `nextBefore` as `before`. */
export interface PageRequest {
  limit?: number;
  before?: string;
}

export interface SpendingRequest extends PageRequest {
  /** ISO 8601; the start of the list when nothing is saved yet. */
  since?: string;
}

/** Read operations for the user's wallet and its service wallet. All throw ApiError. */
export interface Reads {
  /** Returns prices, both balances, the newest activity and the payments that are not saved yet. */
  overview(options?: Abortable): Promise<Overview>;
  /** Returns prices in US dollars, and their age. */
  prices(options?: Abortable): Promise<Prices>;
  /** Returns a wallet's SOL balance and whether it reaches the threshold. @param thresholdUsd US dollars; default 5 */
  accumulator(address: string, thresholdUsd?: number, options?: Abortable): Promise<Accumulator>;
  /** Returns the activity of the service wallet, newest first. */
  activity(request?: PageRequest, options?: Abortable): Promise<Activity>;
  /** Returns the wallet's payments that are not saved yet. Pass its `batches` to `save`, oldest first. */
  spending(request?: SpendingRequest, options?: Abortable): Promise<Spending>;
}

interface Session {
  calls(): Promise<Calls>;
  serviceWallet(): Promise<string>;
}

/** Creates the read operations of one wallet. */
export function createReads(wallet: string, { calls, serviceWallet }: Session): Reads {
  const read = async <P extends PathOf<"GET">>(path: P, query: object, { signal }: Abortable = {}) => {
    const params = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) params.set(name, String(value));
    // All callers share the sign-in, so that one caller's signal must not end it.
    const client = await rejectOnAbort(calls(), signal);
    return client.get(`${path}?${params}` as P, { signal });
  };
  const address = (options?: Abortable) => rejectOnAbort(serviceWallet(), options?.signal);
  return {
    overview: async (options) => read(`/api/overview/${wallet}`, { serviceWallet: await address(options) }, options),
    prices: (options) => read("/api/price", {}, options),
    accumulator: (of, threshold, options) => read(`/api/accumulator/${of}`, { threshold }, options),
    activity: async (request = {}, options) => read(`/api/activity/${await address(options)}`, request, options),
    spending: async (request = {}, options) =>
      read(`/api/spending/${wallet}`, { ...request, serviceWallet: await address(options) }, options),
  };
}
