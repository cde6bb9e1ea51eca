import { AppError, KeyRefused, UpstreamFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { UpstreamFaultKind, UpstreamReport } from "../../ports/upstream-report";
import { mapMethods } from "./map-methods";

export interface UpstreamMonitor {
  /** Returns the same port, with the outcome of each call recorded under `name`. */
  watch<T extends object>(name: string, port: T): T;
  report(): UpstreamReport[];
}

interface SourceState {
  answeredAt: number | null;
  lastFault: UpstreamFaultKind | null;
  state: UpstreamReport["state"];
}

/**
 * Creates a monitor that records the last answer and the last failure of each upstream.
 * @param notice called when an upstream begins to refuse its key, which an operator has to fix
 */
export function createUpstreamMonitor({
  clock,
  notice,
}: {
  clock: Clock;
  notice: (text: string) => void;
}): UpstreamMonitor {
  const seen = new Map<string, SourceState>();

  const recordFailure = (name: string, one: SourceState, error: unknown) => {
    const kind = classifyError(error);
    if (kind === null) return recordAnswer(one);
    if (kind === "key_refused" && (one.state !== "failing" || one.lastFault !== kind)) {
      notice(`${name} refuses the key that is configured.`);
    }
    Object.assign(one, { lastFault: kind, state: "failing" });
  };
  const recordAnswer = (one: SourceState) => void Object.assign(one, { answeredAt: clock.now(), state: "up" });

  return {
    watch(name, port) {
      const one: SourceState = { answeredAt: null, lastFault: null, state: "unchecked" };
      seen.set(name, one);
      return mapMethods(port, (call) => async (...args) => {
        try {
          const answer = await call(...args);
          recordAnswer(one);
          return answer;
        } catch (error) {
          recordFailure(name, one, error);
          throw error;
        }
      });
    },
    report: () => [...seen].map(([name, one]) => ({ name, lagSlots: null, ...one })),
  };
}

/** Returns the kind of failure, or null when the upstream answered, even if with an error. */
function classifyError(error: unknown): UpstreamFaultKind | null {
  if (!(error instanceof AppError) || !error.code.startsWith("upstream_")) return null;
  const { cause } = error.details;
  if (cause instanceof KeyRefused) return "key_refused";
  if (error.code === "upstream_timeout") return "timeout";
  if (error.code === "upstream_invalid") return "invalid";
  return cause instanceof UpstreamFault && cause.what === 429 ? "busy" : "unavailable";
}
