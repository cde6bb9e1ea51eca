/** A timer that fires this much too late, in ms, shows that the process itself was suspended or busy. */
const LATE_MS = 100;

/**
 * Calls `onLate` after `ms`. When the timer fires late, the process was suspended or busy, and `ms` starts once more.
 * Answers that arrived in between are then read first, so an upstream is not blamed for the process's own pause.
 * @returns a function that cancels the limit
 */
export function timeLimit(ms: number, onLate: () => void, now = () => performance.now()): () => void {
  let timer = isLateAfter(ms, now, (isLate) => {
    if (isLate) timer = setTimeout(onLate, ms);
    else onLate();
  });
  return () => clearTimeout(timer);
}

/** Like AbortSignal.timeout, with the second chance of timeLimit. It does not keep the process alive either. */
export function timeLimitSignal(ms: number): AbortSignal {
  const controller = new AbortController();
  const abort = () => controller.abort(new DOMException("took too long", "TimeoutError"));
  isLateAfter(
    ms,
    () => performance.now(),
    (isLate) => {
      if (isLate) setTimeout(abort, ms).unref();
      else abort();
    },
  ).unref();
  return controller.signal;
}

function isLateAfter(ms: number, now: () => number, then: (isLate: boolean) => void): NodeJS.Timeout {
  const due = now() + ms;
  return setTimeout(() => then(now() - due >= LATE_MS), ms);
}
