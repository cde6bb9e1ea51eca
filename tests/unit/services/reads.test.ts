import { describe, expect, test } from "vitest";
import { buildSwapContract } from "../../../lib/contracts/build-swap";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import { getAccumulatorContract } from "../../../lib/contracts/get-accumulator";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { getPricesContract } from "../../../lib/contracts/get-prices";
import { ASSETS } from "../../../lib/domain/assets";
import { AppError } from "../../../lib/errors";
import type { AccountState, TokenHolding } from "../../../lib/ports";
import { buildSwap } from "../../../lib/services/build-swap";
import { buildWrap } from "../../../lib/services/build-wrap";
import { calculateRoundUp } from "../../../lib/services/calculate-round-up";
import { getAccumulator } from "../../../lib/services/get-accumulator";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { getPrices } from "../../../lib/services/get-prices";
import { NATIVE_MINT, TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../lib/solana/programs";
import { associatedTokenAddress } from "../../../lib/solana/token-instructions";
import { inputOf } from "../../support/contract-input";
import {
  callNames,
  type FakeDeps,
  fakeDeps,
  PRICES_USD,
  pricesAt,
  solAccount,
  unavailable,
  upstreamRounds,
} from "../../support/fake-deps";
import { testWallet } from "../../support/test-wallets";

const wallet = testWallet("saver").address;
const PORTAL_WBTC = "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh";

function world(lamports: bigint, ...holdings: TokenHolding[]): FakeDeps {
  const deps = fakeDeps();
  if (lamports > 0n) deps.chain.accounts.set(wallet, solAccount(lamports));
  deps.chain.holdings.set(wallet, holdings);
  return deps;
}

let serial = 0;
const held = (mint: string, amount: bigint, decimals: number, program = TOKEN_PROGRAM): TokenHolding => ({
  account: testWallet(`token account ${serial++}`).address,
  mint,
  amount,
  decimals,
  program,
});

const failing =
  (...methods: string[]) =>
  ({ method }: { method: string }) => {
    if (methods.includes(method)) throw unavailable();
  };

describe("portfolio", () => {
  const read = async (deps: FakeDeps) =>
    getPortfolioContract.data.parse(await getPortfolio(deps, inputOf(getPortfolioContract, { address: wallet })));
  const unknownMint = testWallet("a mint nobody lists").address;
  const pricedMint = testWallet("a mint with a price").address;

  test("shows SOL and every mint of both token programs with its value, and their sum", async () => {
    const deps = world(
      2_000_000_000n,
      held(ASSETS.BTC.mint, 1_234_567n, 8),
      held(ASSETS.USDC.mint, 5_500_000n, 6),
      held(pricedMint, 300n, 2, TOKEN_2022_PROGRAM),
    );
    deps.quoted.ofMints = { [pricedMint]: 0.5 };
    expect(await read(deps)).toEqual({
      walletAddress: wallet,
      network: "sandbox",
      balances: [
        {
          asset: "BTC",
          symbol: "BTC",
          mint: ASSETS.BTC.mint,
          balance: 0.01234567,
          amount: "1234567",
          decimals: 8,
          priceUsd: 100_000,
          usdValue: 1_234.567,
        },
        {
          asset: "SOL",
          symbol: "SOL",
          mint: NATIVE_MINT,
          balance: 2,
          amount: "2000000000",
          decimals: 9,
          priceUsd: 150,
          usdValue: 300,
        },
        {
          asset: "USDC",
          symbol: "USDC",
          mint: ASSETS.USDC.mint,
          balance: 5.5,
          amount: "5500000",
          decimals: 6,
          priceUsd: 1,
          usdValue: 5.5,
        },
        {
          asset: null,
          symbol: expect.any(String),
          mint: pricedMint,
          balance: 3,
          amount: "300",
          decimals: 2,
          priceUsd: 0.5,
          usdValue: 1.5,
        },
      ],
      totalUsd: 1_541.567,
      pendingSol: 2,
      pendingLamports: 2_000_000_000,
      pendingUsd: 300,
      investableLamports: 1_996_267_880,
      investableUsd: 299.440182,
      solPriceUsd: 150,
      asOf: new Date(deps.clock.now()).toISOString(),
    });
  });

  test("leaves zero balances out, SOL included, and an empty wallet is worth 0", async () => {
    const { balances, ...rest } = await read(world(0n, held(ASSETS.BTC.mint, 0n, 8), held(unknownMint, 0n, 0)));
    expect(balances).toEqual([]);
    expect(rest).toMatchObject({ totalUsd: 0, pendingSol: 0, pendingLamports: 0, pendingUsd: 0, solPriceUsd: 150 });
  });

  test("a wallet that does not exist is an empty one", async () => {
    expect(await read(fakeDeps())).toMatchObject({ balances: [], totalUsd: 0, pendingLamports: 0 });
  });

  test("several accounts of one mint are one balance", async () => {
    const parts = [1n, 20n, 0n, 300n].map((amount) => held(ASSETS.ETH.mint, amount, 8));
    const { balances } = await read(world(0n, ...parts));
    expect(balances).toHaveLength(1);
    expect(balances[0]).toMatchObject({ asset: "ETH", amount: "321" });
  });

  test("the older bitcoin counts as BTC at its price, in a line of its own", async () => {
    const deps = world(0n, held(PORTAL_WBTC, 50_000_000n, 8), held(ASSETS.BTC.mint, 100_000_000n, 8));
    const { balances, totalUsd } = await read(deps);
    expect(balances.map(({ asset, symbol, usdValue }) => [asset, symbol, usdValue])).toEqual([
      ["BTC", "BTC", 100_000],
      ["BTC", "WBTC", 50_000],
    ]);
    expect(totalUsd).toBe(150_000);
    expect(deps.calls.some(({ method }) => method === "ofMints")).toBe(false);
  });

  test("wrapped SOL is a token of its own and not pending", async () => {
    const { balances, pendingLamports } = await read(world(1_000n, held(NATIVE_MINT, 2_000n, 9)));
    expect(balances.map(({ symbol, amount }) => [symbol, amount])).toEqual([
      ["wSOL", "2000"],
      ["SOL", "1000"],
    ]);
    expect(pendingLamports).toBe(1_000);
  });

  test("amounts beyond 2^53 are exact", async () => {
    const amount = 2n ** 64n - 1n;
    const { balances } = await read(world(0n, held(unknownMint, amount, 0)));
    expect(balances[0]!.amount).toBe(amount.toString());
  });

  test("unpriced is null, never 0, counts for nothing in the sum, and stands last", async () => {
    const deps = world(1_000_000_000n, held(unknownMint, 10n ** 18n, 6), held(pricedMint, 1n, 0));
    deps.quoted.ofMints = { [pricedMint]: 0.000001 };
    const { balances, totalUsd } = await read(deps);
    expect(balances.map(({ mint, usdValue }) => [mint, usdValue])).toEqual([
      [NATIVE_MINT, 150],
      [pricedMint, 0.000001],
      [unknownMint, null],
    ]);
    expect(balances[2]).toMatchObject({ priceUsd: null, asset: null });
    expect(totalUsd).toBe(150.000001);
  });

  test("known assets come first, each group by value", async () => {
    const [cheap, dear] = [testWallet("cheap").address, testWallet("dear").address];
    const deps = world(
      1n,
      held(dear, 1n, 0),
      held(unknownMint, 1n, 0),
      held(ASSETS.USDT.mint, 9_000_000n, 6),
      held(cheap, 1n, 0),
      held(ASSETS.ETH.mint, 100_000_000n, 8),
    );
    deps.quoted.ofMints = { [cheap]: 10, [dear]: 1_000_000 };
    const { balances } = await read(deps);
    expect(balances.map(({ mint }) => mint)).toEqual([
      ASSETS.ETH.mint,
      ASSETS.USDT.mint,
      NATIVE_MINT,
      dear,
      cheap,
      unknownMint,
    ]);
  });

  test.each(["accounts", "tokenHoldings"])("%s failing is an error, never an empty portfolio", async (method) => {
    const deps = world(1_000n, held(ASSETS.BTC.mint, 1n, 8));
    deps.before = failing(method);
    await expect(read(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("without prices the balances are there and every dollar is null, never 0", async () => {
    for (const deps of [world(1_000n, held(ASSETS.BTC.mint, 1n, 8)), world(0n)]) {
      deps.quoted.current = null;
      const { balances, totalUsd, pendingUsd, investableLamports, investableUsd, solPriceUsd } = await read(deps);
      expect(balances.every(({ priceUsd, usdValue }) => priceUsd === null && usdValue === null)).toBe(true);
      expect([totalUsd, pendingUsd, solPriceUsd]).toEqual([null, null, null]);
      expect([investableLamports, investableUsd]).toEqual([null, null]);
    }
  });

  test("our own bug in the feed is not taken for a missing price", async () => {
    const deps = world(1_000n);
    deps.before = ({ method }) => {
      if (method === "current") throw new RangeError("ours");
    };
    await expect(read(deps)).rejects.toThrow(RangeError);
  });

  test("one round of reads; prices of other mints, and what can be invested, once what is held is known", async () => {
    const deps = world(1_000n, held(unknownMint, 1n, 0), held(ASSETS.BTC.mint, 1n, 8));
    expect(await upstreamRounds(deps, () => read(deps))).toEqual([
      ["prices.current", "rpc.accounts", "rpc.tokenHoldings"],
      ["prices.ofMints", "rpc.accounts", "rpc.rentExemptMinimum", "rpc.rentExemptMinimum"],
    ]);
    expect(deps.calls.find(({ method }) => method === "ofMints")!.args).toEqual([[unknownMint]]);
  });
});

describe("what can be invested", () => {
  const btcAccount = associatedTokenAddress(wallet, ASSETS.BTC.mint);
  const opened: AccountState = {
    lamports: 1_488_440n,
    owner: TOKEN_PROGRAM,
    data: new Uint8Array(165),
    executable: false,
  };

  test.each([
    ["nothing", 0n, null],
    ["less than the costs", 2_000_000n, null],
    ["exactly the costs", 3_732_120n, null],
    ["a lamport more than the costs", 3_732_121n, null],
    ["enough", 1_000_000_000n, null],
    ["enough, with bitcoin bought before", 1_000_000_000n, opened],
    ["enough, with SOL sent to where the bitcoin will be", 1_000_000_000n, solAccount(1_000_000n)],
  ])("%s: accumulator and portfolio say what build would swap", async (_what, lamports, token) => {
    const deps = world(lamports);
    if (token) deps.chain.accounts.set(btcAccount, token);
    const asked = { serviceWalletPubkey: wallet, threshold: 0.000001 };
    const { swappableLamports } = await buildSwap(deps, inputOf(buildSwapContract, asked));
    const investableUsd = Math.floor(swappableLamports * 0.15) / 1e6;
    const expected = { investableLamports: swappableLamports, investableUsd };
    expect(await getPortfolio(deps, { address: wallet })).toMatchObject(expected);
    expect(await getAccumulator(deps, { address: wallet })).toMatchObject(expected);
  });

  test("of a wallet without SOL nothing more is read", async () => {
    const deps = world(0n, held(ASSETS.BTC.mint, 1n, 8));
    expect(await getPortfolio(deps, { address: wallet })).toMatchObject({ investableLamports: 0, investableUsd: 0 });
    expect(callNames(deps).sort()).toEqual(["prices.current", "rpc.accounts", "rpc.tokenHoldings"]);
  });
});

describe("accumulator", () => {
  const read = async (deps: FakeDeps, threshold?: number) => {
    const input = inputOf(getAccumulatorContract, { address: wallet, threshold });
    return getAccumulatorContract.data.parse(await getAccumulator(deps, input));
  };

  test("says balance, threshold and what is missing at one price", async () => {
    expect(await read(world(20_000_000n))).toEqual({
      walletAddress: wallet,
      network: "sandbox",
      balanceSol: 0.02,
      balanceLamports: 20_000_000,
      balanceUsd: 3,
      investableLamports: 16_267_880,
      investableUsd: 2.440182,
      solPriceUsd: 150,
      thresholdUsd: 5,
      thresholdReached: false,
      remaining: 2,
    });
  });

  test("is reached at exactly the threshold, and one lamport below it is not", async () => {
    expect(await read(world(200_000_000n), 30)).toMatchObject({ thresholdReached: true, remaining: 0, balanceUsd: 30 });
    const below = await read(world(199_999_999n), 30);
    expect(below.thresholdReached).toBe(false);
    expect(below.remaining).toBeGreaterThan(0);
  });

  test("above the threshold nothing remains", async () => {
    expect(await read(world(10_000_000_000n), 0.000001)).toMatchObject({ thresholdReached: true, remaining: 0 });
  });

  test("no threshold is so small that an empty wallet reaches it", async () => {
    for (const threshold of [1e-7, 4e-7, 5e-324]) {
      expect(await read(fakeDeps(), threshold)).toMatchObject({ thresholdReached: false, balanceUsd: 0 });
    }
  });

  test("a wallet that does not exist has all of it to go", async () => {
    expect(await read(fakeDeps(), 7.5)).toMatchObject({
      balanceSol: 0,
      balanceUsd: 0,
      thresholdReached: false,
      remaining: 7.5,
    });
  });

  test("without a price, or without the chain, it fails: a missing price is never 0", async () => {
    const priceless = world(1_000n);
    priceless.quoted.current = null;
    await expect(read(priceless)).rejects.toMatchObject({ code: "price_stale" });
    const chainless = world(1_000n);
    chainless.before = failing("accounts");
    await expect(read(chainless)).rejects.toMatchObject({ code: "upstream_unavailable" });
  });

  test("balance, rent and price are read in one round", async () => {
    const deps = world(1_000n);
    expect(await upstreamRounds(deps, () => read(deps))).toEqual([
      ["prices.current", "rpc.accounts", "rpc.rentExemptMinimum", "rpc.rentExemptMinimum"],
    ]);
  });
});

describe("price", () => {
  const read = async (deps: FakeDeps) => getPricesContract.data.parse(await getPrices(deps));

  test("says what, when, how old and from where", async () => {
    const deps = fakeDeps();
    const fetchedAt = deps.clock.now();
    await deps.clock.advance(1_234);
    expect(await read(deps)).toEqual({
      prices: { BTC: 100_000, ETH: 4_000, SOL: 150, USDC: 1, USDT: 0.999 },
      timestamp: new Date(fetchedAt).toISOString(),
      ageMs: 1_234,
      stale: false,
      source: "staged",
      problems: [],
    });
  });

  test("is fresh at 30 s and stale a millisecond later", async () => {
    const deps = fakeDeps();
    await deps.clock.advance(30_000);
    expect(await read(deps)).toMatchObject({ ageMs: 30_000, stale: false });
    await deps.clock.advance(1);
    expect(await read(deps)).toMatchObject({ ageMs: 30_001, stale: true });
  });

  test("is stale, however young, while two sources disagree", async () => {
    const deps = fakeDeps();
    deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { SOL: "disputed" } });
    expect(await read(deps)).toMatchObject({ ageMs: 0, stale: true });
  });

  test("an asset without a price, or with a doubtful one, is named and never 0; the others stand", async () => {
    const deps = fakeDeps();
    const { ETH: _, ...usd } = PRICES_USD;
    deps.quoted.current = pricesAt(deps.clock.now(), { usd });
    expect(await read(deps)).toMatchObject({
      prices: usd,
      stale: false,
      problems: [{ asset: "ETH", problem: "missing" }],
    });
    deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { ETH: "jumped" } });
    expect(await read(deps)).toMatchObject({
      prices: PRICES_USD,
      stale: true,
      problems: [{ asset: "ETH", problem: "jumped" }],
    });
  });

  test("is never of a negative age, should the clock step back", async () => {
    const deps = fakeDeps();
    deps.quoted.current = pricesAt(deps.clock.now() + 500);
    expect(await read(deps)).toMatchObject({ ageMs: 0, stale: false });
  });

  test("none to be had is an error", async () => {
    const deps = fakeDeps();
    deps.quoted.current = null;
    await expect(read(deps)).rejects.toBeInstanceOf(AppError);
  });
});

describe("round-up", () => {
  const calculate = async (deps: FakeDeps, asked: Record<string, unknown>) =>
    calculateRoundUpContract.data.parse(await calculateRoundUp(deps, inputOf(calculateRoundUpContract, asked)));

  test("a price of SOL in doubt is as good as none: the lamports are those a wrap would move", async () => {
    const deps = fakeDeps();
    deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { SOL: "jumped" } });
    expect(await calculate(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: null });
    deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { ETH: "jumped" } });
    expect(await calculate(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: 150 });
  });

  test("with a price it answers dollars, SOL and lamports", async () => {
    expect(await calculate(fakeDeps(), { txValueUsd: 27.63, plan: "tree" })).toMatchObject({
      roundUpUsd: 0.37,
      roundUpSol: 0.002466666,
      serviceFeeUsd: 0.00185,
      userInvestmentUsd: 0.36815,
      roundUpLamports: 2_466_666,
      serviceFeeLamports: 12_333,
      userInvestmentLamports: 2_454_333,
      solPriceUsd: 150,
    });
  });

  test("its lamports are those that a wrap of the same purchase moves; nothing moves for a multiple", async () => {
    const deps = fakeDeps();
    for (const asked of [{ txValueUsd: 27.63 }, { txValueUsd: 4.1, roundToUsd: 3, ceiling: 0.7 }, { txValueUsd: 30 }]) {
      const calculated = await calculate(deps, asked);
      const wallets = { userPubkey: wallet, serviceWalletPubkey: testWallet("service wallet").address };
      const { breakdown } = await buildWrap(deps, inputOf(buildWrapContract, { ...asked, ...wallets }));
      expect(breakdown).toMatchObject(calculated);
      expect(calculated.serviceFeeLamports! + calculated.userInvestmentLamports!).toBe(calculated.roundUpLamports);
    }
    expect(await calculate(deps, { txValueUsd: 30 })).toMatchObject({ skipped: true, roundUpLamports: 0 });
  });

  test("without a price it answers the same dollars, and null SOL and lamports", async () => {
    const priced = await calculate(fakeDeps(), { txValueUsd: 27.63, plan: "tree" });
    const deps = fakeDeps();
    deps.quoted.current = null;
    expect(await calculate(deps, { txValueUsd: 27.63, plan: "tree" })).toEqual({
      ...priced,
      roundUpSol: null,
      serviceFeeSol: null,
      userInvestmentSol: null,
      roundUpLamports: null,
      serviceFeeLamports: null,
      userInvestmentLamports: null,
      solPriceUsd: null,
    });
  });

  test("an old price still shows, since nothing is built with it", async () => {
    const deps = fakeDeps();
    await deps.clock.advance(299_000);
    expect(await calculate(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: 150 });
  });
});
