import { invalid, isObject, type Params, wholeNumber } from "./params";
import type { NodePool } from "./pool";

/** Faults that tests stage: what the server does to requests of a target instead of answering them. */
type FaultMode = "error" | "slow" | "garbage";

interface Fault {
  mode: FaultMode;
  delayMs: number;
}

export interface Faults {
  /** Parameters of sandbox_setFault: one { target, mode, delayMs? }. Mode "off" ends it; target "*" with "off" ends all. */
  set(params: Params): void;
  /** The fault of the first of these targets that has one; one of "*" goes for all. */
  of(targets: string[]): Fault | null;
  /** Answer sendTransaction with a signature and lose the transaction. */
  dropTransactions: boolean;
  /** Bad nodes that answer in place of the one good node. */
  pool: NodePool | null;
}

const MODES = ["error", "slow", "garbage", "off"];
const MAX_DELAY_MS = 120_000;

export function createFaults(): Faults {
  const byTarget = new Map<string, Fault>();
  return {
    dropTransactions: false,
    pool: null,
    set([wanted]) {
      if (!isObject(wanted)) invalid("Invalid params: { target, mode, delayMs? } is expected");
      const { target, mode } = wanted;
      if (typeof target !== "string" || target === "") invalid("Invalid params: target must be a method, a path or *");
      if (typeof mode !== "string" || !MODES.includes(mode))
        invalid(`Invalid params: mode must be ${MODES.join(", ")}`);
      const delayMs = wholeNumber(wanted.delayMs, "delayMs", 0, MAX_DELAY_MS, 0);
      if (mode !== "off") byTarget.set(target, { mode: mode as FaultMode, delayMs });
      else if (target === "*") byTarget.clear();
      else byTarget.delete(target);
    },
    of(targets) {
      for (const target of targets) {
        const fault = byTarget.get(target);
        if (fault) return fault;
      }
      return targets.length > 0 ? (byTarget.get("*") ?? null) : null;
    },
  };
}
