import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { ASSETS, type AssetSymbol, OTHER_DOLLARS } from "@/lib/domain/assets";
import { fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { PLANS, type PlanName } from "@/lib/domain/plans";
import { toDayNumber } from "@/lib/domain/prices/price-history";
import type { Prices } from "@/lib/domain/prices/prices";
import { DAY_MS } from "@/lib/domain/time";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { getActivity } from "@/lib/services/get-activity";
import { recordLanding } from "@/lib/services/records/landings";
import { callService } from "../../support/client/contract-input";
import { createStagedPrices, failCalls, PRICES_USD } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";
import { stranger, user } from "../../support/worlds/relay-rig";
import { createTokenPayment, type SpendingWorld, stageSpending } from "../../support/worlds/spending-world";

/** A payment of 1 SOL to a stranger. */
const SOL_PAYMENT = {
  accountKeys: [user.address, stranger.address],
  preBalances: [10n ** 12n, 0n],
  postBalances: [10n ** 12n - 1_000_000_000n - 5_000n, 1_000_000_000n],
  movements: [{ from: user.address, to: stranger.address, lamports: 1_000_000_000n }],
};
/** One coin: staged tokens have 6 decimals. */
const ETH_PAYMENT = createTokenPayment(1_000_000n, ASSETS.ETH.mint);
const USDC_PAYMENT = createTokenPayment(100_000_000n);
const UNLISTED_MINT = toTestWallet("a coin that is not an asset").address;

const HOUR_MS = 3_600_000;
let world: SpendingWorld;
let todayMs: number;
beforeEach(async () => {
  world = await stageSpending();
  todayMs = toDayNumber(world.deps.clock.now()) * DAY_MS;
  await world.deps.clock.advance(todayMs + 18 * HOUR_MS - world.deps.clock.now());
  world.deps.dailyPrices = [
    { time: todayMs - DAY_MS, usd: { SOL: 90, ETH: 3_900, USDC: 0.9992 }, source: "pyth" },
    { time: todayMs, usd: { SOL: 100, ETH: 4_100, USDC: 0.9996 }, source: "pyth" },
  ];
});

const advanceToTomorrow = async () => {
  await world.deps.clock.advance(8 * HOUR_MS);
  const prices = { SOL: 103, ETH: 4_300, USDC: 1.0004 };
  world.deps.dailyPrices.push({ time: todayMs + DAY_MS, usd: prices, source: "pyth" });
};

/** Stores the prices, USD, that this service recorded when it relayed a transaction. */
const recordRelayPrices = (txSignature: string, pricesUsd: Partial<Record<AssetSymbol, number>>) =>
  recordLanding(world.deps, txSignature, { slot: 1, error: null, usd: pricesUsd as Prices["usd"] });

/** Reads the values that the list of payments, the batch to save and the activity show, newest first. */
async function readValues() {
  const { items, batches } = await world.readSpending();
  const activity = await getActivity(world.deps, { address: user.address });
  return {
    listed: items.map(({ usdValue }) => usdValue),
    saved: batches.flatMap(({ txValuesUsd }) => txValuesUsd).reverse(),
    shown: activity.items.map(({ usdValue }) => usdValue),
  };
}

const createEqualValues = (...usd: number[]) => ({ listed: usd, saved: usd, shown: usd });

describe("a payment has one value in the payments, in the batch to save and in the activity", () => {
  describe.each([
    ["SOL", SOL_PAYMENT, 100, 120],
    ["a token", ETH_PAYMENT, 4_100, 4_200],
    ["a dollar token", USDC_PAYMENT, 100, 100],
  ])("in %s", (_caseName, figures, dailyUsd, relayUsd) => {
    test("at the price of its day", async () => {
      world.addTransaction(figures, { ageMs: 7 * HOUR_MS });
      world.addTransaction(figures);
      expect(await readValues()).toEqual(createEqualValues(dailyUsd, dailyUsd));
      await advanceToTomorrow();
      expect(await readValues(), "the next day's price is nearer").toEqual(createEqualValues(dailyUsd, dailyUsd));
    });

    test("at the price recorded when this service relayed it", async () => {
      await recordRelayPrices(world.addTransaction(figures), { SOL: 120, ETH: 4_200, USDC: 0.9999 });
      expect(await readValues()).toEqual(createEqualValues(relayUsd));
      await advanceToTomorrow();
      expect(await readValues()).toEqual(createEqualValues(relayUsd));
    });
  });

  test("in a coin whose price was not recorded when this service relayed it", async () => {
    await recordRelayPrices(world.addTransaction(ETH_PAYMENT), { SOL: 120 });
    expect(await readValues()).toEqual(createEqualValues(4_100));
  });

  test("whose price history cannot be read, as null in both lists and in no batch until it can", async () => {
    world.addTransaction(SOL_PAYMENT);
    world.deps.beforeCall = failCalls("readPriceAt");
    expect(await readValues()).toEqual({ listed: [null], saved: [], shown: [null] });
    world.deps.beforeCall = () => {};
    expect(await readValues()).toEqual(createEqualValues(100));
  });
});

test.each([
  ["SOL on a day without a price", SOL_PAYMENT, 150],
  ["a coin that has only today's price", createTokenPayment(2_000_000n, UNLISTED_MINT), 14],
])("%s is saved at today's price as first listed, and has no second value", async (_caseName, figures, usd) => {
  world.deps.dailyPrices = [];
  world.deps.mintPrices = { [UNLISTED_MINT]: 7 };
  world.addTransaction(figures);
  expect(await readValues()).toEqual({ ...createEqualValues(usd), shown: [null] });
  world.deps.mintPrices = { [UNLISTED_MINT]: 8 };
  const movedPrices = createStagedPrices(world.deps.clock.now(), { usd: { ...PRICES_USD, SOL: 155 } });
  world.deps.prices.readCurrent = async () => movedPrices;
  expect(await readValues()).toEqual({ ...createEqualValues(usd), shown: [null] });
});

/* A dollar token counts as exactly 1 USD while its price is within 1 % of that in every source that knows it. */

const { USDC, USDT } = ASSETS;
const DOLLARS = Object.entries({ USDC, USDT, ...OTHER_DOLLARS }).map(([symbol, { mint }]) => [symbol, mint] as const);
const isAsset = (mint: string) => mint === USDC.mint || mint === USDT.mint;

type Moment = "relayed" | "of that day" | "of today";

/** Stages the market price of a dollar token, USD, at one of the moments at which a payment can find a price. */
async function stagePrice(txSignature: string, mint: string, moment: Moment, usd: number, referenceUsd?: number) {
  const { deps } = world;
  const prices = { SOL: 100, USDC: usd, USDT: usd };
  if (moment === "relayed") await recordLanding(deps, txSignature, { slot: 1, error: null, usd: prices });
  deps.dailyPrices = moment === "of that day" ? [{ time: deps.clock.now(), usd: prices, source: "pyth" }] : [];
  deps.mintPrices = isAsset(mint) ? {} : { [mint]: usd };
  const todaysPrices = createStagedPrices(deps.clock.now(), {
    usd: { ...PRICES_USD, ...(moment === "of today" && prices) },
    ...(referenceUsd !== undefined && { referenceUsd: { USDC: referenceUsd, USDT: referenceUsd } }),
  });
  deps.prices.readCurrent = async () => todaysPrices;
}

/** Reads the newest payment's value as the payments, the batch to save and the activity show it. */
async function readValue() {
  const { items, batches } = await world.readSpending();
  const activity = await getActivity(world.deps, { address: user.address, limit: 1 });
  const [listed, shown] = [items[0]!, activity.items[0]!];
  expect(shown.usdValue).toBe(listed.usdValue);
  expect(batches.at(-1)?.txValuesUsd.at(-1) ?? null).toBe(listed.usdValue);
  expect(shown.estimated).toBe(listed.estimated);
  return { usdValue: listed.usdValue, estimated: listed.estimated };
}

const moments = DOLLARS.flatMap(([symbol, mint]) =>
  (["relayed", "of that day", "of today"] as const)
    .filter((moment) => moment === "of today" || isAsset(mint))
    .map((moment) => [symbol, moment, mint] as const),
);

describe.each(moments)("100 %s at the market price %s", (_symbol, moment, mint) => {
  const pay = () => world.addTransaction(createTokenPayment(100_000_000n, mint));

  test.each([0.99, 0.999_823, 1, 1.000_177, 1.01])("of %d USD are exactly 100 USD", async (usd) => {
    await stagePrice(pay(), mint, moment, usd);
    expect(await readValue()).toEqual({ usdValue: 100, estimated: false });
  });

  test.each([0.989_999, 1.010_001, 0.5])("of %d USD count at that price, as an estimate", async (usd) => {
    await stagePrice(pay(), mint, moment, usd);
    expect(await readValue()).toEqual({ usdValue: fromMicroUsd(toMicroUsd(usd) * 100n), estimated: true });
  });
});

test("the second price source must agree as well", async () => {
  await stagePrice(world.addTransaction(createTokenPayment(5_000_000n)), USDC.mint, "of today", 0.995, 1.01);
  expect(await readValue()).toEqual({ usdValue: 5, estimated: false });
  await stagePrice(world.addTransaction(createTokenPayment(5_000_000n)), USDC.mint, "of today", 0.995, 0.985);
  expect(await readValue()).toEqual({ usdValue: 4.975, estimated: true });
});

test("a payment keeps its value when the price leaves or returns to parity afterwards", async () => {
  const payment = world.addTransaction(createTokenPayment(5_000_000n));
  await stagePrice(payment, USDC.mint, "of that day", 1.000_177);
  const { dailyPrices } = world.deps;
  expect(await readValue()).toEqual({ usdValue: 5, estimated: false });
  await stagePrice(payment, USDC.mint, "of today", 0.9);
  world.deps.dailyPrices = dailyPrices;
  expect(await readValue()).toEqual({ usdValue: 5, estimated: false });
});

test.each(DOLLARS)(
  "%s has no value, rather than one dollar, while no source knows its price",
  async (_symbol, mint) => {
    world.addTransaction(createTokenPayment(5_000_000n, mint));
    world.deps.dailyPrices = [];
    world.deps.prices.readCurrent = async () => createStagedPrices(world.deps.clock.now(), { usd: { SOL: 100 } });
    expect((await world.readSpending()).items[0]).toMatchObject({ usdValue: null });
    expect(await readValue()).toEqual({ usdValue: null, estimated: false });
  },
);

/** Returns the change of a payment in integer cents: up to the next multiple of the plan's increment, at most $1. */
function computeChangeCents(cents: number, plan: PlanName): number {
  const incrementCents = Math.round(PLANS[plan].roundToUsd * 100);
  return Math.min((incrementCents - (cents % incrementCents)) % incrementCents, 100);
}

const anyPrice = fc.double({ min: 0.99, max: 1.01, noNaN: true });
const anyMoment = fc.constantFrom<Moment>("relayed", "of that day", "of today");
const anyDollar = fc.constantFrom(...DOLLARS.map(([, mint]) => mint));
const anyPlan = fc.constantFrom(...(Object.keys(PLANS) as PlanName[]));
/** From one dollar up to the largest purchase. */
const anyCents = fc.oneof(
  fc.integer({ min: 100, max: 2_000 }),
  fc.integer({ min: 100, max: 100_000_000 }),
  fc.integer({ min: 1, max: 1_000_000 }).map((dollars) => dollars * 100),
);

describe("the change of a payment in dollar tokens, from its transaction to the saving that is built", () => {
  /** Pays these cents, and builds the saving that the spending offers. Returns its change, USD. */
  async function saveChange(cents: number, mint: string, moment: Moment, usd: number, plan: PlanName) {
    world = await stageSpending();
    const payment = world.addTransaction(createTokenPayment(BigInt(cents) * 10_000n, mint));
    await stagePrice(payment, mint, moment, usd);
    const { batches } = await world.readSpending();
    const wallets = { userPubkey: user.address, serviceWalletPubkey: world.serviceWallet };
    const request = JSON.parse(JSON.stringify({ ...batches[0], plan, ...wallets }));
    const { breakdown, transaction } = await callService(buildWrapBatchContract, buildWrapBatch, world.deps, request);
    expect(transaction === null).toBe(breakdown.roundUpUsd === 0);
    return breakdown.roundUpUsd;
  }

  test("of whole cents is what integers of cents give, on every plan and at every price within 1 %", async () => {
    const property = fc.asyncProperty(anyCents, anyDollar, anyMoment, anyPrice, anyPlan, async (cents, ...rest) => {
      const changeCents = computeChangeCents(cents, rest.at(-1) as PlanName);
      expect(await saveChange(cents, ...rest)).toBe(changeCents / 100);
    });
    await fc.assert(property, { examples: [[500, USDC.mint, "of that day", 1.000_177, "forest"]] });
  });
});
