import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { timeLimit } from "../../../../lib/clients/http/time-limit";

let now: number;
let late: number;
const begin = () =>
  timeLimit(
    100,
    () => late++,
    () => now,
  );

/** @param stoodStill so much later than it should the process gets to its timers, ms */
function pass(ms: number, stoodStill = 0): void {
  now += ms + stoodStill;
  vi.advanceTimersByTime(ms);
}

beforeEach(() => {
  [now, late] = [0, 0];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

test("it is told once its time has passed, and never once it was ended", () => {
  begin();
  begin()();
  pass(99);
  expect(late).toBe(0);
  pass(1);
  expect(late).toBe(1);
  pass(1_000);
  expect(late).toBe(1);
});

test("a process that stood still meanwhile hears first what has come: its time begins anew, once", () => {
  begin();
  pass(100, 400);
  expect(late).toBe(0);
  pass(99);
  expect(late).toBe(0);
  pass(1, 400);
  expect(late).toBe(1);
});

test("ended while it waits anew, it is told no more", () => {
  const end = begin();
  pass(100, 400);
  end();
  pass(1_000);
  expect(late).toBe(0);
});
