import fc from "fast-check";
import { expect, test } from "vitest";
import { createJupiter } from "../../../lib/clients/jupiter/jupiter";
import { createPriceFeed } from "../../../lib/clients/prices/price-feed";
import { NO_LIMIT, withBucket } from "../../../lib/clients/quota/bucket";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../lib/clients/quota/quota-port";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import type { Contract, DataOf, InputOf } from "../../../lib/contracts/define";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { getPricesContract } from "../../../lib/contracts/get-prices";
import { quoteSwapContract } from "../../../lib/contracts/quote-swap";
import { ASSET_SYMBOLS, ASSETS, type AssetSymbol } from "../../../lib/domain/assets";
import { computeMaxLamports } from "../../../lib/domain/prices/price-bounds";
import { AppError } from "../../../lib/errors";
import type { Deps } from "../../../lib/ports/deps";
import { buildSale } from "../../../lib/services/build-sale";
import { buildSwap } from "../../../lib/services/build-swap";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrap } from "../../../lib/services/build-wrap";
import { calculateRoundUp } from "../../../lib/services/calculate-round-up";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { getPrices } from "../../../lib/services/get-prices";
import { quoteSwap } from "../../../lib/services/quote-swap";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, createSolAccount, type FakeDeps, PRICES_USD } from "../../support/fakes/fake-deps";
import { stageTokenAccount } from "../../support/fakes/fake-simulation";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { createHolding } from "../../support/worlds/holding-world";

/* Feeds arbitrary responses of the price source, from malformed numbers to a misplaced decimal point, to every service. */

const user = toTestWallet("user").address;
const service = toTestWallet("service wallet").address;
const unlistedMint = toTestWallet("an unlisted mint").address;

/** The number of random runs. `npm run fuzz` sets more. */
const RUNS = Number(process.env.FUZZ_RUNS ?? 120);

/** The body of the next responses of the price source. */
let responseText = "";
const transport = async () => ({ status: 200, headers: {}, text: responseText });

/** The least part of its input that a swap returns: 3% margin and 1% slippage are allowed, and 0.01% for rounding. */
const MIN_OUTPUT_RATIO = 0.9599;

/** Prices as JSON text. 1e999 exceeds the range of a number and becomes Infinity. */
const priceTexts = fc.oneof(
  fc.integer({ min: -12, max: 12 }).map((power) => String(10 ** power)),
  fc.double({ min: 1e-12, max: 1e12, noNaN: true }).map(String),
  fc.constantFrom(...["NaN", "1e999", "-1e999", "1e308", "5e-7", "-150", "0", "1.5"]),
  fc.constantFrom(...["null", '"150"', '"NaN"', "{}", "[150]"]),
);
const priceFactors = fc.double({ min: 0.7, max: 1.4, noNaN: true });
const priceResponses = fc.record(
  Object.fromEntries([
    ...ASSET_SYMBOLS.map((symbol) => [
      ASSETS[symbol].mint,
      fc.oneof(
        priceTexts,
        priceFactors.map((factor) => String(factor * PRICES_USD[symbol])),
        fc.constant(undefined),
      ),
    ]),
    [unlistedMint, priceTexts],
  ]) as Record<string, fc.Arbitrary<string | undefined>>,
);

function stagePrices(prices: Record<string, string | undefined>): void {
  const members = Object.entries(prices).flatMap(([mint, priceText]) =>
    priceText ? [`"${mint}":{"usdPrice":${priceText}}`] : [],
  );
  responseText = `{${members.join(",")}}`;
}

function stagePriceSource(): FakeDeps {
  const deps = createFakeDeps();
  const { clock, kv, priceBounds: bounds } = deps;
  const jupiter = createJupiter({ baseUrl: "http://prices.invalid", timeoutMs: 20_000, clock, transport });
  const feed = createPriceFeed({ jupiter: withBucket(NO_LIMIT, jupiter), clock, kv, bounds, notify: () => {} });
  deps.prices = bindQuotaUser(SERVICE_ITSELF, feed);
  deps.chain.accounts.set(service, createSolAccount(1_000_000_000n));
  stageTokenAccount(deps.chain, ASSETS.ETH.mint, service, 3_000_000n);
  deps.chain.holdings.set(service, [createHolding(unlistedMint, 2n ** 64n - 1n)]);
  return deps;
}

const wallets = { userPubkey: user, serviceWalletPubkey: service };

