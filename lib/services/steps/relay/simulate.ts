import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { SignedTransaction } from "../../../solana/transactions";
import { wasRelayed } from "./build-records";
import { ASK_AGAIN_MS, ASKS, lagging, type Outcome, outcomeOf, type SeenSlot } from "./relay-records";
import { describeRuntimeError } from "./runtime-error";

export interface SignedSimulation {
  outcome: Outcome;
  /** No node that was asked knew the blockhash: each is behind, or it is too old. */
  doubtful: boolean;
}

/**
 * Simulates a signed transaction with its signatures. Only a node that has seen as much as we have is believed that it
 * would fail, and only when it did not just land: a node that is behind knows neither the newest blockhash nor a deposit.
 * @param newest is raised by what it sees
 * @throws AppError simulation_failed, upstream_unavailable when no node that has caught up is to be had
 */
export async function simulateSigned(
  deps: Deps,
  txSignature: string,
  { bytes, message }: SignedTransaction,
  newest: SeenSlot,
): Promise<SignedSimulation> {
  const unknown: Outcome = { state: "unknown" };
  for (let ask = 1; ; ask++) {
    const { error, slot } = await deps.rpc.simulate(bytes, { verifySignatures: true });
    const isBehind = slot < newest.slot;
    newest.slot = Math.max(newest.slot, slot);
    // What was sent before may still land, whatever a simulation says now: then only the chain's own word ends it.
    if (error === null || error === "AlreadyProcessed") return { outcome: unknown, doubtful: false };
    if (error !== "BlockhashNotFound" && !isBehind) {
      if (await wasRelayed(deps, message)) return { outcome: unknown, doubtful: false };
      const again = await deps.rpc.signatureStates([txSignature], true);
      const outcome = outcomeOf(again.states[0]!);
      if (again.states[0]) return { outcome, doubtful: false };
      if (again.slot >= slot) throw refusal(error, txSignature);
    }
    if (ask === ASKS) {
      if (error === "BlockhashNotFound" || (await wasRelayed(deps, message)))
        return { outcome: unknown, doubtful: true };
      throw lagging();
    }
    await deps.clock.sleep(ASK_AGAIN_MS);
  }
}

function refusal(error: Parameters<typeof describeRuntimeError>[0], txSignature: string): AppError {
  const message = `The network would refuse this transaction, so it was not sent: ${describeRuntimeError(error)}`;
  return new AppError("simulation_failed", { message, txSignature });
}
