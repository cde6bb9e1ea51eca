import { z } from "zod";
import { computeAgeMs } from "../../domain/prices/age";
import { STORE_KEYS } from "../../domain/store-keys";
import type { SwapPlan, SwapRequest } from "../../domain/swap/swap-plan";
import type { Clock } from "../../ports/clock";
import type { KvStore } from "../../ports/kv-store";
import type { SwapAggregator } from "../../ports/swap-aggregator";
import { createCache } from "../process/cache";
import type { QuotaPort } from "../quota/quota-port";
import { createSharedValues } from "../store/shared-values";

/** How long a quote is served, ms. */
const { ttlMs: QUOTE_TTL_MS } = STORE_KEYS.quote;
const MAX_QUOTES = 500;

interface QuotesOptions {
  market: QuotaPort<SwapAggregator>;
  clock: Clock;
  /** Shares quotes with other instances. Absent: this instance is the only one. */
  store?: Pick<KvStore, "get" | "set">;
}

/**
 * Returns the market with its quotes cached: identical requests share a quote for QUOTE_TTL_MS. Plans with a taker are
 * built into transactions, so they are never cached.
 */
export function cacheQuotes({ market: { planSwap }, clock, store }: QuotesOptions): QuotaPort<SwapAggregator> {
  const readSharedQuote = store && createSharedQuotes(store, clock);
  const quotes = createCache<DatedPlan>({
    ttlMs: QUOTE_TTL_MS,
    maxEntries: MAX_QUOTES,
    clock,
    getReadTime: ({ readAt }) => readAt,
    load(key, quotaUser) {
      const requestPlan = async () => ({ plan: await planSwap(quotaUser, parseQuoteKey(key)), readAt: clock.now() });
      return readSharedQuote ? readSharedQuote(key, requestPlan) : requestPlan();
    },
  });
  return {
    planSwap: async (quotaUser, request) =>
      request.taker === null ? (await quotes.get(toQuoteKey(request), quotaUser)).plan : planSwap(quotaUser, request),
  };
}

/** `readAt` is the time of Jupiter's answer, ms since the epoch. */
type DatedPlan = { plan: SwapPlan; readAt: number };

const Amount = z.string().regex(/^\d{1,20}$/);

/** The figures of a quote. Its instructions stay out of the store, because a quote is never built. */
const SharedQuote = z.object({
  readAt: z.number(),
  outputAmount: Amount,
  minimumOutputAmount: Amount,
  priceImpact: z.number(),
  route: z.array(z.string()),
});
type SharedQuote = z.output<typeof SharedQuote>;

/** Returns a function that reads a quote from the store, or requests it with `requestPlan` and stores it. */
function createSharedQuotes(kv: Pick<KvStore, "get" | "set">, { now }: Clock) {
  const sharedQuotes = createSharedValues({ kv, family: STORE_KEYS.quote, schema: SharedQuote });
  return async (key: string, requestPlan: () => Promise<DatedPlan>): Promise<DatedPlan> => {
    const storedQuote = await sharedQuotes.read(key);
    if (storedQuote && computeAgeMs(storedQuote.readAt, now()) < QUOTE_TTL_MS)
      return toDatedPlan(storedQuote, parseQuoteKey(key));
    const freshPlan = await requestPlan();
    await sharedQuotes.write(key, toSharedQuote(freshPlan));
    return freshPlan;
  };
}

function toSharedQuote({ plan, readAt }: DatedPlan): SharedQuote {
  const { outputAmount, minimumOutputAmount, priceImpact, route } = plan;
  const amounts = { outputAmount: String(outputAmount), minimumOutputAmount: String(minimumOutputAmount) };
  return { readAt, ...amounts, priceImpact, route };
}

function toDatedPlan({ readAt, ...figures }: SharedQuote, { amount, slippageBps }: SwapRequest): DatedPlan {
  const outputAmount = BigInt(figures.outputAmount);
  const minimumOutputAmount = BigInt(figures.minimumOutputAmount);
  const requestFields = { inputAmount: amount, slippageBps, instructions: [], lookupTables: {} };
  return { readAt, plan: { ...figures, ...requestFields, outputAmount, minimumOutputAmount } };
}

const toQuoteKey = ({ inputMint, outputMint, amount, slippageBps }: SwapRequest) =>
  [inputMint, outputMint, amount, slippageBps].join(",");

function parseQuoteKey(key: string): SwapRequest {
  const [inputMint = "", outputMint = "", amount = "", slippageBps = ""] = key.split(",");
  return { inputMint, outputMint, amount: BigInt(amount), slippageBps: Number(slippageBps), taker: null };
}
