import type { Clock } from "../../../ports/clock";
import type { Random } from "../../../ports/random";
import type { UpstreamFaultKind } from "../../../ports/upstream-report";

/** What was wrong with an answer. */
export type Fault = UpstreamFaultKind;
export type NodeState = "up" | "busy" | "failing" | "lagging";

/** So many failures running, and a node is left alone. */
const MAX_FAILURES = 5;
/** Until it is tried again; twice as long each further time. */
const REST_MS = 10_000;
const BUSY_MS = 1_000;
const MAX_REST_MS = 300_000;
/** Added to a rest at random, so that many processes do not come back at once. */
const JITTER = 0.25;

export interface Health {
  state(): NodeState;
  lastFault(): Fault | null;
  /** Ms since the epoch; null before the first. */
  answeredAt(): number | null;
  isUp(): boolean;
  /** It rested long enough to be tried once. */
  isRested(): boolean;
  /** Ms it has asked to be left alone for. */
  mustWaitMs(): number;
  /** @param showsSlot whether the answer proves that it does not lag */
  answered(showsSlot: boolean): void;
  failed(fault: Fault, retryAfterSeconds?: number): void;
}

/** How one node does. @param onChange told when it is left alone, and when it is back */
export function createHealth(
  { clock, random }: { clock: Clock; random: Random },
  onChange: (state: NodeState) => void,
): Health {
  let state: NodeState = "up";
  let failures = 0;
  let rests = 0;
  let restsUntil = 0;
  let mustWaitUntil = 0;
  let lastFault: Fault | null = null;
  let answeredAt: number | null = null;

  const become = (next: NodeState) => {
    if (state === next) return;
    state = next;
    onChange(next);
  };
  const rest = (next: NodeState, ms: number) => {
    const now = clock.now();
    // What was asked before the rest began says nothing new.
    if (now < restsUntil) return;
    const share = random.bytes(1)[0]! / 255;
    restsUntil = now + Math.min(MAX_REST_MS, ms * 2 ** rests) * (1 + JITTER * share);
    rests++;
    become(next);
  };

  return {
    state: () => state,
    lastFault: () => lastFault,
    answeredAt: () => answeredAt,
    // A busy one comes back by itself, the others by a probe.
    isUp: () => state === "up" || (state === "busy" && clock.now() >= restsUntil),
    isRested: () => state !== "up" && clock.now() >= restsUntil,
    mustWaitMs: () => Math.max(0, mustWaitUntil - clock.now()),
    answered(showsSlot) {
      failures = 0;
      answeredAt = clock.now();
      if (state === "up" || (state === "lagging" && !showsSlot)) return;
      if (state === "busy" && clock.now() < restsUntil) return;
      rests = 0;
      restsUntil = 0;
      become("up");
    },
    failed(fault, retryAfterSeconds = 0) {
      lastFault = fault;
      if (fault === "busy") {
        mustWaitUntil = Math.max(mustWaitUntil, clock.now() + retryAfterSeconds * 1000);
        rest("busy", BUSY_MS);
        restsUntil = Math.max(restsUntil, mustWaitUntil);
      } else if (fault === "lagging") rest("lagging", REST_MS);
      else if (++failures >= MAX_FAILURES || state === "failing" || state === "lagging") rest("failing", REST_MS);
    },
  };
}
