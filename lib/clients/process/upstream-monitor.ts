import { AppError, KeyRefusedFault } from "../../errors";
import type { Clock } from "../../ports/clock";
import type { UpstreamFaultKind, UpstreamReport } from "../../ports/upstream-report";
import { hasStatus } from "../http/fetch-json";
import { mapMethods } from "../quota/quota-port";

export type UpstreamMonitor = ReturnType<typeof createUpstreamMonitor>;

interface UpstreamMonitorOptions {
  clock: Clock;
  /** Called when an upstream begins to refuse its key, which an operator has to fix. */
  notify: (text: string) => void;
}

type UpstreamState = Pick<UpstreamReport, "state" | "answeredAt" | "lastFault" | "lastRefusal">;

export function createUpstreamMonitor({ clock, notify }: UpstreamMonitorOptions) {
  const statesByName = new Map<string, UpstreamState>();

  const recordFailure = (name: string, upstreamState: UpstreamState, error: unknown) => {
    const faultKind = classifyError(error);
    if (faultKind === null) return recordAnswer(upstreamState);
    const lastRefusal = describeRefusal(error as AppError);
    const isKnown = upstreamState.state === "failing" && upstreamState.lastRefusal === lastRefusal;
    if (faultKind === "key_refused" && !isKnown) notify(`${name} ${lastRefusal}.`);
    Object.assign(upstreamState, { lastFault: faultKind, lastRefusal, state: "failing" });
  };
  const recordAnswer = (upstreamState: UpstreamState) =>
    void Object.assign(upstreamState, { answeredAt: clock.now(), state: "up" });

  return {
    watch<T extends object>(name: string, port: T): T {
      const upstreamState: UpstreamState = { answeredAt: null, lastFault: null, state: "unchecked" };
      statesByName.set(name, upstreamState);
      return mapMethods(port, (call) => async (...args) => {
        try {
          const answer = await call(...args);
          recordAnswer(upstreamState);
          return answer;
        } catch (error) {
          recordFailure(name, upstreamState, error);
          throw error;
        }
      });
    },
    report: (): UpstreamReport[] =>
      [...statesByName].map(([name, upstreamState]) => ({ name, lagSlots: null, ...upstreamState })),
  };
}

/** Returns what an upstream refuses; undefined for a failure that is no refusal. */
function describeRefusal({ details: { cause } }: AppError): string | undefined {
  if (!(cause instanceof KeyRefusedFault)) return undefined;
  // A number is an HTTP status.
  return typeof cause.failure === "string" ? cause.failure : "refuses the key that is configured";
}

/** Returns the kind of failure, or null when the upstream answered, even if with an error. */
function classifyError(error: unknown): UpstreamFaultKind | null {
  if (!(error instanceof AppError) || !error.code.startsWith("upstream_")) return null;
  if (error.details.cause instanceof KeyRefusedFault) return "key_refused";
  if (error.code === "upstream_timeout") return "timeout";
  if (error.code === "upstream_invalid") return "invalid";
  return hasStatus(error, 429) ? "busy" : "unavailable";
}
