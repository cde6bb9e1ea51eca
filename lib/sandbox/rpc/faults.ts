import { refuseParams } from "../chain/types";
import { isObject, type Params, parseWholeNumber } from "./params";
import type { NodePool } from "./pool";

/** How the server answers a request with an injected fault. */
type FaultMode = "error" | "slow" | "garbage";

interface Fault {
  mode: FaultMode;
  /** Delay before the answer, ms. */
  delayMs: number;
}

export type Faults = ReturnType<typeof createFaults>;

const FAULT_MODES = ["error", "slow", "garbage", "off"];
const MAX_DELAY_MS = 120_000;

/** Creates the set of faults that tests inject into one server. It starts empty. */
export function createFaults() {
  const faultByTarget = new Map<string, Fault>();
  return {
    /** True makes sendTransaction return a signature and drop the transaction. */
    shouldDropTransactions: false,
    /** Faulty nodes that answer instead of the single good node. */
    pool: null as NodePool | null,
    /** Applies sandbox_setFault. Mode "off" ends the target's fault. Target "*" with mode "off" ends all faults. */
    setFault([fault]: Params): void {
      if (!isObject(fault)) refuseParams("Invalid params: { target, mode, delayMs? } is expected");
      const { target, mode } = fault;
      if (typeof target !== "string" || target === "")
        refuseParams("Invalid params: target must be a method, a path or *");
      if (typeof mode !== "string" || !FAULT_MODES.includes(mode))
        refuseParams(`Invalid params: mode must be ${FAULT_MODES.join(", ")}`);
      const delayMs = parseWholeNumber(fault.delayMs, "delayMs", 0, MAX_DELAY_MS, 0);
      if (mode !== "off") faultByTarget.set(target, { mode: mode as FaultMode, delayMs });
      else if (target === "*") faultByTarget.clear();
      else faultByTarget.delete(target);
    },
    /** Returns the fault of the first target that has one, else the fault on "*"; null when there is neither. */
    findFault(targets: string[]): Fault | null {
      const target = targets.find((candidate) => faultByTarget.has(candidate)) ?? "*";
      return targets.length > 0 ? (faultByTarget.get(target) ?? null) : null;
    },
  };
}
