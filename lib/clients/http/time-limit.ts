/** A timer that goes off later than this after its time, ms, says that the process itself stood still. */
const LATE_MS = 100;

/**
 * Calls `onLate` when `ms` have passed. Where the process itself stood still at their end, with its machine or behind work of its
 * own, they begin once anew: what has arrived meanwhile is read first, and nobody is taken for silent who was not heard.
 * @returns ends it
 */
export function timeLimit(ms: number, onLate: () => void, now = () => performance.now()): () => void {
  let timer = isLateAfter(ms, now, (isLate) => {
    if (isLate) timer = setTimeout(onLate, ms);
    else onLate();
  });
  return () => clearTimeout(timer);
}

/** AbortSignal.timeout in the same way; like that one it does not keep the process alive. */
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
