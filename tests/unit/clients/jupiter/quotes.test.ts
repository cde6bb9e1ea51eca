import { describe, expect, test } from "vitest";
import { cacheQuotes } from "../../../../lib/clients/jupiter/quotes";
import { NO_LIMIT, withBucket } from "../../../../lib/clients/quota/bucket";
import { bindQuotaUser, SERVICE_ITSELF } from "../../../../lib/clients/quota/quota-port";
import { ASSETS } from "../../../../lib/domain/assets";
import type { SwapRequest } from "../../../../lib/domain/swap/swap-plan";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { NATIVE_MINT } from "../../../../lib/solana/programs";
import { createSwapPlan } from "../../../support/fakes/fake-deps";
import { createManualClock, type ManualClock } from "../../../support/fakes/manual-clock";
import { toTestWallet } from "../../../support/fixtures/test-wallets";
import { createMemoryStore } from "../../../support/store/memory-store";

const quoteRequest: SwapRequest = {
  inputMint: NATIVE_MINT,
  outputMint: ASSETS.BTC.mint,
  amount: 10n ** 15n + 1n,
  slippageBps: 100,
  taker: null,
};

function createQuoteRig({ clock = createManualClock(), store }: { clock?: ManualClock; store?: KvStore } = {}) {
  const requestLog: SwapRequest[] = [];
  const planSwap = async (request: SwapRequest) => {
    requestLog.push(request);
    return createSwapPlan(request);
  };
  const market = withBucket(NO_LIMIT, { planSwap });
  const { planSwap: planCachedSwap } = bindQuotaUser(SERVICE_ITSELF, cacheQuotes({ market, clock, store }));
  return { clock, requestLog, planSwap: planCachedSwap };
}

test.each<Partial<SwapRequest>>([
  { outputMint: ASSETS.ETH.mint },
  { inputMint: ASSETS.USDC.mint },
  { amount: 10n ** 15n },
  { slippageBps: 101 },
])("a request that differs in %o gets a new quote", async (changedFields) => {
  const { requestLog, planSwap } = createQuoteRig();
  await planSwap(quoteRequest);
  await planSwap({ ...quoteRequest, ...changedFields });
  expect(requestLog).toEqual([quoteRequest, { ...quoteRequest, ...changedFields }]);
});

test("a plan with a taker is never cached", async () => {
  const { requestLog, planSwap } = createQuoteRig();
  const buildRequest = { ...quoteRequest, taker: toTestWallet("saver").address };
  for (const request of [quoteRequest, buildRequest, buildRequest]) await planSwap(request);
  expect(requestLog).toEqual([quoteRequest, buildRequest, buildRequest]);
});

describe("with a shared store", () => {
  const createRigPair = (changeStore: (kv: KvStore) => KvStore = (kv) => kv) => {
    const clock = createManualClock();
    const store = changeStore(createMemoryStore(clock));
    return { clock, instances: [createQuoteRig({ clock, store }), createQuoteRig({ clock, store })] as const };
  };

  test("instances request a quote once in 2 s, counted from the answer, and share only its figures", async () => {
    const { clock, instances } = createRigPair();
    const [reader, adopter] = instances;
    const plan = await reader.planSwap(quoteRequest);
    await clock.advance(1_500);
    expect(await adopter.planSwap(quoteRequest)).toEqual({ ...plan, instructions: [], lookupTables: {} });
    await clock.advance(499);
    await adopter.planSwap(quoteRequest);
    expect(adopter.requestLog).toEqual([]);
    await clock.advance(1);
    await adopter.planSwap(quoteRequest);
    expect(adopter.requestLog).toEqual([quoteRequest]);
  });

  test.each([
    ["of another shape", (kv: KvStore) => ({ ...kv, get: async () => ({ outputAmount: "-1" }) as never })],
    ["that cannot be read", (kv: KvStore) => ({ ...kv, get: () => Promise.reject(new AppError("upstream_timeout")) })],
  ])("a stored quote %s is requested again", async (_caseName, changeStore) => {
    for (const { planSwap, requestLog } of createRigPair(changeStore).instances) {
      expect(await planSwap(quoteRequest)).toEqual(createSwapPlan(quoteRequest));
      expect(requestLog).toEqual([quoteRequest]);
    }
  });
});
