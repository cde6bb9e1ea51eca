import type { getAccumulatorContract } from "../contracts/get-accumulator";
import type { getActivityContract } from "../contracts/get-activity";
import type { getOverviewContract } from "../contracts/get-overview";
import type { getPricesContract } from "../contracts/get-prices";
import type { getSpendingContract } from "../contracts/get-spending";
import type { AnswerOf, Calls, Credentials } from "./calls/calls";

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
  overview(): Promise<Overview>;
  /** Returns prices in US dollars, and their age. */
  prices(): Promise<Prices>;
  /** Returns a wallet's SOL balance and whether it reaches the threshold. @param thresholdUsd US dollars; default 5 */
  accumulator(address: string, thresholdUsd?: number): Promise<Accumulator>;
  /** Returns the activity of the service wallet, newest first. */
  activity(request?: PageRequest): Promise<Activity>;
  /** Returns the wallet's payments that are not saved yet. Pass its `batches` to `save`, oldest first. */
  spending(request?: SpendingRequest): Promise<Spending>;
}

interface Session {
  calls(): Promise<Calls>;
  credentials(): Promise<Credentials>;
  serviceWallet(): Promise<string>;
}

/** Creates the read operations of one wallet. */
export function readsOf(wallet: string, session: Session): Reads {
  const read = async <C>(path: string, query: object) => {
    const asked = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) asked.set(name, String(value));
    return (await session.calls()).get<C>(`${path}?${asked}`, await session.credentials());
  };
  return {
    overview: async () =>
      read<typeof getOverviewContract>(`/api/overview/${wallet}`, { serviceWallet: await session.serviceWallet() }),
    prices: () => read<typeof getPricesContract>("/api/price", {}),
    accumulator: (address, threshold) =>
      read<typeof getAccumulatorContract>(`/api/accumulator/${address}`, { threshold }),
    activity: async (request = {}) =>
      read<typeof getActivityContract>(`/api/activity/${await session.serviceWallet()}`, request),
    spending: async (request = {}) =>
      read<typeof getSpendingContract>(`/api/spending/${wallet}`, {
        ...request,
        serviceWallet: await session.serviceWallet(),
      }),
  };
}
