import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { type Budget, createBudget, UNLIMITED } from "./budget";

export interface BudgetsOptions {
  /** Null: no ceiling. */
  rpcCallsPerSecond: number | null;
  jupiterCallsPerSecond: number | null;
  clock: Clock;
  store?: Pick<KvStore, "increment">;
}

/** Jupiter counts over so many seconds. Source: its rate limits, 60 s. */
const JUPITER_WINDOW_S = 60;

export function createBudgets({ rpcCallsPerSecond, jupiterCallsPerSecond, clock, store }: BudgetsOptions) {
  const budgetOf = (upstream: string, perSecond: number | null, windowS: number, parts: BudgetShares): Budget => {
    if (perSecond === null) return UNLIMITED;
    return createBudget({
      upstream,
      calls: divideBudget(perSecond * windowS, parts),
      windowMs: windowS * 1000,
      clock,
      store,
    });
  };
  return {
    rpc: budgetOf("rpc", rpcCallsPerSecond, 1, { prices: 0, public: 0.4 }),
    jupiter: budgetOf("jupiter", jupiterCallsPerSecond, JUPITER_WINDOW_S, { prices: 0.1, public: 0.3 }),
  };
}

interface BudgetShares {
  prices: number;
  public: number;
}

/** Whole calls, never more than there are; what is left of the parts is money's. */
function divideBudget(calls: number, parts: BudgetShares) {
  const [prices, others] = [Math.ceil(calls * parts.prices), Math.floor(calls * parts.public)];
  return { prices, public: others, money: Math.floor(calls) - prices - others };
}
