import type { SwapRequest } from "../../domain/swap/swap-plan";
import type { Clock } from "../../ports/clock";
import type { SwapAggregator } from "../../ports/swap-aggregator";
import { createCache } from "../process/cached";
import type { CallerScoped } from "../quota/caller-scoped";

const QUOTE_TTL_MS = 2_000;
const MAX_QUOTES = 500;

/**
 * Caches quotes for QUOTE_TTL_MS, for identical requests. Plans with a taker, which are built into transactions, are
 * never cached.
 */
export function cacheQuotes({ plan }: CallerScoped<SwapAggregator>, clock: Clock): CallerScoped<SwapAggregator> {
  const quotes = createCache({
    ttlMs: QUOTE_TTL_MS,
    maxEntries: MAX_QUOTES,
    clock,
    load: (key, asker) => plan(asker, requestOf(key)),
  });
  return {
    plan: (asker, request) => (request.taker === null ? quotes.get(keyOf(request), asker) : plan(asker, request)),
  };
}

const keyOf = ({ inputMint, outputMint, amount, slippageBps }: SwapRequest) =>
  [inputMint, outputMint, amount, slippageBps].join(",");

function requestOf(key: string): SwapRequest {
  const [inputMint = "", outputMint = "", amount = "", slippageBps = ""] = key.split(",");
  return { inputMint, outputMint, amount: BigInt(amount), slippageBps: Number(slippageBps), taker: null };
}
