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
import { tokenAccount } from "../../support/fakes/fake-simulation";
import { testWallet } from "../../support/fixtures/test-wallets";

/** Whatever the price source says, from JSON's own nonsense to a slipped decimal point. */

const user = testWallet("user").address;
const service = testWallet("service wallet").address;
const unlisted = testWallet("an unlisted mint").address;

const RUNS = Number(process.env.FUZZ_RUNS ?? 120);

/** Body of the price source's next answers. */
let answered = "";
const transport = async () => ({ status: 200, headers: {}, text: answered });

/** The price as text of the answer. 1e999 exceeds the range of a number and becomes Infinity. */
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
const nearTruth = fc.double({ min: 0.7, max: 1.4, noNaN: true });
const answers = fc.record(
  Object.fromEntries([
    ...ASSET_SYMBOLS.map((symbol) => [
      ASSETS[symbol].mint,
      fc.oneof(
        price,
        nearTruth.map((factor) => String(factor * PRICES_USD[symbol])),
        fc.constant(undefined),
      ),
    ]),
    [unlisted, price],
  ]) as Record<string, fc.Arbitrary<string | undefined>>,
);

function stage(prices: Record<string, string | undefined>): void {
  const members = Object.entries(prices).flatMap(([mint, usd]) => (usd ? [`"${mint}":{"usdPrice":${usd}}`] : []));
  answered = `{${members.join(",")}}`;
}

function world(): FakeDeps {
  const deps = fakeDeps();
  const { clock, kv, priceBounds: bounds } = deps;
  const jupiter = createJupiter({ baseUrl: "http://prices.invalid", timeoutMs: 20_000, clock, transport });
  const feed = createPriceFeed({ jupiter: withBudget(UNLIMITED, jupiter), clock, kv, bounds, notice: () => {} });
  deps.prices = scopeToCaller(SERVICE, feed);
  deps.chain.accounts.set(service, solAccount(1_000_000_000n));
  const { mint } = ASSETS.ETH;
  const ether = tokenAccount(mint, service, 3_000_000n, 1_488_440n);
  deps.chain.accounts.set(deriveAssociatedTokenAddress(service, mint), ether);
  const held = { account: testWallet("token account").address, mint: unlisted, decimals: 0, program: TOKEN_PROGRAM };
  deps.chain.holdings.set(service, [{ ...held, amount: 2n ** 64n - 1n }]);
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

/** Null when it was refused, as it may be: by a planned failure that is an upstream's. */
async function unlessRefused<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    expect([502, 503]).toContain(error.status);
    return null;
  }
}

/** Everything that uses prices, once. @returns whether a wrap was built */
async function useAll(deps: FakeDeps): Promise<boolean> {
  for (const read of READS) await unlessRefused(read(deps));
  const wrap = await unlessRefused(
    buildWrap(deps, parseInput(buildWrapContract, { txValueUsd: 27.03, plan: "forest", ...wallets })),
  );
  if (wrap) {
    const built = buildWrapContract.data.parse(wrap).breakdown;
    expect(BigInt(built.roundUpLamports)).toBeLessThanOrEqual(computeMaxLamports(1_000_000n, deps.priceBounds));
    expect(built.roundUpLamports).toBeGreaterThan(0);
  }
  const topup = await unlessRefused(buildTopup(deps, parseInput(buildTopupContract, { amountUsd: 7, ...wallets })));
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
  const swap = await unlessRefused(buildSwap(deps, parseInput(buildSwapContract, request)));
  if (swap) {
    for (const { quote } of buildSwapContract.data.parse(swap).transactions) {
      const { SOL = 0, ...others } = (await deps.prices.readCurrent()).usd;
      const given = (quote.inputLamports / 1e9) * SOL;
      const taken = (Number(quote.outputAmount) / 10 ** quote.outputDecimals) * others[quote.targetAsset as "ETH"]!;
      expect(taken).toBeGreaterThan(given * 0.9599);
    }
  }
  const { SOL = 0, ETH = 0 } = (await deps.prices.readCurrent().catch(() => ({ usd: { SOL: 0, ETH: 0 } }))).usd;
  const sold = { serviceWalletPubkey: service, asset: "ETH", all: true, into: "SOL" };
  const sale = await unlessRefused(buildSale(deps, parseInput(buildSaleContract, sold)));
  for (const { quote } of sale ? buildSaleContract.data.parse(sale).transactions : []) {
    const given = (Number(quote.inputAmount) / 10 ** quote.inputDecimals) * ETH;
    expect((Number(quote.outputAmount) / 1e9) * SOL).toBeGreaterThan(given * 0.9599);
  }
  return wrap !== null;
}

test("no prices cause a bug, a wrap above the ceiling at the least plausible price, or a swap at a loss", {
  timeout: 60_000 + RUNS * 500,
}, async () => {
  let built = 0;
  const property = fc.asyncProperty(fc.array(answers, { minLength: 1, maxLength: 3 }), async (reads) => {
    const deps = world();
    for (const read of reads) {
      stage(read);
      if (await useAll(deps)) built++;
      await deps.clock.advance(31_000);
    }
  });
  await fc.assert(property, { numRuns: RUNS });
  expect(built).toBeGreaterThan(RUNS / 6);
});

test("a slipped decimal point builds nothing: 1.50 and 10^9 are implausible, 15 and 1,500 unconfirmed", async () => {
  for (const SOL of ["1.5", "15", "1500", "1000000000"]) {
    const deps = world();
    const all = Object.fromEntries(ASSET_SYMBOLS.map((symbol) => [ASSETS[symbol].mint, String(PRICES_USD[symbol])]));
    stage(all);
    expect(await useAll(deps)).toBe(true);
    await deps.clock.advance(61_000);
    stage({ ...all, [ASSETS.SOL.mint]: SOL });
    expect(await useAll(deps), SOL).toBe(false);
  }
});
