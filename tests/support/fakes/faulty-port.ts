import { AppError, type ErrorCode } from "../../../lib/errors";
import type { KvStore } from "../../../lib/ports/kv-store";
import type { SolanaRpc } from "../../../lib/ports/solana-rpc";
import type { ManualClock } from "./manual-clock";

/* Stages faults at the calls that a process makes to its store or its nodes. */

export const FAULT_KINDS = [
  "fails",
  "loses its answer",
  "takes 70 s",
  "meets a node that is behind",
  "ends the process",
  "ends the process after it took effect",
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface Fault {
  /** The number of the call at which the fault occurs. The first call of a run is 1. */
  callNumber: number;
  kind: FaultKind;
}

/** Counts the calls of all processes and selects those that fail. */
export interface FaultPlan {
  /** The names of the calls so far, for example `kv.get`. */
  calls: string[];
  faults: Fault[];
}

/** The life of one process. After its end, none of its calls continues. */
export interface ProcessLife {
  hasEnded: boolean;
  end(): void;
}

/** Delay of a slow call, ms. It is longer than a blockhash lives. */
const DELAY_MS = 70_000;
/** Lag of a node that is behind, in slots. */
const LAG_SLOTS = 60;
/** The codes of failed calls, in turn. */
const FAILURE_CODES: ErrorCode[] = ["upstream_unavailable", "upstream_timeout", "upstream_invalid"];
/** Matches the calls that write. For a call that only reads, a lost answer has the same effect as a failure. */
const WRITE_PATTERN = /^kv\.(set|setIfAbsent|replace|delete|addMember|removeMember)$|^rpc\.send$/;

/** Returns whether this kind of fault differs from the other kinds at this call. */
export function isDistinctFault(call: string, kind: FaultKind): boolean {
  if (kind === "meets a node that is behind") return call.startsWith("rpc.");
  return WRITE_PATTERN.test(call) || (kind !== "loses its answer" && kind !== "ends the process after it took effect");
}

/** A promise that never settles. */
export const never = new Promise<never>(() => {});

type Method = (...args: unknown[]) => Promise<unknown>;

/** @param createLaggingPort creates a port to a node that lags by this many slots; absent for the store */
export function createFaultyPort<Port extends KvStore | SolanaRpc>(
  name: "kv" | "rpc",
  target: Port,
  {
    clock,
    plan,
    life,
    createLaggingPort,
  }: { clock: ManualClock; plan: FaultPlan; life: ProcessLife; createLaggingPort?: (slots: number) => Port },
): Port {
  return new Proxy(target, {
    get(_, method: string) {
      const member = Reflect.get(target, method) as Method;
      // These make no upstream call.
      if (["invalidate", "estimateSendMs", "getSlotTime"].includes(method)) return member;
      return async (...args: unknown[]) => {
        if (life.hasEnded) return never;
        const callNumber = plan.calls.push(`${name}.${method}`);
        const kind = plan.faults.find((fault) => fault.callNumber === callNumber)?.kind;
        if (kind === "ends the process") life.end();
        if (life.hasEnded) return never;
        if (kind === "fails") throw new AppError(FAILURE_CODES[callNumber % FAILURE_CODES.length]!);
        if (kind === "takes 70 s") await clock.sleep(DELAY_MS);
        const laggingPort = kind === "meets a node that is behind" ? createLaggingPort?.(LAG_SLOTS) : undefined;
        const answer = await (laggingPort ? (Reflect.get(laggingPort, method) as Method)(...args) : member(...args));
        if (kind === "loses its answer") throw new AppError("upstream_timeout");
        if (kind === "ends the process after it took effect") life.end();
        return life.hasEnded ? never : answer;
      };
    },
  });
}
