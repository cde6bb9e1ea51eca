import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import { type Budget, type BudgetOptions, createBudget, NO_LIMIT } from "./budget";

interface BudgetsOptions {
  /** Calls per second; null means no limit. */
  rpcCallsPerSecond: number | null;
  jupiterCallsPerSecond: number | null;
  clock: Clock;
  store?: Pick<KvStore, "increment">;
}

/** Jupiter's rate limits count calls over this many seconds. Source: Jupiter's rate limit documentation. */
const JUPITER_WINDOW_SECONDS = 60;

/** Creates the budgets of the Solana nodes and of Jupiter, with the shares of each. */
export function createBudgets({ rpcCallsPerSecond, jupiterCallsPerSecond, clock, store }: BudgetsOptions) {
  const createBudgetIfLimited = (
    upstream: string,
    callsPerSecond: number | null,
    windowSeconds: number,
    parts: ShareParts,
  ): Budget => {
    if (callsPerSecond === null) return NO_LIMIT;
    const calls = divideCalls(callsPerSecond * windowSeconds, parts);
    return createBudget({ upstream, calls, windowMs: windowSeconds * 1000, clock, store });
  };
  return {
    rpc: createBudgetIfLimited("rpc", rpcCallsPerSecond, 1, { prices: 0, public: 0.4 }),
    jupiter: createBudgetIfLimited("jupiter", jupiterCallsPerSecond, JUPITER_WINDOW_SECONDS, {
      prices: 0.1,
      public: 0.3,
    }),
  };
}

/** The fractions of a budget that two shares get, 0 to 1. The share `money` gets the rest. */
type ShareParts = { prices: number; public: number };

/** Divides `calls` into whole numbers whose sum is at most `calls`. */
function divideCalls(calls: number, parts: ShareParts): BudgetOptions["calls"] {
  const [priceCalls, publicCalls] = [Math.ceil(calls * parts.prices), Math.floor(calls * parts.public)];
  return { prices: priceCalls, public: publicCalls, money: Math.floor(calls) - priceCalls - publicCalls };
}
