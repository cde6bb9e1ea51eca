import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { type Budget, type BudgetOptions, createBudget, UNLIMITED } from "./budget";

export interface BudgetsOptions {
  /** Calls per second; null means no limit. */
  rpcCallsPerSecond: number | null;
  jupiterCallsPerSecond: number | null;
  clock: Clock;
  store?: Pick<KvStore, "increment">;
}

/** Jupiter's rate limits count calls over this many seconds. Source: Jupiter's rate limit documentation. */
const JUPITER_WINDOW_S = 60;

/** Creates the budgets of the Solana nodes and of Jupiter, with the shares of each. */
export function createBudgets({ rpcCallsPerSecond, jupiterCallsPerSecond, clock, store }: BudgetsOptions) {
  const create = (upstream: string, perSecond: number | null, windowS: number, parts: Parts): Budget =>
    perSecond === null
      ? UNLIMITED
      : createBudget({ upstream, calls: divide(perSecond * windowS, parts), windowMs: windowS * 1000, clock, store });
  return {
    rpc: create("rpc", rpcCallsPerSecond, 1, { prices: 0, public: 0.4 }),
    jupiter: create("jupiter", jupiterCallsPerSecond, JUPITER_WINDOW_S, { prices: 0.1, public: 0.3 }),
  };
}

/** The parts of a budget that two shares get, 0 to 1. */
type Parts = { prices: number; public: number };

/** Divides `calls` into whole numbers that never add up to more. `money` gets what the other two shares leave. */
function divide(calls: number, parts: Parts): BudgetOptions["calls"] {
  const [prices, others] = [Math.ceil(calls * parts.prices), Math.floor(calls * parts.public)];
  return { prices, public: others, money: Math.floor(calls) - prices - others };
}
