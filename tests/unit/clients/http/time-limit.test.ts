import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTimeLimit } from "../../../../lib/clients/http/time-limit";

let now: number;
let late: number;
const begin = () =>
  startTimeLimit(
    100,
    () => late++,
    () => now,
  );

/** Advances the time. @param stoodStill how much too late the process runs its timers, ms */
function pass(ms: number, stoodStill = 0): void {
  now += ms + stoodStill;
  vi.advanceTimersByTime(ms);
}

beforeEach(() => {
  [now, late] = [0, 0];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

test("calls back after its time, and never after it was cancelled", () => {
  begin();
  begin()();
  pass(99);
  expect(late).toBe(0);
  pass(1);
  expect(late).toBe(1);
  pass(1_000);
  expect(late).toBe(1);
});

test("starts again, once, when the process itself stood still", () => {
  begin();
  pass(100, 400);
  expect(late).toBe(0);
  pass(99);
  expect(late).toBe(0);
  pass(1, 400);
  expect(late).toBe(1);
});

test("does not call back when cancelled after a second start", () => {
  const end = begin();
  pass(100, 400);
  end();
  pass(1_000);
  expect(late).toBe(0);
});
