import { beforeEach, expect, test } from "vitest";
import { getPricesContract } from "../../../lib/contracts/get-prices";
import { getPrices } from "../../../lib/services/get-prices";
import { createFakeDeps, type FakeDeps, PRICES_USD, setPrices } from "../../support/fakes/fake-deps";

let deps: FakeDeps;
beforeEach(() => {
  deps = createFakeDeps();
});

const readPrices = async () => getPricesContract.data.parse(await getPrices(deps));

test("prices are fresh at 30 s and stale a millisecond later", async () => {
  await deps.clock.advance(30_000);
  expect(await readPrices()).toMatchObject({ ageMs: 30_000, stale: false });
  await deps.clock.advance(1);
  expect(await readPrices()).toMatchObject({ ageMs: 30_001, stale: true });
});

test("prices that were read more than 5 s in the clock's future are stale, with the age 0", async () => {
  expect(await readPrices()).toMatchObject({ stale: false });
  await deps.clock.advance(-5_001);
  expect(await readPrices()).toMatchObject({ ageMs: 0, stale: true });
  await deps.clock.advance(1);
  expect(await readPrices()).toMatchObject({ ageMs: 0, stale: false });
});

test("an asset without a price, or with a doubtful one, is named as a problem", async () => {
  const { ETH: _, ...usd } = PRICES_USD;
  setPrices(deps, { usd });
  const missingProblems = [{ asset: "ETH", problem: "missing" }];
  expect(await readPrices()).toMatchObject({ prices: usd, stale: false, problems: missingProblems });
  setPrices(deps, { doubts: { ETH: "jumped" } });
  const jumpProblems = [{ asset: "ETH", problem: "jumped" }];
  expect(await readPrices()).toMatchObject({ prices: PRICES_USD, ageMs: 0, stale: true, problems: jumpProblems });
});

test("the call fails if no price is available", async () => {
  deps.currentPrices = null;
  await expect(readPrices()).rejects.toMatchObject({ code: "price_stale" });
});
