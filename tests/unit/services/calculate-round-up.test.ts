import { expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import { buildWrap } from "../../../lib/services/build-wrap";
import { calculateRoundUp } from "../../../lib/services/calculate-round-up";
import { callService } from "../../support/client/contract-input";
import { createFakeDeps, type FakeDeps, setPrices } from "../../support/fakes/fake-deps";
import { toTestWallet } from "../../support/fixtures/test-wallets";

const wallet = toTestWallet("saver").address;

const requestRoundUp = (deps: FakeDeps, fields: Record<string, unknown>) =>
  callService(calculateRoundUpContract, calculateRoundUp, deps, fields);

test("a doubtful price of SOL counts as missing", async () => {
  const deps = createFakeDeps();
  setPrices(deps, { doubts: { SOL: "jumped" } });
  expect(await requestRoundUp(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: null });
  setPrices(deps, { doubts: { ETH: "jumped" } });
  expect(await requestRoundUp(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: 150 });
});

test("the lamports are those that a wrap of the same purchase moves", async () => {
  const deps = createFakeDeps();
  const wallets = { userPubkey: wallet, serviceWalletPubkey: toTestWallet("service wallet").address };
  const shortPurchase = { txValueUsd: 4.1, roundToUsd: 3, ceiling: 0.7 };
  for (const purchase of [{ txValueUsd: 27.63 }, shortPurchase, { txValueUsd: 30 }]) {
    const calculated = await requestRoundUp(deps, purchase);
    const { breakdown } = await callService(buildWrapContract, buildWrap, deps, { ...purchase, ...wallets });
    expect(breakdown).toMatchObject(calculated);
    expect(calculated.serviceFeeLamports! + calculated.userInvestmentLamports!).toBe(calculated.roundUpLamports);
  }
  expect(await requestRoundUp(deps, { txValueUsd: 30 })).toMatchObject({ skipped: true, roundUpLamports: 0 });
});

test("without a price, only SOL and lamports are null", async () => {
  const pricedRoundUp = await requestRoundUp(createFakeDeps(), { txValueUsd: 27.63, plan: "tree" });
  const deps = createFakeDeps();
  deps.currentPrices = null;
  expect(await requestRoundUp(deps, { txValueUsd: 27.63, plan: "tree" })).toEqual({
    ...pricedRoundUp,
    roundUpSol: null,
    serviceFeeSol: null,
    userInvestmentSol: null,
    roundUpLamports: null,
    serviceFeeLamports: null,
    userInvestmentLamports: null,
    solPriceUsd: null,
  });
});

test("an old price is shown, because nothing is built with it", async () => {
  const deps = createFakeDeps();
  await deps.clock.advance(299_000);
  const figures = { roundedToUsd: 27.7, roundUpSol: 0.000466666, serviceFeePercent: 0.75, solPriceUsd: 150 };
  expect(await requestRoundUp(deps, { txValueUsd: 27.63 })).toMatchObject(figures);
});
