import { z } from "zod";
import { computeAgeMs } from "../../domain/prices/age";
import { STORE_KEYS } from "../../domain/store-keys";
import type { SwapPlan, SwapRequest } from "../../domain/swap/swap-plan";
import type { Clock } from "../../ports/clock";
import type { SwapAggregator } from "../../ports/swap-aggregator";
import { createCache } from "../process/cache";
import type { QuotaPort, QuotaUser } from "../quota/quota-port";
import { createSharedValues, type SharedKv } from "../store/shared-values";

const { ttlMs: QUOTE_TTL_MS } = STORE_KEYS.quote;
const MAX_QUOTES = 500;

interface QuotesOptions {
  market: QuotaPort<SwapAggregator>;
  clock: Clock;
  store?: SharedKv;
}

/** Shares the quote of identical requests. Plans with a taker become transactions, so they are never cached. */
export function cacheQuotes({ market: { planSwap }, clock, store }: QuotesOptions): QuotaPort<SwapAggregator> {
  const getReadTime = ({ readAt }: DatedPlan) => readAt;
  const quotes = createCache({ ttlMs: QUOTE_TTL_MS, maxEntries: MAX_QUOTES, clock, getReadTime });
  const sharedQuotes = createSharedValues({ kv: store, family: STORE_KEYS.quote, schema: SharedQuote });
  const readQuote = async (quotaUser: QuotaUser, key: string, request: SwapRequest): Promise<DatedPlan> => {
    const storedQuote = await sharedQuotes.read(key);
    if (storedQuote && computeAgeMs(storedQuote.readAt, clock.now()) < QUOTE_TTL_MS)
      return toDatedPlan(storedQuote, request);
    const freshPlan = { plan: await planSwap(quotaUser, request), readAt: clock.now() };
    await sharedQuotes.write(key, toSharedQuote(freshPlan));
    return freshPlan;
  };
  return {
    async planSwap(quotaUser, request) {
      if (request.taker !== null) return planSwap(quotaUser, request);
      const { inputMint, outputMint, amount, slippageBps } = request;
      const key = [inputMint, outputMint, amount, slippageBps].join();
      return (await quotes.get(key, (loadUser) => readQuote(loadUser, key, request), quotaUser)).plan;
    },
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
