import { describe, expect, test } from "vitest";
import { cacheQuotes } from "../../../../lib/clients/jupiter/quotes";
import { SERVICE, UNLIMITED } from "../../../../lib/clients/quota/budget";
import { scopeToCaller, withBudget } from "../../../../lib/clients/quota/caller-scoped";
import { ASSETS } from "../../../../lib/domain/assets";
import type { SwapRequest } from "../../../../lib/domain/swap/swap-plan";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { NATIVE_MINT } from "../../../../lib/solana/programs";
import { createSwapPlan } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { testWallet } from "../../../support/fixtures/test-wallets";
import { createMemoryStore } from "../../../support/store/memory-store";

const quote: SwapRequest = {
  inputMint: NATIVE_MINT,
  outputMint: ASSETS.BTC.mint,
  amount: 10n ** 15n + 1n,
  slippageBps: 100,
  taker: null,
};

function setup({ clock = createManualClock(), shared }: { clock?: ManualClock; shared?: KvStore } = {}) {
  const requestLog: SwapRequest[] = [];
  const planSwap = async (request: SwapRequest) => {
    requestLog.push(request);
    return createSwapPlan(request);
  };
  return {
    clock,
    requestLog,
    swaps: scopeToCaller(SERVICE, cacheQuotes({ market: withBudget(UNLIMITED, { planSwap }), clock, shared })),
  };
}

test("requests a quote once in 2 s for all callers", async () => {
  const { clock, requestLog, swaps } = setup();
  const [first] = await Promise.all([swaps.planSwap(quote), swaps.planSwap(quote)]);
  expect(first).toEqual(createSwapPlan(quote));
  await clock.advance(1_999);
  expect(await swaps.planSwap({ ...quote })).toBe(first);
  expect(requestLog).toEqual([quote]);
  await clock.advance(1);
  await swaps.planSwap(quote);
  expect(requestLog).toEqual([quote, quote]);
});

test.each<Partial<SwapRequest>>([
  { outputMint: ASSETS.ETH.mint },
  { inputMint: ASSETS.USDC.mint },
  { amount: 10n ** 15n },
  { slippageBps: 101 },
])("requests a new quote when the request differs in %o", async (change) => {
  const { requestLog, swaps } = setup();
  await swaps.planSwap(quote);
  await swaps.planSwap({ ...quote, ...change });
  expect(requestLog).toEqual([quote, { ...quote, ...change }]);
});

test("never caches a plan with a taker", async () => {
  const { requestLog, swaps } = setup();
  const build = { ...quote, taker: testWallet("saver").address };
  for (const request of [quote, build, build]) await swaps.planSwap(request);
  expect(requestLog).toEqual([quote, build, build]);
});

describe("with a shared store", () => {
  const setupPair = (change: (kv: KvStore) => KvStore = (kv) => kv) => {
    const clock = createManualClock();
    const sharedStore = change(createMemoryStore(clock));
    return {
      clock,
      sharedStore,
      first: setup({ clock, shared: sharedStore }),
      second: setup({ clock, shared: sharedStore }),
    };
  };

  test("instances request a quote once in 2 s, counted from the answer", async () => {
    const { clock, first, second } = setupPair();
    const { instructions: _, lookupTables: __, ...figures } = await first.swaps.planSwap(quote);
    await clock.advance(1_500);
    expect(await second.swaps.planSwap(quote)).toMatchObject(figures);
    await clock.advance(499);
    await second.swaps.planSwap(quote);
    expect(second.requestLog).toEqual([]);
    await clock.advance(1);
    await second.swaps.planSwap(quote);
    expect(second.requestLog).toEqual([quote]);
  });

  test("a shared quote carries no instructions", async () => {
    const { first, second } = setupPair();
    await first.swaps.planSwap(quote);
    expect(await second.swaps.planSwap(quote)).toMatchObject({ instructions: [], lookupTables: {} });
  });

  test.each([
    ["of another shape", (kv: KvStore) => ({ ...kv, get: async () => ({ outputAmount: "-1" }) as never })],
    ["that cannot be read", (kv: KvStore) => ({ ...kv, get: () => Promise.reject(new AppError("upstream_timeout")) })],
  ])("a stored quote %s is requested again", async (_name, change) => {
    const { first, second } = setupPair(change);
    for (const { swaps, requestLog } of [first, second]) {
      expect(await swaps.planSwap(quote)).toEqual(createSwapPlan(quote));
      expect(requestLog).toEqual([quote]);
    }
  });
});
