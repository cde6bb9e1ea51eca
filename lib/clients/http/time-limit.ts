/** Delay from which a timer counts as late, ms. A late timer means that this process was suspended or busy. */
const LATE_MS = 100;

/**
 * Calls `onTimeout` after `limitMs`. A late timer starts the limit once more, so that the process reads answers that
 * have already arrived. Otherwise the log would blame the upstream for this process's pause.
 * @returns a function that cancels the limit
 */
export function startTimeLimit(limitMs: number, onTimeout: () => void) {
  const dueAt = performance.now() + limitMs;
  let timer = setTimeout(() => {
    if (performance.now() - dueAt < LATE_MS) onTimeout();
    else timer = setTimeout(onTimeout, limitMs);
  }, limitMs);
  return () => clearTimeout(timer);
}
