import { onTestFinished, vi } from "vitest";
import type { Stage } from "./staged-server";

/**
 * Receives the request and advances the timers by a minute, so that timeouts of up to a minute fire at once. Until the
 * test ends, timers fire only when a request advances them.
 */
export function outlastTimeouts(): Stage {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return () => void vi.advanceTimersByTime(60_000);
}
