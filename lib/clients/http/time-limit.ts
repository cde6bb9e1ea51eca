/** Delay from which a timer counts as late, ms. A late timer means that this process was suspended or busy. */
const LATE_MS = 100;

/**
 * Calls `onTimeout` after `limitMs`. A late timer starts the limit once more, so that the process reads answers that
 * have already arrived. Otherwise the log would blame the upstream for this process's pause.
 * @returns a function that cancels the limit
 */
export function startTimeLimit(limitMs: number, onTimeout: () => void, { shouldKeepProcessAlive = true } = {}) {
  const startTimer = (onFire: () => void) => {
    const handle = setTimeout(onFire, limitMs);
    return shouldKeepProcessAlive ? handle : handle.unref();
  };
  const dueAt = performance.now() + limitMs;
  let timer = startTimer(() => {
    if (performance.now() - dueAt < LATE_MS) onTimeout();
    else timer = startTimer(onTimeout);
  });
  return () => clearTimeout(timer);
}

/** Like AbortSignal.timeout, but restarts a late timer once. The timer does not keep the process alive. */
export function createTimeLimitSignal(limitMs: number): AbortSignal {
  const controller = new AbortController();
  const abortLate = () => controller.abort(new DOMException("took too long", "TimeoutError"));
  startTimeLimit(limitMs, abortLate, { shouldKeepProcessAlive: false });
  return controller.signal;
}
