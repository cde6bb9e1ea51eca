import { expect, test } from "vitest";
import { confirmOrClose } from "@/app/dashboard/_overview/next-step/confirm-or-close";
import { createFlow } from "@/lib/sdk/flow/engine";
import { memoryStorage, processLock } from "@/lib/sdk/world";
import { createOpenPriceGuard } from "../../support/fakes/price-guard";

/** A flow whose wallet is never ready to sign. `asked` counts the signature requests. */
function createUnsignedFlow() {
  const it = { asked: 0, usd: 150 };
  const prices = createOpenPriceGuard();
  const flow = createFlow<object, { ready: boolean; reason: null }, null>(
    {
      ...{ name: "test", wallet: "wallet", build: async () => ({ ready: true, reason: null }), listSteps: () => [] },
      ...{ verify: async (build) => build, findRest: (request) => request, listPrices: () => ({ SOL: it.usd }) },
    },
    () => ({
      ...{ calls: {} as never, clock: { now: () => 0, sleep: async () => {} } },
      ...{ storage: memoryStorage(), lock: processLock(), prices, onLanded: () => {} },
      openSigner() {
        it.asked += 1;
        return Promise.reject(new Error("declined"));
      },
    }),
  );
  return { flow, it, prices };
}

test("signs nothing and closes the review when turned off during build or review", async () => {
  const { flow, it } = createUnsignedFlow();
  const started = flow.start({});
  expect(confirmOrClose(flow, false, null)).toBeNull();
  expect(flow.getState().phase, "what is being built is left to come up").toBe("building");
  await started;
  confirmOrClose(flow, false, null);
  expect([flow.getState().phase, it.asked]).toEqual(["idle", 0]);
});

test("signs each review once when on, and closes a review that was not signed", async () => {
  const { flow, it } = createUnsignedFlow();
  await flow.start({});
  const confirmed = confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.getState().phase, it.asked]).toEqual(["review", 1]);
  expect(confirmOrClose(flow, true, confirmed)).toBe(confirmed);
  expect([flow.getState().phase, it.asked]).toEqual(["idle", 1]);
});

test("closes a review with a doubtful price instead of signing it", async () => {
  const { flow, it, prices } = createUnsignedFlow();
  await prices.confirm({ SOL: 150 });
  it.usd = 75;
  await flow.start({});
  confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.getState().phase, it.asked]).toEqual(["idle", 0]);
});
