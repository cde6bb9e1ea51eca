/** A timer that fires this much too late, in ms, shows that the process itself was suspended or busy. */
const LATE_MS = 100;

/**
 * Calls `onLate` after `ms`. When the timer fires late, the process was suspended or busy, and `ms` starts once more.
 * Answers that arrived in between are then read first, so an upstream is not blamed for the process's own pause.
 * @param keepsAlive whether the process stays alive for the limit
 * @returns a function that cancels the limit
 */
export function startTimeLimit(ms: number, onLate: () => void, now = () => performance.now(), keepsAlive = true) {
  const startTimer = (then: () => void) => {
    const started = setTimeout(then, ms);
    return keepsAlive ? started : started.unref();
  };
  const due = now() + ms;
  let timer = startTimer(() => {
    if (now() - due < LATE_MS) onLate();
    else timer = startTimer(onLate);
  });
  return () => clearTimeout(timer);
}

/** Like AbortSignal.timeout, with the second chance of startTimeLimit. It does not keep the process alive either. */
export function createTimeLimitSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  startTimeLimit(ms, () => controller.abort(new DOMException("took too long", "TimeoutError")), undefined, false);
  return controller.signal;
}
