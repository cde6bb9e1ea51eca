import { throwInvalid } from "../chain/types";
import { isObject, type Params, parseWholeNumber } from "./params";
import type { NodePool } from "./pool";

/** Faults that tests inject: how the server treats requests to a target. */
type FaultMode = "error" | "slow" | "garbage";

interface Fault {
  mode: FaultMode;
  delayMs: number;
}

export interface Faults {
  /** Applies sandbox_setFault: one { target, mode, delayMs? }. Mode "off" ends it. Target "*" with "off" ends all. */
  set(params: Params): void;
  /** Returns the fault of the first target that has one. A fault on "*" applies to all targets. */
  findFault(targets: string[]): Fault | null;
  /** Makes sendTransaction return a signature and drop the transaction. */
  dropTransactions: boolean;
  /** Faulty nodes that answer instead of the single good node. */
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
      if (!isObject(wanted)) throwInvalid("Invalid params: { target, mode, delayMs? } is expected");
      const { target, mode } = wanted;
      if (typeof target !== "string" || target === "")
        throwInvalid("Invalid params: target must be a method, a path or *");
      if (typeof mode !== "string" || !MODES.includes(mode))
        throwInvalid(`Invalid params: mode must be ${MODES.join(", ")}`);
      const delayMs = parseWholeNumber(wanted.delayMs, "delayMs", 0, MAX_DELAY_MS, 0);
      if (mode !== "off") byTarget.set(target, { mode: mode as FaultMode, delayMs });
      else if (target === "*") byTarget.clear();
      else byTarget.delete(target);
    },
    findFault(targets) {
      for (const target of targets) {
        const fault = byTarget.get(target);
        if (fault) return fault;
      }
      return targets.length > 0 ? (byTarget.get("*") ?? null) : null;
    },
  };
}
