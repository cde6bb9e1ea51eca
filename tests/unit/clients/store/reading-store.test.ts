import { expect, test } from "vitest";
import { cacheQuotes } from "../../../../lib/clients/jupiter/quotes";
import { createPriceFeed } from "../../../../lib/clients/prices/price-feed";
import { createSharedPriceReader } from "../../../../lib/clients/prices/shared-prices";
import { NO_LIMIT, withBucket } from "../../../../lib/clients/quota/bucket";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { createReadingStore } from "../../../../lib/clients/store/reading-store";
import { ASSETS } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const MAINNET = { network: "mainnet-beta", source: "api.jup.ag" };
const OTHER_ORIGINS = [
  ["another network", { network: "sandbox", source: "api.jup.ag" }],
  ["another source", { network: "mainnet-beta", source: "127.0.0.1:8899" }],
] as const;

const QUOTE_REQUEST = { inputMint: "a", outputMint: "b", amount: 1n, slippageBps: 1, taker: null };

/** Creates the market clients of a service. @param usd the market's price of SOL; null: the market does not answer */
function createMarket(store: ReturnType<typeof createMemoryStore>, origin: typeof MAINNET, usd: number | null) {
  const clock = createManualClock();
  const kv = createReadingStore(store, origin);
  const answer = async <T>(value: T) => (usd === null ? Promise.reject(createOutage()) : value);
  const jupiter = withBucket(NO_LIMIT, { readPrices: () => answer({ [ASSETS.SOL.mint]: { usd: usd! } }) });
  const shareReading = createSharedPriceReader({ kv, clock });
  const feed = createPriceFeed({ jupiter, kv, clock, shareReading, bounds: DEFAULT_PRICE_BOUNDS, notify: () => {} });
  const plan = {
    inputAmount: 1n,
    outputAmount: 2n,
    minimumOutputAmount: 2n,
    slippageBps: 1,
    priceImpact: 0,
    route: [],
  };
  const market = withBucket(NO_LIMIT, { planSwap: () => answer({ ...plan, instructions: [], lookupTables: {} }) });
  const { planSwap } = bindQuotaUser(SERVICE_ITSELF, cacheQuotes({ market, clock, store: kv }));
  return { readPrices: bindQuotaUser(SERVICE_ITSELF, feed).readCurrent, readQuote: () => planSwap(QUOTE_REQUEST) };
}

test.each(OTHER_ORIGINS)("prices, their memory and quotes of %s never count", async (_caseName, origin) => {
  const store = createMemoryStore(createManualClock());
  const other = createMarket(store, origin, 19);
  await Promise.all([other.readPrices(), other.readQuote()]);
  const silent = createMarket(store, MAINNET, null);
  await expect(silent.readPrices()).rejects.toThrow(createOutage().message);
  await expect(silent.readQuote()).rejects.toThrow(createOutage().message);
  // Next to the other's memory, this price would count as a jump.
  expect((await createMarket(store, MAINNET, 200).readPrices()).doubts).toEqual({});
});
