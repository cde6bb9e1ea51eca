import { expect, test } from "vitest";
import { cacheQuotes } from "../../../../lib/clients/jupiter/quotes";
import { SERVICE, UNLIMITED } from "../../../../lib/clients/quota/budget";
import { scopeToCaller, withBudget } from "../../../../lib/clients/quota/caller-scoped";
import { ASSETS } from "../../../../lib/domain/assets";
import type { SwapRequest } from "../../../../lib/domain/swap/swap-plan";
import { NATIVE_MINT } from "../../../../lib/solana/programs";
import { swapPlan } from "../../../support/fakes/fake-deps";
import { manualClock } from "../../../support/fakes/manual-clock";
import { testWallet } from "../../../support/fixtures/test-wallets";

const quote: SwapRequest = {
  inputMint: NATIVE_MINT,
  outputMint: ASSETS.BTC.mint,
  amount: 10n ** 15n + 1n,
  slippageBps: 100,
  taker: null,
};

function setup() {
  const clock = manualClock();
  const asked: SwapRequest[] = [];
  const plan = async (request: SwapRequest) => {
    asked.push(request);
    return swapPlan(request);
  };
  return { clock, asked, swaps: scopeToCaller(SERVICE, cacheQuotes(withBudget(UNLIMITED, { plan }), clock)) };
}

test("requests a quote once in 2 s for all callers", async () => {
  const { clock, asked, swaps } = setup();
  const [first] = await Promise.all([swaps.plan(quote), swaps.plan(quote)]);
  expect(first).toEqual(swapPlan(quote));
  await clock.advance(1_999);
  expect(await swaps.plan({ ...quote })).toBe(first);
  expect(asked).toEqual([quote]);
  await clock.advance(1);
  await swaps.plan(quote);
  expect(asked).toEqual([quote, quote]);
});

test.each<Partial<SwapRequest>>([
  { outputMint: ASSETS.ETH.mint },
  { inputMint: ASSETS.USDC.mint },
  { amount: 10n ** 15n },
  { slippageBps: 101 },
])("requests a new quote for %o", async (change) => {
  const { asked, swaps } = setup();
  await swaps.plan(quote);
  await swaps.plan({ ...quote, ...change });
  expect(asked).toEqual([quote, { ...quote, ...change }]);
});

test("requests every plan that is built", async () => {
  const { asked, swaps } = setup();
  const build = { ...quote, taker: testWallet("saver").address };
  for (const request of [quote, build, build]) await swaps.plan(request);
  expect(asked).toEqual([quote, build, build]);
});
