import { expect, test } from "vitest";
import { createMeasures } from "../../../../lib/clients/solana/measures";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

/** Creates the measures of several instances, which share a store, and a node whose measurements are counted. */
function createTestMeasures() {
  const clock = createManualClock();
  const kv = createMemoryStore(clock);
  const node = {
    callCount: 0,
    measure: async () => {
      node.callCount++;
      return 100;
    },
  };
  const fail = () => Promise.reject(createOutage());
  const failStore = () => Object.assign(kv, { get: fail, set: fail });
  return { clock, node, failStore, openInstance: () => createMeasures({ clock, kv }) };
}

test("a written number replaces the measured one, also for other instances and while the store fails", async () => {
  const { openInstance, node, failStore } = createTestMeasures();
  const [first, second] = [openInstance(), openInstance()];
  await first.read("a", node.measure);
  await first.write("a", 700);
  expect([await first.read("a", node.measure), await second.read("a", node.measure)]).toEqual([700, 700]);
  failStore();
  await first.write("a", 800);
  expect([await first.read("a", node.measure), node.callCount]).toEqual([800, 1]);
});

test("a measurement that ends after a write does not replace the written number", async () => {
  const { openInstance, node, clock } = createTestMeasures();
  const instance = openInstance();
  let finishMeasurement = (_value: number) => {};
  const reading = instance.read("a", () => new Promise<number>((resolve) => (finishMeasurement = resolve)));
  await clock.advance(0);
  await instance.write("a", 700);
  finishMeasurement(100);
  await reading;
  expect([await instance.read("a", node.measure), await openInstance().read("a", node.measure)]).toEqual([700, 700]);
});
