import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { startTimeLimit } from "../../../../lib/clients/http/time-limit";

const LIMIT_MS = 100;
let nowMs: number;
let timeoutCount: number;
const startTestLimit = () => startTimeLimit(LIMIT_MS, () => timeoutCount++);

/** Advances the time by `ms`, and then by the time for which the process is suspended before it runs its timers. */
function advanceClock(ms: number, suspendedMs = 0): void {
  nowMs += ms + suspendedMs;
  vi.advanceTimersByTime(ms);
}

beforeEach(() => {
  [nowMs, timeoutCount] = [0, 0];
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  vi.spyOn(performance, "now").mockImplementation(() => nowMs);
});
afterEach(() => void vi.useRealTimers().restoreAllMocks());

test("the time limit restarts once when the process itself was suspended", () => {
  startTestLimit();
  advanceClock(LIMIT_MS, 400);
  advanceClock(LIMIT_MS - 1);
  expect(timeoutCount).toBe(0);
  advanceClock(1, 400);
  expect(timeoutCount).toBe(1);
});
