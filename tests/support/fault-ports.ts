import { AppError, type ErrorCode } from "../../lib/errors";
import type { KvStore, SolanaRpc } from "../../lib/ports";
import type { ManualClock } from "./manual-clock";

/** The store and the nodes of one process, with a fault staged at any of its calls. */

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
  /** 1 is the first call after the faults were staged. */
  n: number;
  kind: FaultKind;
}

/** Counts the calls of all processes, and says which of them meet a fault. */
export interface FaultPlan {
  /** Names of the calls so far, `kv.get` say. */
  calls: string[];
  faults: Fault[];
}

/** One process: once it has ended, nothing in it goes on. */
export interface Life {
  hasEnded: boolean;
  end(): void;
}

const PAUSE_MS = 70_000;
const BEHIND_SLOTS = 60;
const CODES: ErrorCode[] = ["upstream_unavailable", "upstream_timeout", "upstream_invalid"];
/** All others only read, so that losing the answer is the same as failing. */
const WRITES = ["kv.set", "kv.setIfAbsent", "kv.replace", "kv.delete", "kv.increment", "rpc.send"];

/** Whether a fault of this kind differs from the other kinds at this call. */
export function isWorthwhile(call: string, kind: FaultKind): boolean {
  if (kind === "meets a node that is behind") return call.startsWith("rpc.");
  return WRITES.includes(call) || (kind !== "loses its answer" && kind !== "ends the process after it took effect");
}

export const never = new Promise<never>(() => {});

type Method = (...args: unknown[]) => Promise<unknown>;

/** @param behind the same port of a node that is behind; absent for the store */
export function faultyPort<Port extends KvStore | SolanaRpc>(
  name: "kv" | "rpc",
  target: Port,
  { clock, plan, life, behind }: { clock: ManualClock; plan: FaultPlan; life: Life; behind?: (slots: number) => Port },
): Port {
  return new Proxy(target, {
    get(_, method: string) {
      const member = Reflect.get(target, method) as Method;
      // The one method that asks nobody.
      if (method === "invalidate") return member;
      return async (...args: unknown[]) => {
        if (life.hasEnded) return never;
        const n = plan.calls.push(`${name}.${method}`);
        const kind = plan.faults.find((one) => one.n === n)?.kind;
        if (kind === "ends the process") life.end();
        if (life.hasEnded) return never;
        if (kind === "fails") throw new AppError(CODES[n % CODES.length]!);
        if (kind === "takes 70 s") await clock.sleep(PAUSE_MS);
        const late = kind === "meets a node that is behind" ? behind?.(BEHIND_SLOTS) : undefined;
        const answer = await (late ? (Reflect.get(late, method) as Method)(...args) : member(...args));
        if (kind === "loses its answer") throw new AppError("upstream_timeout");
        if (kind === "ends the process after it took effect") life.end();
        return life.hasEnded ? never : answer;
      };
    },
  });
}
