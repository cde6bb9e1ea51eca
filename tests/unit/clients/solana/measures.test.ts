import { expect, test } from "vitest";
import { createMeasures } from "../../../../lib/clients/solana/measures";
import { createOutage } from "../../../support/fakes/fake-deps";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const TEN_MINUTES_MS = 600_000;

/** Creates the measures of several instances, which share a store, and a node whose measurements are counted. */
function createTestMeasures() {
  const clock = createManualClock();
  const kv = createMemoryStore(clock);
  const node = {
    number: 100 as number | null,
    callCount: 0,
    measure: async () => {
      node.callCount++;
      return node.number;
    },
  };
  const fail = () => Promise.reject(createOutage());
  const failStore = () => Object.assign(kv, { get: fail, set: fail });
  return {
    clock,
    node,
    failStore,
    alone: createMeasures({ clock }),
    openInstance: () => createMeasures({ clock, kv }),
  };
}

test("a node measures once for all calls that wait for the same number", async () => {
  const { alone, node } = createTestMeasures();
  const numbers = await Promise.all(["a", "a", "b"].map((key) => alone.read(key, node.measure)));
  expect([numbers, node.callCount]).toEqual([[100, 100, 100], 2]);
});

test("a number is renewed after a while without making its caller wait", async () => {
  const { alone, node, clock } = createTestMeasures();
  await alone.read("a", node.measure);
  node.number = 200;
  await clock.advance(TEN_MINUTES_MS / 4 - 1);
  expect([await alone.read("a", node.measure), node.callCount]).toEqual([100, 1]);
  await clock.advance(1);
  let finishMeasurement = (_value: number) => {};
  const slowMeasurement = () => new Promise<number>((resolve) => (finishMeasurement = resolve));
  expect(await alone.read("a", slowMeasurement)).toBe(100);
  finishMeasurement(300);
  await clock.advance(0);
  expect([await alone.read("a", node.measure), node.callCount]).toEqual([300, 1]);
});

test("a number survives a renewal that fails", async () => {
  const { alone, node, clock } = createTestMeasures();
  await alone.read("a", node.measure);
  await clock.advance(TEN_MINUTES_MS / 4);
  await alone.read("a", () => Promise.reject(createOutage()));
  await clock.advance(0);
  expect([await alone.read("a", node.measure), node.callCount]).toEqual([100, 1]);
  node.number = 200;
  await clock.advance(TEN_MINUTES_MS / 4);
  expect([await alone.read("a", node.measure), node.callCount]).toEqual([200, 2]);
});

test.each([
  ["a node that cannot be reached", () => Promise.reject(createOutage())],
  ["a node that does not know it", async () => null],
])("the next call measures again after %s", async (_caseName, fail) => {
  const { alone, node } = createTestMeasures();
  expect(await alone.read("a", fail)).toBeNull();
  expect([await alone.read("a", node.measure), node.callCount]).toEqual([100, 1]);
});

test("instances share a number, and none serves it for more than ten minutes", async () => {
  const { openInstance, node, clock } = createTestMeasures();
  await openInstance().read("a", node.measure);
  node.number = 200;
  await clock.advance(TEN_MINUTES_MS / 2 - 1);
  const lateInstance = openInstance();
  expect([await lateInstance.read("a", node.measure), node.callCount]).toEqual([100, 1]);
  await clock.advance(TEN_MINUTES_MS / 2 + 1);
  expect([await lateInstance.read("a", node.measure), node.callCount]).toEqual([200, 2]);
});

test("an instance measures a number itself while the store fails, and if the key is too long for the store", async () => {
  const { openInstance, node, failStore } = createTestMeasures();
  const longKey = "a".repeat(600);
  expect(await openInstance().read(longKey, node.measure)).toBe(100);
  failStore();
  expect([await openInstance().read("a", node.measure), node.callCount]).toEqual([100, 2]);
});

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
