import fc from "fast-check";
import { expect, test } from "vitest";
import { createJupiter } from "../../../lib/clients/jupiter/jupiter";
import { createPriceFeed } from "../../../lib/clients/prices/price-feed";
import { SERVICE, UNLIMITED } from "../../../lib/clients/quota/budget";
import { scopeToCaller, withBudget } from "../../../lib/clients/quota/caller-scoped";
import { buildSaleContract } from "../../../lib/contracts/build-sale";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { buildTopupContract } from "../../../lib/contracts/build-topup";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { getPricesContract } from "../../../lib/contracts/get-prices";
import { quoteSwapContract } from "../../../lib/contracts/quote-swap";
import { ASSET_SYMBOLS, ASSETS } from "../../../lib/domain/assets";
import { computeMaxLamports } from "../../../lib/domain/prices/price-bounds";
import { AppError } from "../../../lib/errors";
import { buildSale } from "../../../lib/services/build-sale";
import { buildSwap } from "../../../lib/services/build-swap";
import { buildTopup } from "../../../lib/services/build-topup";
import { buildWrap } from "../../../lib/services/build-wrap";
import { calculateRoundUp } from "../../../lib/services/calculate-round-up";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { getPrices } from "../../../lib/services/get-prices";
import { quoteSwap } from "../../../lib/services/quote-swap";
import { TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { deriveAssociatedTokenAddress } from "../../../lib/solana/token-instructions";
import { parseInput } from "../../support/client/contract-input";
import { type FakeDeps, fakeDeps, PRICES_USD, solAccount } from "../../support/fakes/fake-deps";
import { createTokenAccount } from "../../support/fakes/fake-simulation";
import { testWallet } from "../../support/fixtures/test-wallets";

/* Feeds arbitrary responses of the price source, from malformed numbers to a misplaced decimal point, to every service. */

const user = testWallet("user").address;
const service = testWallet("service wallet").address;
const unlisted = testWallet("an unlisted mint").address;

const RUNS = Number(process.env.FUZZ_RUNS ?? 120);

/** The body of the price source's next responses. */
let responseText = "";
const transport = async () => ({ status: 200, headers: {}, text: responseText });

/** A price as JSON text. 1e999 exceeds the range of a number and becomes Infinity. */
const price = fc.oneof(
  fc.integer({ min: -12, max: 12 }).map((power) => String(10 ** power)),
  fc.double({ min: 1e-12, max: 1e12, noNaN: true }).map(String),
  fc.constantFrom(
    "NaN",
    "1e999",
    "-1e999",
    "1e308",
    "5e-7",
    "-150",
    "0",
    "null",
    '"150"',
    '"NaN"',
    "{}",
    "[150]",
    "1.5",
  ),
);
const factorNearPrice = fc.double({ min: 0.7, max: 1.4, noNaN: true });
const priceResponses = fc.record(
  Object.fromEntries([
    ...ASSET_SYMBOLS.map((symbol) => [
      ASSETS[symbol].mint,
      fc.oneof(
        price,
        factorNearPrice.map((factor) => String(factor * PRICES_USD[symbol])),
        fc.constant(undefined),
      ),
    ]),
    [unlisted, price],
  ]) as Record<string, fc.Arbitrary<string | undefined>>,
);

function stagePrices(prices: Record<string, string | undefined>): void {
  const members = Object.entries(prices).flatMap(([mint, usd]) => (usd ? [`"${mint}":{"usdPrice":${usd}}`] : []));
  responseText = `{${members.join(",")}}`;
}

function createWorld(): FakeDeps {
  const deps = fakeDeps();
  const { clock, kv, priceBounds: bounds } = deps;
  const jupiter = createJupiter({ baseUrl: "http://prices.invalid", timeoutMs: 20_000, clock, transport });
  const feed = createPriceFeed({ jupiter: withBudget(UNLIMITED, jupiter), clock, kv, bounds, notice: () => {} });
  deps.prices = scopeToCaller(SERVICE, feed);
  deps.chain.accounts.set(service, solAccount(1_000_000_000n));
  const { mint } = ASSETS.ETH;
  const ether = createTokenAccount(mint, service, 3_000_000n, 1_488_440n);
  deps.chain.accounts.set(deriveAssociatedTokenAddress(service, mint), ether);
  const holding = { account: testWallet("token account").address, mint: unlisted, decimals: 0, program: TOKEN_PROGRAM };
  deps.chain.holdings.set(service, [{ ...holding, amount: 2n ** 64n - 1n }]);
  return deps;
}

const wallets = { userPubkey: user, serviceWalletPubkey: service };
const READS: ((deps: FakeDeps) => Promise<unknown>)[] = [
  async (deps) => getPricesContract.data.parse(await getPrices(deps)),
  async (deps) => {
    const input = parseInput(getPortfolioContract, { address: service });
    return getPortfolioContract.data.parse(await getPortfolio(deps, input));
  },
  async (deps) => {
    const input = parseInput(getAccumulatorContract, { address: service });
    return getAccumulatorContract.data.parse(await getAccumulator(deps, input));
  },
  async (deps) => {
    const input = parseInput(calculateRoundUpContract, { txValueUsd: 27.63 });
    return calculateRoundUpContract.data.parse(await calculateRoundUp(deps, input));
  },
  async (deps) => {
    const input = parseInput(quoteSwapContract, { inputLamports: 50_000_000, targetAsset: "ETH" });
    return quoteSwapContract.data.parse(await quoteSwap(deps, input));
  },
];

/** Returns null for a 502 or 503, and throws any other error. */
async function catchUpstreamFailure<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([502, 503]).toContain(error.status);
    return null;
  }
}