/** Calls a service. Returns null for a 502 or 503, and throws any other error. */
async function tryService<C extends Contract>(
  deps: FakeDeps,
  contract: C,
  service: (deps: Deps, input: InputOf<C>) => Promise<unknown>,
  fields: Record<string, unknown> = {},
): Promise<DataOf<C> | null> {
  try {
    return await callService(contract, service, deps, fields);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([502, 503]).toContain(error.status);
    return null;
  }
}

/** Calls every service that uses prices once. Returns whether a wrap was built. */
async function callAllServices(deps: FakeDeps): Promise<boolean> {
  const priceList = await tryService(deps, getPricesContract, getPrices);
  await tryService(deps, getPortfolioContract, getPortfolio, { address: service });
  await tryService(deps, getAccumulatorContract, getAccumulator, { address: service });
  await tryService(deps, calculateRoundUpContract, calculateRoundUp, { txValueUsd: 27.63 });
  await tryService(deps, quoteSwapContract, quoteSwap, { inputLamports: 50_000_000, targetAsset: "ETH" });
  const wrap = await tryService(deps, buildWrapContract, buildWrap, { txValueUsd: 27.03, plan: "forest", ...wallets });
  if (wrap) {
    const { roundUpLamports } = wrap.breakdown;
    expect(BigInt(roundUpLamports)).toBeLessThanOrEqual(computeMaxLamports(1_000_000n, deps.priceBounds));
    expect(roundUpLamports).toBeGreaterThan(0);
  }
  const topup = await tryService(deps, buildTopupContract, buildTopup, { amountUsd: 7, ...wallets });
  const maxTopupLamports = computeMaxLamports(7_000_000n, deps.priceBounds);
  if (topup) expect(BigInt(topup.breakdown.roundUpLamports)).toBeLessThanOrEqual(maxTopupLamports);
  expect(topup === null).toBe(wrap === null);
  const allocations = (["ETH", "USDC"] as const).map((asset) => ({ asset, pct: 50 }));
  const swap = await tryService(deps, buildSwapContract, buildSwap, { serviceWalletPubkey: service, allocations });
  const pricesUsd: Partial<Record<AssetSymbol, number>> = priceList?.prices ?? {};
  for (const { quote } of swap?.transactions ?? []) {
    const inputUsd = (quote.inputLamports / 1e9) * pricesUsd.SOL!;
    const outputUsd = (Number(quote.outputAmount) / 10 ** quote.outputDecimals) * pricesUsd[quote.targetAsset]!;
    expect(outputUsd).toBeGreaterThan(inputUsd * MIN_OUTPUT_RATIO);
  }
  const saleRequest = { serviceWalletPubkey: service, asset: "ETH", all: true, into: "SOL" };
  const sale = await tryService(deps, buildSaleContract, buildSale, saleRequest);
  for (const { quote } of sale?.transactions ?? []) {
    const inputUsd = (Number(quote.inputAmount) / 10 ** quote.inputDecimals) * pricesUsd.ETH!;
    expect((Number(quote.outputAmount) / 1e9) * pricesUsd.SOL!).toBeGreaterThan(inputUsd * MIN_OUTPUT_RATIO);
  }
  return wrap !== null;
}

test("no price causes an internal error, a wrap above its ceiling, or a swap at a loss", {
  timeout: 60_000 + RUNS * 500,
}, async () => {
  let builtWrapCount = 0;
  const property = fc.asyncProperty(fc.array(priceResponses, { minLength: 1, maxLength: 3 }), async (responses) => {
    const deps = stagePriceSource();
    for (const response of responses) {
      stagePrices(response);
      if (await callAllServices(deps)) builtWrapCount++;
      await deps.clock.advance(31_000);
    }
  });
  await fc.assert(property, { numRuns: RUNS });
  expect(builtWrapCount).toBeGreaterThan(RUNS / 6);
});

test("nothing is built at an implausible price (1.50, 10^9) or an unconfirmed jump (15, 1,500)", async () => {
  for (const solPriceText of ["1.5", "15", "1500", "1000000000"]) {
    const deps = stagePriceSource();
    const plausiblePrices = Object.fromEntries(
      ASSET_SYMBOLS.map((symbol) => [ASSETS[symbol].mint, String(PRICES_USD[symbol])]),
    );
    stagePrices(plausiblePrices);
    expect(await callAllServices(deps)).toBe(true);
    await deps.clock.advance(61_000);
    stagePrices({ ...plausiblePrices, [ASSETS.SOL.mint]: solPriceText });
    expect(await callAllServices(deps), solPriceText).toBe(false);
  }
});
