import type { Clock } from "../sdk/platform";
import { followTransaction, type SendResult } from "../sdk/recover/send";
import { type Chain, requestChain, type SignedTransfers } from "./chain";

/** The outcome of a signed transaction. */
export type TransferOutcome =
  | Exclude<SendResult, { state: "refused" }>
  /** The node's simulation refused the transaction. Nothing was sent. */
  | { state: "refused"; error: string };

/** The longest wait for an outcome, ms: well above the life of a blockhash (150 blocks, at most 60 s) and the proof of its end. */
const MAX_WAIT_MS = 150_000;

/**
 * Simulates a transaction, and sends the same bytes until they land or have provably expired. Takes at most 150 s.
 * @throws {OperatorFailure} when the node did not answer the simulation; nothing was sent
 */
export async function sendAndConfirm(
  chain: Chain,
  signedTransfers: SignedTransfers,
  clock: Clock,
): Promise<TransferOutcome> {
  const { transaction, expiryBound } = signedTransfers;
  const simulation = await requestChain(chain, "a simulation", () =>
    chain.simulateTransaction(transaction, { sigVerify: true }),
  );
  if (simulation.value.err !== null) return { state: "refused", error: JSON.stringify(simulation.value.err) };
  return followTransaction(chain, clock, transaction.serialize(), expiryBound, MAX_WAIT_MS);
}