/** Calls every service that uses prices once. Returns whether a wrap was built. */
async function callAllServices(deps: FakeDeps): Promise<boolean> {
  for (const read of READS) await catchUpstreamFailure(read(deps));
  const wrap = await catchUpstreamFailure(
    buildWrap(deps, parseInput(buildWrapContract, { txValueUsd: 27.03, plan: "forest", ...wallets })),
  );
  if (wrap) {
    const breakdown = buildWrapContract.data.parse(wrap).breakdown;
    expect(BigInt(breakdown.roundUpLamports)).toBeLessThanOrEqual(computeMaxLamports(1_000_000n, deps.priceBounds));
    expect(breakdown.roundUpLamports).toBeGreaterThan(0);
  }
  const topup = await catchUpstreamFailure(
    buildTopup(deps, parseInput(buildTopupContract, { amountUsd: 7, ...wallets })),
  );
  if (topup) {
    const { roundUpLamports } = buildTopupContract.data.parse(topup).breakdown;
    expect(BigInt(roundUpLamports)).toBeLessThanOrEqual(computeMaxLamports(7_000_000n, deps.priceBounds));
  }
  expect(topup === null).toBe(wrap === null);
  const request = {
    serviceWalletPubkey: service,
    allocations: [
      { asset: "ETH", pct: 50 },
      { asset: "USDC", pct: 50 },
    ],
  };
  const swap = await catchUpstreamFailure(buildSwap(deps, parseInput(buildSwapContract, request)));
  if (swap) {
    for (const { quote } of buildSwapContract.data.parse(swap).transactions) {
      const { SOL = 0, ...others } = (await deps.prices.readCurrent()).usd;
      const inputUsd = (quote.inputLamports / 1e9) * SOL;
      const outputUsd = (Number(quote.outputAmount) / 10 ** quote.outputDecimals) * others[quote.targetAsset as "ETH"]!;
      expect(outputUsd).toBeGreaterThan(inputUsd * 0.9599);
    }
  }
  const { SOL = 0, ETH = 0 } = (await deps.prices.readCurrent().catch(() => ({ usd: { SOL: 0, ETH: 0 } }))).usd;
  const saleRequest = { serviceWalletPubkey: service, asset: "ETH", all: true, into: "SOL" };
  const sale = await catchUpstreamFailure(buildSale(deps, parseInput(buildSaleContract, saleRequest)));
  for (const { quote } of sale ? buildSaleContract.data.parse(sale).transactions : []) {
    const inputUsd = (Number(quote.inputAmount) / 10 ** quote.inputDecimals) * ETH;
    expect((Number(quote.outputAmount) / 1e9) * SOL).toBeGreaterThan(inputUsd * 0.9599);
  }
  return wrap !== null;
}

test("no price causes an internal error, a wrap above its ceiling, or a swap at a loss", {
  timeout: 60_000 + RUNS * 500,
}, async () => {
  let builtWraps = 0;
  const property = fc.asyncProperty(fc.array(priceResponses, { minLength: 1, maxLength: 3 }), async (responses) => {
    const deps = createWorld();
    for (const response of responses) {
      stagePrices(response);
      if (await callAllServices(deps)) builtWraps++;
      await deps.clock.advance(31_000);
    }
  });
  await fc.assert(property, { numRuns: RUNS });
  expect(builtWraps).toBeGreaterThan(RUNS / 6);
});

test("nothing is built at an implausible price (1.50, 10^9) or an unconfirmed jump (15, 1,500)", async () => {
  for (const SOL of ["1.5", "15", "1500", "1000000000"]) {
    const deps = createWorld();
    const plausiblePrices = Object.fromEntries(
      ASSET_SYMBOLS.map((symbol) => [ASSETS[symbol].mint, String(PRICES_USD[symbol])]),
    );
    stagePrices(plausiblePrices);
    expect(await callAllServices(deps)).toBe(true);
    await deps.clock.advance(61_000);
    stagePrices({ ...plausiblePrices, [ASSETS.SOL.mint]: SOL });
    expect(await callAllServices(deps), SOL).toBe(false);
  }
});
