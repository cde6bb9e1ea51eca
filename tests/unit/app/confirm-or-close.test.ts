import { expect, test } from "vitest";
import { confirmOrClose } from "@/app/dashboard/_overview/next-step/confirm-or-close";
import { createFlow } from "@/lib/sdk/flow/engine";
import { createMemoryStorage, createProcessLock } from "@/lib/sdk/platform";
import { createOpenPriceGuard } from "../../support/fakes/open-price-guard";

/** Creates a flow whose wallet declines. `flowSetup` counts the signature requests and sets the price of SOL in USD. */
function createUnsignedFlow() {
  const flowSetup = { requestCount: 0, usd: 150 };
  const prices = createOpenPriceGuard();
  const flow = createFlow<object, { ready: boolean; reason: null }, null>(
    {
      name: "test",
      wallet: "wallet",
      build: async () => ({ ready: true, reason: null }),
      listSteps: () => [],
      verify: async (build) => build,
      getRemainingRequest: (request) => request,
      listPrices: () => ({ SOL: flowSetup.usd }),
    },
    () => ({
      calls: {} as never,
      clock: { now: () => 0, sleep: async () => {} },
      storage: createMemoryStorage(),
      lock: createProcessLock(),
      prices,
      openSigner() {
        flowSetup.requestCount += 1;
        return Promise.reject(new Error("declined"));
      },
    }),
  );
  return { flow, flowSetup, prices };
}

test("auto-invest closes the review without a signature if it is turned off during the build or the review", async () => {
  const { flow, flowSetup } = createUnsignedFlow();
  const pendingStart = flow.start({});
  expect(confirmOrClose(flow, false, null)).toBeNull();
  expect(flow.getState().phase, "a build in progress is not closed").toBe("building");
  await pendingStart;
  confirmOrClose(flow, false, null);
  expect([flow.getState().phase, flowSetup.requestCount]).toEqual(["idle", 0]);
});

test("auto-invest asks for one signature per review, and closes a declined review", async () => {
  const { flow, flowSetup } = createUnsignedFlow();
  await flow.start({});
  const confirmedBuild = confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.getState().phase, flowSetup.requestCount]).toEqual(["review", 1]);
  expect(confirmOrClose(flow, true, confirmedBuild)).toBe(confirmedBuild);
  expect([flow.getState().phase, flowSetup.requestCount]).toEqual(["idle", 1]);
});

test("auto-invest closes a review with a doubtful price instead of signing it", async () => {
  const { flow, flowSetup, prices } = createUnsignedFlow();
  await prices.confirm({ SOL: 150 });
  flowSetup.usd = 75;
  await flow.start({});
  confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.getState().phase, flowSetup.requestCount]).toEqual(["idle", 0]);
});
