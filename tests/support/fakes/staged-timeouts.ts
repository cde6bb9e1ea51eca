import { onTestFinished, vi } from "vitest";
import type { Stage } from "./staged-server";

/** Takes the request, and then waits of up to a minute are over at once: until the test's end no timer goes off by itself. */
export function outlastsTimeouts(): Stage {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return () => void vi.advanceTimersByTime(60_000);
}
