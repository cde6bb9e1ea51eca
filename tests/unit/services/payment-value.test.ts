import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS, type AssetSymbol } from "@/lib/domain/assets";
import { toDayNumber } from "@/lib/domain/prices/price-history";
import type { Prices } from "@/lib/domain/prices/prices";
import { DAY_MS } from "@/lib/domain/time";
import { getActivity } from "@/lib/services/get-activity";
import { recordLanding } from "@/lib/services/records/landings";
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
