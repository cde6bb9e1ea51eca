import { throwInvalid } from "../chain/types";
import { isObject, type Params, parseWholeNumber } from "./params";
import type { NodePool } from "./pool";

/** How the server treats requests to a target of a fault, which tests inject. */
type FaultMode = "error" | "slow" | "garbage";

interface Fault {
  mode: FaultMode;
  /** Ms before the answer. */
  delayMs: number;
}

export type Faults = ReturnType<typeof createFaults>;

const MODES = ["error", "slow", "garbage", "off"];
const MAX_DELAY_MS = 120_000;

/** Creates the faults of one server. At the start there are none. */
export function createFaults() {
  const byTarget = new Map<string, Fault>();
  return {
    /** Makes sendTransaction return a signature and drop the transaction. */
    dropTransactions: false,
    /** Faulty nodes that answer instead of the single good node. */
    pool: null as NodePool | null,
    /** Applies sandbox_setFault: one { target, mode, delayMs? }. Mode "off" ends it. Target "*" with "off" ends all. */
    set([fault]: Params): void {
      if (!isObject(fault)) throwInvalid("Invalid params: { target, mode, delayMs? } is expected");
      const { target, mode } = fault;
      if (typeof target !== "string" || target === "")
        throwInvalid("Invalid params: target must be a method, a path or *");
      if (typeof mode !== "string" || !MODES.includes(mode))
        throwInvalid(`Invalid params: mode must be ${MODES.join(", ")}`);
      const delayMs = parseWholeNumber(fault.delayMs, "delayMs", 0, MAX_DELAY_MS, 0);
      if (mode !== "off") byTarget.set(target, { mode: mode as FaultMode, delayMs });
      else if (target === "*") byTarget.clear();
      else byTarget.delete(target);
    },
    /** Returns the fault of the first target that has one. A fault on "*" applies to all targets. */
    findFault(targets: string[]): Fault | null {
      const target = targets.find((name) => byTarget.has(name)) ?? "*";
      return targets.length > 0 ? (byTarget.get(target) ?? null) : null;
    },
  };
}
