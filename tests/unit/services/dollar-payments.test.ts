import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { ASSETS, OTHER_DOLLARS } from "@/lib/domain/assets";
import { fromMicroUsd, toMicroUsd } from "@/lib/domain/money";
import { PLANS, type PlanName } from "@/lib/domain/plans";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { getActivity } from "@/lib/services/get-activity";
import { recordLanding } from "@/lib/services/records/landings";
import { callService } from "../../support/client/contract-input";
import { createStagedPrices, listCalls, PRICES_USD } from "../../support/fakes/fake-deps";
import { user } from "../../support/worlds/relay-rig";
import { createTokenPayment, type SpendingWorld, stageSpending } from "../../support/worlds/spending-world";

/* A dollar token counts as exactly 1 USD while its price is within 1 % of that in every source that knows it. */

const { USDC, USDT } = ASSETS;
const DOLLARS = Object.entries({ USDC, USDT, ...OTHER_DOLLARS }).map(([symbol, { mint }]) => [symbol, mint] as const);
const isAsset = (mint: string) => mint === USDC.mint || mint === USDT.mint;

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

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
    world.deps.prices.readCurrent = async () => createStagedPrices(world.deps.clock.now(), { usd: { SOL: 100 } });
    expect((await world.readSpending()).items[0]).toMatchObject({ usdValue: null });
    expect(await readValue()).toEqual({ usdValue: null, estimated: false });
  },
);

test("the price of a dollar token that is no asset is asked for once, and only if one was paid", async () => {
  const countMintPriceCalls = () => listCalls(world.deps).filter((call) => call === "prices.readMintPrices").length;
  world.deps.mintPrices = { [OTHER_DOLLARS.PYUSD.mint]: 1 };
  for (let i = 1; i <= 5; i++) world.pay(i);
  await getActivity(world.deps, { address: user.address });
  expect(countMintPriceCalls()).toBe(0);
  for (let i = 1; i <= 5; i++) world.addTransaction(createTokenPayment(5_000_000n, OTHER_DOLLARS.PYUSD.mint));
  await getActivity(world.deps, { address: user.address });
  expect(countMintPriceCalls()).toBe(1);
});

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
const anyCents = fc.oneof(fc.integer({ min: 100, max: 2_000 }), fc.integer({ min: 100, max: 100_000_000 }));
const anyWholeDollars = fc.integer({ min: 1, max: 1_000_000 }).map((dollars) => dollars * 100);

describe("the change of a payment in dollar tokens, from its transaction to the saving that is built", () => {
  /** Pays these cents, and builds the saving that the spending offers. Returns its change, USD, and its transaction. */
  async function saveChange(cents: number, mint: string, moment: Moment, usd: number, plan: PlanName) {
    world = await stageSpending();
    const payment = world.addTransaction(createTokenPayment(BigInt(cents) * 10_000n, mint));
    await stagePrice(payment, mint, moment, usd);
    const { batches } = await world.readSpending();
    const wallets = { userPubkey: user.address, serviceWalletPubkey: world.serviceWallet };
    const request = JSON.parse(JSON.stringify({ ...batches[0], plan, ...wallets }));
    const { breakdown, transaction } = await callService(buildWrapBatchContract, buildWrapBatch, world.deps, request);
    return { changeUsd: breakdown.roundUpUsd, transaction };
  }

  test("of whole dollars is nothing, on every plan and at every price within 1 %", async () => {
    const property = fc.asyncProperty(anyWholeDollars, anyDollar, anyMoment, anyPrice, anyPlan, async (...payment) => {
      expect(await saveChange(...payment)).toEqual({ changeUsd: 0, transaction: null });
    });
    await fc.assert(property, { examples: [[500, USDC.mint, "of that day", 1.000_177, "forest"]] });
  });

  test("of whole cents is what integers of cents give, on every plan and at every price within 1 %", async () => {
    const property = fc.asyncProperty(anyCents, anyDollar, anyMoment, anyPrice, anyPlan, async (cents, ...rest) => {
      const changeCents = computeChangeCents(cents, rest.at(-1) as PlanName);
      expect((await saveChange(cents, ...rest)).changeUsd).toBe(changeCents / 100);
    });
    await fc.assert(property);
  });
});
