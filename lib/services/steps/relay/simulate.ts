import { AppError } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { SignedTransaction } from "../../../solana/transactions";
import { wasRelayed } from "./build-records";
import { ASK_AGAIN_MS, ASKS, lagging, type Outcome, outcomeOf, type SeenSlot } from "./relay-records";
import { describeRuntimeError } from "./runtime-error";

/*
 * The problem: a node that lags knows neither the newest blockhash nor a recent deposit. Its simulation fails although
 * the transaction would land. A client that is wrongly refused rebuilds, and may pay twice.
 * The invariant: a failed simulation refuses a transaction only if the node had caught up and the transaction has
 * neither landed nor been sent.
 * How it is kept: a failure from a node behind `newest` is retried. After a failure from a current node, the record of
 * the message and the chain's history are read again before the refusal.
 * Example: a wallet receives 1 SOL in slot 200 and posts a saving. A node at slot 199 answers "insufficient funds". It
 * is behind, so the simulation runs again 400 ms later on a node at slot 200 and passes.
 */

export interface SignedSimulation {
  outcome: Outcome;
  /** True if no node knew the blockhash: every node lags, or the blockhash is too old. */
  doubtful: boolean;
}

/**
 * Simulates a signed transaction, signatures included.
 * @param newest the newest slot seen so far; raised to the slot of each answer
 * @returns the chain's outcome if the transaction has landed, otherwise `unknown`
 * @throws AppError simulation_failed when the network would refuse it; upstream_unavailable when every node lags
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
    // A message that was sent may still land, even if a simulation fails now. Only the chain can decide its outcome.
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
