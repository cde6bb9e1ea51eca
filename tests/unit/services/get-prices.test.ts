import { expect, test } from "vitest";
import { getPricesContract } from "../../../lib/contracts/get-prices";
import { AppError } from "../../../lib/errors";
import { getPrices } from "../../../lib/services/get-prices";
import { type FakeDeps, fakeDeps, PRICES_USD, pricesAt } from "../../support/fakes/fake-deps";

const readPrices = async (deps: FakeDeps) => getPricesContract.data.parse(await getPrices(deps));

test("prices are returned with their time, age and source", async () => {
  const deps = fakeDeps();
  const fetchedAt = deps.clock.now();
  await deps.clock.advance(1_234);
  expect(await readPrices(deps)).toEqual({
    prices: { BTC: 100_000, ETH: 4_000, SOL: 150, USDC: 1, USDT: 0.999 },
    timestamp: new Date(fetchedAt).toISOString(),
    ageMs: 1_234,
    stale: false,
    source: "staged",
    problems: [],
  });
});

test("prices are fresh at 30 s and stale a millisecond later", async () => {
  const deps = fakeDeps();
  await deps.clock.advance(30_000);
  expect(await readPrices(deps)).toMatchObject({ ageMs: 30_000, stale: false });
  await deps.clock.advance(1);
  expect(await readPrices(deps)).toMatchObject({ ageMs: 30_001, stale: true });
});

test("prices that were read more than 5 s in the clock's future are stale", async () => {
  const deps = fakeDeps();
  expect(await readPrices(deps)).toMatchObject({ stale: false });
  await deps.clock.advance(-5_001);
  expect(await readPrices(deps)).toMatchObject({ ageMs: 0, stale: true });
  await deps.clock.advance(1);
  expect(await readPrices(deps)).toMatchObject({ ageMs: 0, stale: false });
});

test("prices are stale at any age while two sources disagree", async () => {
  const deps = fakeDeps();
  deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { SOL: "disputed" } });
  expect(await readPrices(deps)).toMatchObject({ ageMs: 0, stale: true });
});

test("an asset without a price, or with a doubtful one, is named as a problem", async () => {
  const deps = fakeDeps();
  const { ETH: _, ...usd } = PRICES_USD;
  deps.quoted.current = pricesAt(deps.clock.now(), { usd });
  expect(await readPrices(deps)).toMatchObject({
    prices: usd,
    stale: false,
    problems: [{ asset: "ETH", problem: "missing" }],
  });
  deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { ETH: "jumped" } });
  expect(await readPrices(deps)).toMatchObject({
    prices: PRICES_USD,
    stale: true,
    problems: [{ asset: "ETH", problem: "jumped" }],
  });
});

test("prices are the same object within a millisecond", async () => {
  const deps = fakeDeps();
  const firstList = await getPrices(deps);
  expect(await getPrices(deps)).toBe(firstList);
  await deps.clock.advance(1);
  expect(await readPrices(deps)).toMatchObject({ ageMs: 1 });
  deps.quoted.current = pricesAt(deps.clock.now(), { usd: { ...PRICES_USD, SOL: 151 } });
  expect(await readPrices(deps)).toMatchObject({ ageMs: 0, prices: { SOL: 151 } });
});

test("the age is never negative after the clock steps back", async () => {
  const deps = fakeDeps();
  deps.quoted.current = pricesAt(deps.clock.now() + 500);
  expect(await readPrices(deps)).toMatchObject({ ageMs: 0, stale: false });
});

test("the call fails if no price is available", async () => {
  const deps = fakeDeps();
  deps.quoted.current = null;
  await expect(readPrices(deps)).rejects.toBeInstanceOf(AppError);
});
