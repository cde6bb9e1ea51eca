import { onTestFinished, vi } from "vitest";
import type { Stage } from "./staged-server";

/** Returns a stage that never answers, and lets timeouts of up to a minute fire at once until the test ends. */
export function createTimeoutStage(): Stage {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return () => void vi.advanceTimersByTime(60_000);
}
