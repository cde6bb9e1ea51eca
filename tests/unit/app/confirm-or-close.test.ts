import { expect, test } from "vitest";
import { confirmOrClose } from "@/app/dashboard/_overview/next-step/confirm-or-close";
import { createFlow } from "@/lib/sdk/flow/engine";
import { memoryStorage, processLock } from "@/lib/sdk/world";
import { anyPrices } from "../../support/fakes/price-guard";

/** A flow whose wallet is never ready to sign; `asked` counts how often it was asked. */
function aFlow() {
  const it = { asked: 0, usd: 150 };
  const prices = anyPrices();
  const flow = createFlow<object, { ready: boolean; reason: null }, null>(
    {
      ...{ name: "test", wallet: "wallet", build: async () => ({ ready: true, reason: null }), stepsOf: () => [] },
      ...{ verify: async (build) => build, restOf: (request) => request, pricesOf: () => ({ SOL: it.usd }) },
    },
    () => ({
      ...{ calls: {} as never, clock: { now: () => 0, sleep: async () => {} } },
      ...{ storage: memoryStorage(), lock: processLock(), prices, landed: () => {} },
      openSigner() {
        it.asked += 1;
        return Promise.reject(new Error("declined"));
      },
    }),
  );
  return { flow, it, prices };
}

test("turned off while it is built or reviewed, nothing is signed and the review is gone", async () => {
  const { flow, it } = aFlow();
  const started = flow.start({});
  expect(confirmOrClose(flow, false, null)).toBeNull();
  expect(flow.state().phase, "what is being built is left to come up").toBe("building");
  await started;
  confirmOrClose(flow, false, null);
  expect([flow.state().phase, it.asked]).toEqual(["idle", 0]);
});

test("on, each review is signed unasked once: what was not signed is closed, and does not ask again", async () => {
  const { flow, it } = aFlow();
  await flow.start({});
  const confirmed = confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.state().phase, it.asked]).toEqual(["review", 1]);
  expect(confirmOrClose(flow, true, confirmed)).toBe(confirmed);
  expect([flow.state().phase, it.asked]).toEqual(["idle", 1]);
});

test("on, a price that needs a person's word is not signed with: the review is closed", async () => {
  const { flow, it, prices } = aFlow();
  await prices.confirm({ SOL: 150 });
  it.usd = 75;
  await flow.start({});
  confirmOrClose(flow, true, null);
  await new Promise(setImmediate);
  expect([flow.state().phase, it.asked]).toEqual(["idle", 0]);
});
