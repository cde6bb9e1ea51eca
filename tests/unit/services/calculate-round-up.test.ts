import { expect, test } from "vitest";
import { buildWrapContract } from "../../../lib/contracts/build-wrap";
import { calculateRoundUpContract } from "../../../lib/contracts/calculate-round-up";
import { buildWrap } from "../../../lib/services/build-wrap";
import { calculateRoundUp } from "../../../lib/services/calculate-round-up";
import { parseInput } from "../../support/client/contract-input";
import { type FakeDeps, fakeDeps, pricesAt } from "../../support/fakes/fake-deps";
import { testWallet } from "../../support/fixtures/test-wallets";

const wallet = testWallet("saver").address;

const calculate = async (deps: FakeDeps, request: Record<string, unknown>) =>
  calculateRoundUpContract.data.parse(await calculateRoundUp(deps, parseInput(calculateRoundUpContract, request)));

test("a doubtful price of SOL counts as missing", async () => {
  const deps = fakeDeps();
  deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { SOL: "jumped" } });
  expect(await calculate(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: null });
  deps.quoted.current = pricesAt(deps.clock.now(), { doubts: { ETH: "jumped" } });
  expect(await calculate(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: 150 });
});

test("the lamports are those that a wrap of the same purchase moves", async () => {
  const deps = fakeDeps();
  for (const purchase of [
    { txValueUsd: 27.63 },
    { txValueUsd: 4.1, roundToUsd: 3, ceiling: 0.7 },
    { txValueUsd: 30 },
  ]) {
    const calculated = await calculate(deps, purchase);
    const wallets = { userPubkey: wallet, serviceWalletPubkey: testWallet("service wallet").address };
    const { breakdown } = await buildWrap(deps, parseInput(buildWrapContract, { ...purchase, ...wallets }));
    expect(breakdown).toMatchObject(calculated);
    expect(calculated.serviceFeeLamports! + calculated.userInvestmentLamports!).toBe(calculated.roundUpLamports);
  }
  expect(await calculate(deps, { txValueUsd: 30 })).toMatchObject({ skipped: true, roundUpLamports: 0 });
});

test("without a price, only SOL and lamports are null", async () => {
  const pricedRoundUp = await calculate(fakeDeps(), { txValueUsd: 27.63, plan: "tree" });
  const deps = fakeDeps();
  deps.quoted.current = null;
  expect(await calculate(deps, { txValueUsd: 27.63, plan: "tree" })).toEqual({
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
  const deps = fakeDeps();
  await deps.clock.advance(299_000);
  expect(await calculate(deps, { txValueUsd: 27.63 })).toMatchObject({ roundUpUsd: 0.07, solPriceUsd: 150 });
});
