import { expect, test } from "vitest";
import { createPriceFeed, type PriceFeedOptions } from "../../../../lib/clients/prices/price-feed";
import { createSharedPriceReader } from "../../../../lib/clients/prices/shared-prices";
import { NO_LIMIT, withBucket } from "../../../../lib/clients/quota/bucket";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { ASSETS } from "../../../../lib/domain/assets";
import { DEFAULT_PRICE_BOUNDS } from "../../../../lib/domain/prices/price-bounds";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

/** Returns a store and instances of the price feed that share it. `market` stages Jupiter and counts its calls. */
function createSharedRig(changeStore: (kv: KvStore) => KvStore = (kv) => kv) {
  const clock = createManualClock();
  const kv = changeStore(createMemoryStore(clock));
  const market = { callCount: 0, usd: 200, answerMs: 0 };
  const readPrices = async () => {
    market.callCount++;
    if (market.answerMs > 0) await clock.sleep(market.answerMs);
    return { [ASSETS.SOL.mint]: { usd: market.usd }, [ASSETS.USDC.mint]: { usd: 1 } };
  };
  const createInstance = (options: Partial<PriceFeedOptions> = {}) => {
    const jupiter = withBucket(NO_LIMIT, { readPrices });
    const shareReading = createSharedPriceReader({ kv, clock });
    const commonOptions = { jupiter, kv, clock, shareReading, bounds: DEFAULT_PRICE_BOUNDS, notify: () => {} };
    return bindQuotaUser(SERVICE_ITSELF, createPriceFeed({ ...commonOptions, ...options }));
  };
  return { clock, kv, market, createInstance };
}

test("a disputed reading stays disputed at every instance, and keeps the second source's prices", async () => {
  const { clock, market, createInstance } = createSharedRig();
  const createPythPrice = () => ({ usd: 300, confidenceUsd: 0.1, publishedAt: clock.now() });
  const hermes = {
    readPrices: async () => ({ SOL: createPythPrice(), USDC: createPythPrice() }),
    readPricesAt: async () => ({}),
  };
  const [reader, adopter] = [createInstance({ hermes }), createInstance({ hermes })];
  const disputedReading = await reader.readCurrent();
  expect(disputedReading.doubts).toEqual({ SOL: "disputed", USDC: "disputed" });
  expect(disputedReading.referenceUsd).toEqual({ USDC: 300 });
  expect(await adopter.readCurrent()).toEqual(disputedReading);
  expect(market.callCount).toBe(1);
  await clock.advance(5_000);
  const laterReadings = [await adopter.readCurrent(), await reader.readCurrent()];
  expect(laterReadings[0]!.fetchedAt).toBe(clock.now());
  expect(market.callCount).toBe(2);
});

const SOUND_READING = { usd: { SOL: 201 }, source: "jupiter", doubts: {}, secondSource: null };

test.each([
  ["of another shape", { fetchedAt: 0, usd: { SOL: 201 } }],
  ["without SOL", { ...SOUND_READING, usd: { BTC: 100_000 } }],
  ["outside of the bounds", { ...SOUND_READING, usd: { SOL: 1e9 } }],
  ["with a price of 0", { ...SOUND_READING, usd: { SOL: 201, BTC: 0 } }],
  ["checked by a source that this instance lacks", { ...SOUND_READING, secondSource: "answers" }],
  ["older than 30 s", { ...SOUND_READING, behindMs: 30_000 }],
  ["from the future", { ...SOUND_READING, behindMs: -5_001 }],
])("a stored reading %s is not used", async (_name, { behindMs = 0, ...reading }: Record<string, unknown>) => {
  const { clock, kv, market, createInstance } = createSharedRig();
  await kv.set("prices:newest", { fetchedAt: clock.now() - Number(behindMs), ...reading } as never);
  expect((await createInstance().readCurrent()).usd.SOL).toBe(200);
  expect(market.callCount).toBe(1);
});

test("every instance reads the sources itself while the store fails", async () => {
  const failRead = () => Promise.reject(new AppError("upstream_unavailable"));
  const { market, createInstance } = createSharedRig((kv) => ({
    ...kv,
    get: failRead,
    set: failRead,
    setIfAbsent: failRead,
    delete: failRead,
  }));
  for (const feed of [createInstance(), createInstance()]) expect((await feed.readCurrent()).usd.SOL).toBe(200);
  expect(market.callCount).toBe(2);
});
