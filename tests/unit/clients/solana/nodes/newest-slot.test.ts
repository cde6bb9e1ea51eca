import { describe, expect, test } from "vitest";
import { createNewestSlot } from "../../../../../lib/clients/solana/nodes/newest-slot";
import { createSleepClock } from "../../../../support/fakes/manual-clock";

const FIRST_SLOT = 447_552_000;

/** Creates the record and a function that lets slots pass and then records the newest one. */
function stageSlots() {
  const clock = createSleepClock(1_790_000_000_000);
  const newestSlot = createNewestSlot(clock);
  let slot = FIRST_SLOT;
  newestSlot.recordSlot(slot, false);
  const passSlots = (count: number, slotMs: number) => {
    clock.nowMs += count * slotMs;
    slot += count;
    newestSlot.recordSlot(slot, false);
  };
  return { clock, newestSlot, passSlots };
}

describe("the measured slot time", () => {
  test("does not follow one measurement that is wrong, nor a pause of the calls", () => {
    const { newestSlot, passSlots } = stageSlots();
    for (let i = 0; i < 3; i++) passSlots(50, 200);
    passSlots(20, 600);
    expect(newestSlot.getSlotMs()).toBe(200);
    passSlots(50_000, 200);
    expect(newestSlot.getSlotMs()).toBe(200);
  });

  test.each([
    ["stands still", 1, 60_000],
    ["is replayed", 100_000, 1],
  ])("stays the same while the cluster %s", (_caseName, count, slotMs) => {
    const { newestSlot, passSlots } = stageSlots();
    for (let i = 0; i < 3; i++) passSlots(50, 300);
    for (let i = 0; i < 20; i++) passSlots(count, slotMs);
    expect(newestSlot.getSlotMs()).toBe(300);
  });
});

test("a node that was down is used at the slot at which the whole cluster stands still", () => {
  const { clock, newestSlot, passSlots } = stageSlots();
  passSlots(50, 200);
  const slot = newestSlot.getSlot();
  const isRefusedAfter = (seconds: number, isSuspect: boolean, lagSlots = 0) => {
    clock.nowMs += seconds * 1_000;
    return newestSlot.recordSlot(slot - lagSlots, isSuspect);
  };
  expect(isRefusedAfter(60, true)).toBe(true);
  expect(isRefusedAfter(0, false)).toBe(false);
  expect(isRefusedAfter(60, true, 26)).toBe(true);
  expect(isRefusedAfter(60, true)).toBe(false);
});
