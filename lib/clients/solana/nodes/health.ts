import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import type { UpstreamFaultKind } from "../../../ports/upstream-report";

export type NodeState = "up" | "busy" | "failing" | "lagging";

/** After this many failures in a row, a node is rested. */
const MAX_FAILURES = 5;
/** How long a failing or lagging node is rested, ms. Each further rest is twice as long. */
const REST_MS = 10_000;
/** How long a busy node is rested, ms. Each further rest is twice as long. */
const BUSY_REST_MS = 1_000;
/** The longest rest without its random part, ms. */
const MAX_REST_MS = 300_000;
/** The largest random addition to a rest, as a share of it. It keeps many processes from returning at once. */
const MAX_JITTER = 0.25;

export type Health = ReturnType<typeof createHealth>;

/** @param onChange called when the node goes to rest and when it is up again */
export function createHealth(
  { clock, random }: { clock: Clock; random: Random },
  onChange: (state: NodeState) => void,
) {
  let state: NodeState = "up";
  let failureCount = 0;
  let restCount = 0;
  let restsUntil = 0;
  let retryAfterEndsAt = 0;
  let lastFault: UpstreamFaultKind | null = null;
  let answeredAt: number | null = null;

  const setState = (newState: NodeState) => {
    if (state === newState) return;
    state = newState;
    onChange(newState);
  };
  const startRest = (newState: NodeState, restMs: number) => {
    const now = clock.now();
    // Ignore a failure during a rest: its request began before the rest.
    if (now < restsUntil) return;
    const jitter = MAX_JITTER * (random.bytes(1)[0]! / 255);
    restsUntil = now + Math.min(MAX_REST_MS, restMs * 2 ** restCount) * (1 + jitter);
    restCount++;
    setState(newState);
  };

  return {
    getState: () => state,
    getLastFault: () => lastFault,
    getAnsweredAt: () => answeredAt,
    /** Returns whether the node is up. A busy node is up when its rest ends; others must answer a call first. */
    isUp: () => state === "up" || (state === "busy" && clock.now() >= restsUntil),
    /** Returns whether the node has rested long enough for one attempt. */
    isRested: () => state !== "up" && clock.now() >= restsUntil,
    getRetryAfterMs: () => Math.max(0, retryAfterEndsAt - clock.now()),
    /** Records an answer. @param hasCurrentSlot whether it has a current slot, so the node does not lag */
    recordAnswer(hasCurrentSlot: boolean): void {
      failureCount = 0;
      answeredAt = clock.now();
      if (state === "up" || (state === "lagging" && !hasCurrentSlot)) return;
      if (state === "busy" && clock.now() < restsUntil) return;
      restCount = 0;
      restsUntil = 0;
      setState("up");
    },
    /** Records a failed call. @param retryAfterSeconds the node's Retry-After, used with the fault `busy` only */
    recordFailure(fault: UpstreamFaultKind, retryAfterSeconds = 0): void {
      lastFault = fault;
      if (fault === "busy") {
        retryAfterEndsAt = Math.max(retryAfterEndsAt, clock.now() + retryAfterSeconds * 1000);
        startRest("busy", BUSY_REST_MS);
        restsUntil = Math.max(restsUntil, retryAfterEndsAt);
      } else if (fault === "lagging") startRest("lagging", REST_MS);
      else if (++failureCount >= MAX_FAILURES || state === "failing" || state === "lagging")
        startRest("failing", REST_MS);
    },
  };
}
