import { onTestFinished, vi } from "vitest";
import type { Stage } from "./staged-server";

/**
 * Fakes setTimeout until the test ends. Returns a stage that never answers and advances the fake timers by a minute, so
 * that timeouts of up to a minute fire at once.
 */
export function createTimeoutStage(): Stage {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return () => void vi.advanceTimersByTime(60_000);
}
