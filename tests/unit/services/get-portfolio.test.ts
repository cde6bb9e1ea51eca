import { describe, expect, test } from "vitest";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { ASSETS } from "../../../lib/domain/assets";
import type { TokenHolding } from "../../../lib/domain/holdings";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { NATIVE_MINT, TOKEN_2022_PROGRAM } from "../../../lib/solana/programs";
import { parseInput } from "../../support/client/contract-input";
import {
  type FakeDeps,
  failCalls,
  PRICES_USD,
  pricesAt,
  recordRounds,
  solAccount,
} from "../../support/fakes/fake-deps";
import { testWallet } from "../../support/fixtures/test-wallets";
import { createHolding, stageHoldings, wallet } from "../../support/worlds/holding-world";

const PORTAL_WBTC = "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh";

const readPortfolio = async (deps: FakeDeps) =>
  getPortfolioContract.data.parse(await getPortfolio(deps, parseInput(getPortfolioContract, { address: wallet })));
const unknownMint = testWallet("an unlisted mint").address;
const pricedMint = testWallet("a mint with a price").address;

test("a portfolio lists SOL and every mint of both token programs with its value", async () => {
  const deps = stageHoldings(
    2_000_000_000n,
    createHolding(ASSETS.BTC.mint, 1_234_567n, 8),
    createHolding(ASSETS.USDC.mint, 5_500_000n, 6),
    createHolding(pricedMint, 300n, 2, TOKEN_2022_PROGRAM),
  );
  deps.quoted.ofMints = { [pricedMint]: 0.5 };
  const { balances, ...rest } = await readPortfolio(deps);
  expect(balances[0]).toEqual({
    asset: "BTC",
    symbol: "BTC",
    mint: ASSETS.BTC.mint,
    balance: 0.01234567,
    amount: "1234567",
    decimals: 8,
    priceUsd: 100_000,
    usdValue: 1_234.567,
    unpriced: null,
  });
  expect(balances.slice(1)).toMatchObject([
    { asset: "SOL", mint: NATIVE_MINT, balance: 2, amount: "2000000000", priceUsd: 150, usdValue: 300 },
    { asset: "USDC", mint: ASSETS.USDC.mint, balance: 5.5, amount: "5500000", priceUsd: 1, usdValue: 5.5 },
    { asset: null, mint: pricedMint, balance: 3, amount: "300", priceUsd: 0.5, usdValue: 1.5 },
  ]);
  expect(rest).toEqual({
    walletAddress: wallet,
    network: "sandbox",
    leftOut: [],
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

describe("a portfolio", () => {
  /** Returns the same holdings object on each read, as the client's cache does for a moment. */
  function shareHoldings(...holdings: TokenHolding[]) {
    const deps = stageHoldings(2_000_000_000n, ...holdings);
    const sharedAnswer = { holdings, leftOut: [] };
    Object.assign(deps.rpc, { readTokenHoldings: async () => sharedAnswer });
    return { deps, ask: () => getPortfolio(deps, parseInput(getPortfolioContract, { address: wallet })) };
  }

  test("is the same object until its SOL, prices or holdings change", async () => {
    const { deps, ask } = shareHoldings(createHolding(ASSETS.BTC.mint, 100_000_000n, 8));
    const firstAnswer = await ask();
    await deps.clock.advance(1);
    expect(await ask()).toBe(firstAnswer);

    deps.chain.accounts.set(wallet, solAccount(3_000_000_000n));
    expect(await ask()).toMatchObject({ pendingSol: 3, asOf: new Date(deps.clock.now()).toISOString() });
    deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...PRICES_USD, SOL: 151 } });
    expect(await ask()).toMatchObject({ pendingSol: 3, solPriceUsd: 151, pendingUsd: 453 });
    Object.assign(deps.rpc, { readTokenHoldings: async () => ({ holdings: [], leftOut: [] }) });
    expect((await ask()).balances.map(({ asset }) => asset)).toEqual(["SOL"]);
  });

  test("is computed on every call if it holds a mint that is not an asset, because that price may have changed", async () => {
    const { deps, ask } = shareHoldings(createHolding(pricedMint, 1n, 0));
    deps.quoted.ofMints = { [pricedMint]: 1 };
    expect(await ask()).toMatchObject({ totalUsd: 301 });
    deps.quoted.ofMints = { [pricedMint]: 2 };
    expect(await ask()).toMatchObject({ totalUsd: 302 });
  });
});

test("a portfolio leaves out zero balances", async () => {
  const { balances, ...rest } = await readPortfolio(
    stageHoldings(0n, createHolding(ASSETS.BTC.mint, 0n, 8), createHolding(unknownMint, 0n, 0)),
  );
  expect(balances).toEqual([]);
  expect(rest).toMatchObject({ totalUsd: 0, pendingSol: 0, pendingLamports: 0, pendingUsd: 0, solPriceUsd: 150 });
});

test("several accounts of one mint add up to one balance", async () => {
  const parts = [1n, 20n, 0n, 300n].map((amount) => createHolding(ASSETS.ETH.mint, amount, 8));
  const { balances } = await readPortfolio(stageHoldings(0n, ...parts));
  expect(balances).toHaveLength(1);
  expect(balances[0]).toMatchObject({ asset: "ETH", amount: "321" });
});

test("the older bitcoin token counts as BTC at its price, in a separate line", async () => {
  const deps = stageHoldings(
    0n,
    createHolding(PORTAL_WBTC, 50_000_000n, 8),
    createHolding(ASSETS.BTC.mint, 100_000_000n, 8),
  );
  const { balances, totalUsd } = await readPortfolio(deps);
  expect(balances.map(({ asset, symbol, usdValue }) => [asset, symbol, usdValue])).toEqual([
    ["BTC", "BTC", 100_000],
    ["BTC", "WBTC", 50_000],
  ]);
  expect(totalUsd).toBe(150_000);
  expect(deps.calls.some(({ method }) => method === "readMints")).toBe(false);
});

test("wrapped SOL is a separate token and not pending", async () => {
  const { balances, pendingLamports } = await readPortfolio(
    stageHoldings(1_000n, createHolding(NATIVE_MINT, 2_000n, 9)),
  );
  expect(balances.map(({ symbol, amount }) => [symbol, amount])).toEqual([
    ["wSOL", "2000"],
    ["SOL", "1000"],
  ]);
  expect(pendingLamports).toBe(1_000);
});

test("amounts beyond 2^53 are exact", async () => {
  const amount = 2n ** 64n - 1n;
  const { balances } = await readPortfolio(stageHoldings(0n, createHolding(unknownMint, amount, 0)));
  expect(balances[0]!.amount).toBe(amount.toString());
});

test("a token without a price has the value null and is listed last", async () => {
  const deps = stageHoldings(
    1_000_000_000n,
    createHolding(unknownMint, 10n ** 18n, 6),
    createHolding(pricedMint, 1n, 0),
  );
  deps.quoted.ofMints = { [pricedMint]: 0.000001 };
  const { balances, totalUsd } = await readPortfolio(deps);
  expect(balances.map(({ mint, usdValue }) => [mint, usdValue])).toEqual([
    [NATIVE_MINT, 150],
    [pricedMint, 0.000001],
    [unknownMint, null],
  ]);
  expect(balances[2]).toMatchObject({ priceUsd: null, asset: null });
  expect(totalUsd).toBe(150.000001);
});

test("`unpriced` says whether the token has no price, or none at the moment", async () => {
  const deps = stageHoldings(
    1n,
    createHolding(unknownMint, 1n, 0),
    createHolding(pricedMint, 1n, 0),
    createHolding(ASSETS.BTC.mint, 1n, 8),
  );
  deps.quoted = { current: null, ofMints: { [unknownMint]: null } };
  const { balances } = await readPortfolio(deps);
  expect(Object.fromEntries(balances.map(({ mint, unpriced }) => [mint, unpriced]))).toEqual({
    [NATIVE_MINT]: "unknown",
    [ASSETS.BTC.mint]: "unknown",
    [pricedMint]: "unknown",
    [unknownMint]: "none",
  });
});

test("known assets are listed before other tokens, each sorted by value", async () => {
  const [cheapMint, expensiveMint] = [testWallet("cheap mint").address, testWallet("expensive mint").address];
  const deps = stageHoldings(
    1n,
    createHolding(expensiveMint, 1n, 0),
    createHolding(unknownMint, 1n, 0),
    createHolding(ASSETS.USDT.mint, 9_000_000n, 6),
    createHolding(cheapMint, 1n, 0),
    createHolding(ASSETS.ETH.mint, 100_000_000n, 8),
  );
  deps.quoted.ofMints = { [cheapMint]: 10, [expensiveMint]: 1_000_000 };
  const { balances } = await readPortfolio(deps);
  expect(balances.map(({ mint }) => mint)).toEqual([
    ASSETS.ETH.mint,
    ASSETS.USDT.mint,
    NATIVE_MINT,
    expensiveMint,
    cheapMint,
    unknownMint,
  ]);
});

test("tokens that could not be read are named beside SOL and the other tokens", async () => {
  const deps = stageHoldings(1_000n, createHolding(ASSETS.BTC.mint, 1n, 8));
  const leftOut = [{ account: unknownMint, reason: "Its mint cannot be read." }];
  deps.chain.leftOut.set(wallet, leftOut);
  expect(await readPortfolio(deps)).toMatchObject({
    leftOut,
    pendingLamports: 1_000,
    balances: [{ asset: "BTC" }, { asset: "SOL" }],
  });
});

test.each(["readAccounts", "readTokenHoldings"])(
  "a failed %s is an error, never an empty portfolio",
  async (method) => {
    const deps = stageHoldings(1_000n, createHolding(ASSETS.BTC.mint, 1n, 8));
    deps.before = failCalls(method);
    await expect(readPortfolio(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
  },
);

test("without prices, the balances are shown and every dollar amount is null", async () => {
  for (const deps of [stageHoldings(1_000n, createHolding(ASSETS.BTC.mint, 1n, 8)), stageHoldings(0n)]) {
    deps.quoted.current = null;
    const { balances, totalUsd, pendingUsd, investableLamports, investableUsd, solPriceUsd } =
      await readPortfolio(deps);
    expect(balances.every(({ priceUsd, usdValue }) => priceUsd === null && usdValue === null)).toBe(true);
    expect([totalUsd, pendingUsd, solPriceUsd]).toEqual([null, null, null]);
    expect([investableLamports, investableUsd]).toEqual([null, null]);
  }
});

test("a bug in the feed is not reported as a missing price", async () => {
  const deps = stageHoldings(1_000n);
  deps.before = ({ method }) => {
    if (method === "readCurrent") throw new RangeError("a bug");
  };
  await expect(readPortfolio(deps)).rejects.toThrow(RangeError);
});

test("everything is read in one round, except prices of other mints, which need the holdings", async () => {
  const deps = stageHoldings(1_000n, createHolding(unknownMint, 1n, 0), createHolding(ASSETS.BTC.mint, 1n, 8));
  expect(await recordRounds(deps, () => readPortfolio(deps))).toEqual([
    [
      "prices.readCurrent",
      "rpc.readAccounts",
      "rpc.readRentExemptMinimum",
      "rpc.readRentExemptMinimum",
      "rpc.readTokenHoldings",
    ],
    ["prices.readMints"],
  ]);
  expect(deps.calls.find(({ method }) => method === "readMints")!.args).toEqual([[unknownMint]]);
});

describe("a wallet flooded with tokens", () => {
  const spam = createHolding(unknownMint, 1n, 0);
  const flood = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ ...spam, mint: `spam ${i}`, account: `at ${i}` }));
  const requestPortfolio = (deps: FakeDeps) =>
    getPortfolio(deps, parseInput(getPortfolioContract, { address: wallet }));

  test("lists 1,000 mints including all assets", async () => {
    const deps = stageHoldings(1_000n, ...flood(2_500), createHolding(ASSETS.BTC.mint, 100_000_000n, 8));
    const { balances, leftOut, totalUsd } = await requestPortfolio(deps);
    expect(balances).toHaveLength(1_001);
    expect(balances[0]).toMatchObject({ asset: "BTC", usdValue: 100_000 });
    expect(totalUsd).toBe(100_000.00015);
    const reason = "1,501 more tokens are not listed: the wallet holds too many.";
    expect(leftOut).toEqual([{ account: null, reason }]);
    expect(deps.calls.find(({ method }) => method === "readMints")!.args[0]).toHaveLength(999);
  });

  test("names at most 100 accounts that could not be read", async () => {
    const deps = stageHoldings(1_000n);
    const unreadable = Array.from({ length: 250 }, (_, i) => ({
      account: `at ${i}`,
      reason: "Its mint cannot be read.",
    }));
    deps.chain.leftOut.set(wallet, unreadable);
    expect((await requestPortfolio(deps)).leftOut).toEqual([
      ...unreadable.slice(0, 100),
      { account: null, reason: "150 more token accounts could not be read." },
    ]);
  });
});
