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
  n: number;
  kind: FaultKind;
}

/** Counts the calls of all processes and selects those that fail. */
export interface FaultPlan {
  /** The names of the calls so far, for example `kv.get`. */
  calls: string[];
  faults: Fault[];
}

/** One process. After its end none of its calls continues. */
export interface ProcessLife {
  hasEnded: boolean;
  end(): void;
}

/** Longer than a blockhash lives. */
const DELAY_MS = 70_000;
const BEHIND_SLOTS = 60;
const CODES: ErrorCode[] = ["upstream_unavailable", "upstream_timeout", "upstream_invalid"];
/** Calls that write. All other calls only read, so a lost answer has the same effect as a failure. */
const WRITES = [
  "kv.set",
  "kv.setIfAbsent",
  "kv.replace",
  "kv.delete",
  "kv.increment",
  "kv.addMember",
  "kv.removeMember",
  "rpc.send",
];

/** Returns whether this kind of fault differs from the other kinds at this call. */
export function isDistinctFault(call: string, kind: FaultKind): boolean {
  if (kind === "meets a node that is behind") return call.startsWith("rpc.");
  return WRITES.includes(call) || (kind !== "loses its answer" && kind !== "ends the process after it took effect");
}

export const never = new Promise<never>(() => {});

type Method = (...args: unknown[]) => Promise<unknown>;

/** Wraps a port. @param behind returns the port of a node that lags by this many slots; absent for the store */
export function faultyPort<Port extends KvStore | SolanaRpc>(
  name: "kv" | "rpc",
  target: Port,
  {
    clock,
    plan,
    life,
    behind,
  }: { clock: ManualClock; plan: FaultPlan; life: ProcessLife; behind?: (slots: number) => Port },
): Port {
  return new Proxy(target, {
    get(_, method: string) {
      const member = Reflect.get(target, method) as Method;
      // `invalidate` makes no upstream call.
      if (method === "invalidate") return member;
      return async (...args: unknown[]) => {
        if (life.hasEnded) return never;
        const n = plan.calls.push(`${name}.${method}`);
        const kind = plan.faults.find((fault) => fault.n === n)?.kind;
        if (kind === "ends the process") life.end();
        if (life.hasEnded) return never;
        if (kind === "fails") throw new AppError(CODES[n % CODES.length]!);
        if (kind === "takes 70 s") await clock.sleep(DELAY_MS);
        const laggingPort = kind === "meets a node that is behind" ? behind?.(BEHIND_SLOTS) : undefined;
        const answer = await (laggingPort ? (Reflect.get(laggingPort, method) as Method)(...args) : member(...args));
        if (kind === "loses its answer") throw new AppError("upstream_timeout");
        if (kind === "ends the process after it took effect") life.end();
        return life.hasEnded ? never : answer;
      };
    },
  });
}
