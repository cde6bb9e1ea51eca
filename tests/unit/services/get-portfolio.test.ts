import { expect, test } from "vitest";
import { getPortfolioContract } from "../../../lib/contracts/get-portfolio";
import { ASSETS, OTHER_DOLLARS } from "../../../lib/domain/assets";
import { getPortfolio } from "../../../lib/services/get-portfolio";
import { NATIVE_MINT, TOKEN_2022_PROGRAM } from "../../../lib/solana/programs";
import { callService } from "../../support/client/contract-input";
import { type FakeDeps, failCalls, listArguments } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { createHolding, stageHoldings, wallet } from "../../support/worlds/holding-world";

const PORTAL_WBTC = "3NZ9JMVBmGAqocybic2c7LQCJScmgsAZ6vQqTDzcqmJh";

const readPortfolio = (deps: FakeDeps) => callService(getPortfolioContract, getPortfolio, deps, { address: wallet });
/** Calls the service without the contract, which would copy the answer. */
const callWithoutContract = (deps: FakeDeps) => getPortfolio(deps, { address: wallet });
const unknownMint = toTestWallet("an unlisted mint").address;
const pricedMint = toTestWallet("a mint with a price").address;

test("a portfolio lists SOL and every mint of both token programs with its value", async () => {
  const deps = stageHoldings(
    2_000_000_000n,
    createHolding(ASSETS.BTC.mint, 1_234_567n),
    createHolding(ASSETS.USDC.mint, 5_500_000n),
    createHolding(pricedMint, 300n, 2, TOKEN_2022_PROGRAM),
  );
  deps.mintPrices = { [pricedMint]: 0.5 };
  const { balances, ...otherFields } = await readPortfolio(deps);
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
  expect(otherFields).toEqual({
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

test("several token accounts of one mint add up to one balance", async () => {
  const holdings = [1n, 20n, 0n, 300n].map((amount) => createHolding(ASSETS.ETH.mint, amount));
  const { balances } = await readPortfolio(stageHoldings(0n, ...holdings));
  expect(balances).toMatchObject([{ asset: "ETH", amount: "321" }]);
});

test("the older bitcoin token counts as BTC at its price, in a separate line", async () => {
  const deps = stageHoldings(0n, createHolding(PORTAL_WBTC, 5n * 10n ** 7n), createHolding(ASSETS.BTC.mint, 10n ** 8n));
  const { balances, totalUsd } = await readPortfolio(deps);
  expect(balances.map(({ asset, symbol, usdValue }) => [asset, symbol, usdValue])).toEqual([
    ["BTC", "BTC", 100_000],
    ["BTC", "WBTC", 50_000],
  ]);
  expect(totalUsd).toBe(150_000);
  expect(listArguments(deps, "readMintPrices")).toEqual([]);
});

test("wrapped SOL is a separate token and not pending", async () => {
  const deps = stageHoldings(1_000n, createHolding(NATIVE_MINT, 2_000n, 9));
  const { balances, pendingLamports } = await readPortfolio(deps);
  expect(balances.map(({ symbol, amount }) => [symbol, amount])).toEqual([
    ["wSOL", "2000"],
    ["SOL", "1000"],
  ]);
  expect(pendingLamports).toBe(1_000);
});

test("a token amount beyond 2^53 is exact", async () => {
  const amount = 2n ** 64n - 1n;
  const { balances } = await readPortfolio(stageHoldings(0n, createHolding(unknownMint, amount)));
  expect(balances[0]!.amount).toBe(amount.toString());
});

test("a token without a price has the value null and is listed last", async () => {
  const deps = stageHoldings(10n ** 9n, createHolding(unknownMint, 10n ** 18n, 6), createHolding(pricedMint, 1n));
  deps.mintPrices = { [pricedMint]: 0.000001 };
  const { balances, totalUsd } = await readPortfolio(deps);
  expect(balances.map(({ mint, usdValue }) => [mint, usdValue])).toEqual([
    [NATIVE_MINT, 150],
    [pricedMint, 0.000001],
    [unknownMint, null],
  ]);
  expect(balances[2]).toMatchObject({ priceUsd: null, asset: null });
  expect(totalUsd).toBe(150.000001);
});

test("`unpriced` tells a token without a price from a token whose price is unknown at the moment", async () => {
  const deps = stageHoldings(1n, ...[unknownMint, pricedMint, ASSETS.BTC.mint].map((mint) => createHolding(mint, 1n)));
  Object.assign(deps, { currentPrices: null, mintPrices: { [unknownMint]: null } });
  const { balances } = await readPortfolio(deps);
  expect(Object.fromEntries(balances.map(({ mint, unpriced }) => [mint, unpriced]))).toEqual({
    [NATIVE_MINT]: "unknown",
    [ASSETS.BTC.mint]: "unknown",
    [pricedMint]: "unknown",
    [unknownMint]: "none",
  });
});

test("a dollar token that is no asset has its name and its market value, and is listed among the known tokens", async () => {
  const { USDG, PYUSD, CASH } = OTHER_DOLLARS;
  const createDollars = ({ mint, decimals }: typeof PYUSD) =>
    createHolding(mint, 5_000_000n, decimals, TOKEN_2022_PROGRAM);
  const deps = stageHoldings(1_000_000_000n, createHolding(pricedMint, 1n), ...[USDG, PYUSD, CASH].map(createDollars));
  deps.mintPrices = { [pricedMint]: 1_000, [USDG.mint]: 1.000_2, [PYUSD.mint]: 0.999_8, [CASH.mint]: null };
  const { balances, totalUsd } = await readPortfolio(deps);
  expect(balances.map(({ asset, symbol, priceUsd, usdValue }) => [asset, symbol, priceUsd, usdValue])).toEqual([
    ["SOL", "SOL", 150, 150],
    [null, "USDG", 1.000_2, 5.001],
    [null, "PYUSD", 0.999_8, 4.999],
    [null, "CASH", null, null],
    [null, expect.any(String), 1_000, 1_000],
  ]);
  expect(totalUsd).toBe(1_160);
});

test("tokens that could not be read are named in addition to SOL and the other tokens", async () => {
  const deps = stageHoldings(1_000n, createHolding(ASSETS.BTC.mint, 1n));
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
    const deps = stageHoldings(1_000n, createHolding(ASSETS.BTC.mint, 1n));
    deps.beforeCall = failCalls(method);
    await expect(readPortfolio(deps)).rejects.toMatchObject({ code: "upstream_unavailable" });
  },
);

test("without prices, the balances are shown and every dollar amount is null", async () => {
  for (const deps of [stageHoldings(1_000n, createHolding(ASSETS.BTC.mint, 1n)), stageHoldings(0n)]) {
    deps.currentPrices = null;
    const { balances, ...totals } = await readPortfolio(deps);
    expect(balances.every(({ priceUsd, usdValue }) => priceUsd === null && usdValue === null)).toBe(true);
    expect(totals).toMatchObject({ totalUsd: null, pendingUsd: null, solPriceUsd: null, investableLamports: null });
    expect(totals.investableUsd).toBeNull();
  }
});

const spamHolding = createHolding(unknownMint, 1n);
const createSpamHoldings = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ ...spamHolding, mint: `spam ${i}`, account: `at ${i}` }));

test("a wallet flooded with tokens lists 1,000 mints including all assets and dollar tokens, and asks for these tokens' prices first", async () => {
  const { mint } = OTHER_DOLLARS.PYUSD;
  const dollars = createHolding(mint, 2_000_000n, 6, TOKEN_2022_PROGRAM);
  const bitcoins = createHolding(ASSETS.BTC.mint, 100_000_000n);
  const deps = stageHoldings(1_000n, ...createSpamHoldings(2_500), dollars, bitcoins);
  deps.mintPrices = { [mint]: 1 };
  const { balances, leftOut, totalUsd } = await callWithoutContract(deps);
  expect(balances).toHaveLength(1_001);
  expect(balances.slice(0, 2)).toMatchObject([
    { asset: "BTC", usdValue: 100_000 },
    { symbol: "PYUSD", usdValue: 2 },
  ]);
  expect(totalUsd).toBe(100_002.00015);
  const reason = "1,502 more tokens are not listed: the wallet holds too many.";
  expect(leftOut).toEqual([{ account: null, reason }]);
  const [pricedMints] = listArguments(deps, "readMintPrices")[0]! as [string[]];
  expect([pricedMints[0], pricedMints.length]).toEqual([mint, 999]);
});
