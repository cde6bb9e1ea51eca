import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTimeLimit } from "../../../../lib/clients/http/time-limit";

let now: number;
let latenessMs: number;
const begin = () =>
  startTimeLimit(
    100,
    () => latenessMs++,
    () => now,
  );

/** Advances the time. @param stoodStill how much too late the process runs its timers, ms */
function pass(ms: number, stoodStill = 0): void {
  now += ms + stoodStill;
  vi.advanceTimersByTime(ms);
}

beforeEach(() => {
  [now, latenessMs] = [0, 0];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => void vi.useRealTimers());

test("calls back after its time unless it was cancelled", () => {
  begin();
  begin()();
  pass(99);
  expect(latenessMs).toBe(0);
  pass(1);
  expect(latenessMs).toBe(1);
  pass(1_000);
  expect(latenessMs).toBe(1);
});

test("restarts once when the process itself was suspended", () => {
  begin();
  pass(100, 400);
  expect(latenessMs).toBe(0);
  pass(99);
  expect(latenessMs).toBe(0);
  pass(1, 400);
  expect(latenessMs).toBe(1);
});

test("does not call back when cancelled after a second start", () => {
  const end = begin();
  pass(100, 400);
  end();
  pass(1_000);
  expect(latenessMs).toBe(0);
});
