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

/** Pages go backwards: `before` is `nextBefore` of the page before. */
export interface PageRequest {
  limit?: number;
  before?: string;
}

export interface SpendingRequest extends PageRequest {
  /** ISO 8601; where it begins when nothing is saved yet. */
  since?: string;
}

/** What a person's programs read again and again, of the wallet and its service wallet. All throw ApiError. */
export interface Reads {
  /** Prices, both balances, the newest activity and what is not saved yet. */
  overview(): Promise<Overview>;
  /** US dollars, and how old they are. */
  prices(): Promise<Prices>;
  /** What a wallet holds in SOL, and whether that reaches a threshold (US dollars; 5). */
  accumulator(address: string, thresholdUsd?: number): Promise<Accumulator>;
  /** Of the service wallet. */
  activity(request?: PageRequest): Promise<Activity>;
  /** The wallet's own payments that are not saved yet; post its `batches` with `save`, the oldest first. */
  spending(request?: SpendingRequest): Promise<Spending>;
}

interface Session {
  calls(): Promise<Calls>;
  credentials(): Promise<Credentials>;
  serviceWallet(): Promise<string>;
}

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
