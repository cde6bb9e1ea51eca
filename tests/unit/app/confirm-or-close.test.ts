import { expect, test } from "vitest";
import { confirmOrClose } from "@/app/dashboard/_overview/next-step/confirm-or-close";
import { createFlow } from "@/lib/sdk/flow/engine";
import { memoryStorage, processLock } from "@/lib/sdk/world";
import { createOpenPriceGuard } from "../../support/fakes/price-guard";

/** Creates a flow whose wallet declines. `setup` counts the signature requests and sets the price of SOL in USD. */
function createUnsignedFlow() {
  const setup = { requestCount: 0, usd: 150 };
  const prices = createOpenPriceGuard();
  const flow = createFlow<object, { ready: boolean; reason: null }, null>(
    {
      name: "test",
      wallet: "wallet",
      build: async () => ({ ready: true, reason: null }),
      listSteps: () => [],
      verify: async (build) => build,
      getRemainingRequest: (request) => request,
      listPrices: () => ({ SOL: setup.usd }),
    },
    () => ({
      calls: {} as never,
      clock: { now: () => 0, sleep: async () => {} },
      storage: memoryStorage(),
      lock: processLock(),
      prices,
      onLanded: () => {},
      openSigner() {
        setup.requestCount += 1;
        return Promise.reject(new Error("declined"));
      },
    }),
  );
  return { flow, setup, prices };
}

test("automatic investing closes the review without a signature if it is turned off during the build or the review", async () => {
  const { flow, setup } = createUnsignedFlow();
  const started = flow.start({});
  expect(confirmOrClose(flow, false, null)).toBeNull();
  expect(flow.getState().phase, "a build in progress is not closed").toBe("building");
  await started;
  confirmOrClose(flow, false, null);
  expect([flow.getState().phase, setup.requestCount]).toEqual(["idle", 0]);
});

test("automatic investing asks for one signature per review, and closes a declined review", async () => {
  const { flow, setup } = createUnsignedFlow();
  await flow.start({});
  const confirmed = confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.getState().phase, setup.requestCount]).toEqual(["review", 1]);
  expect(confirmOrClose(flow, true, confirmed)).toBe(confirmed);
  expect([flow.getState().phase, setup.requestCount]).toEqual(["idle", 1]);
});

test("automatic investing closes a review with a doubtful price instead of signing it", async () => {
  const { flow, setup, prices } = createUnsignedFlow();
  await prices.confirm({ SOL: 150 });
  setup.usd = 75;
  await flow.start({});
  confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.getState().phase, setup.requestCount]).toEqual(["idle", 0]);
});
