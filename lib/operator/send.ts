import type { Clock } from "../sdk/platform";
import { followTransaction, type SendResult } from "../sdk/recover/send";
import { type Chain, requestChain, type SignedTransfers } from "./chain";

/** The outcome of a signed transaction. */
export type TransferOutcome =
  | Exclude<SendResult, { state: "refused" }>
  /** Nothing was sent: the simulation refused the transaction, or the node did not answer. */
  | { state: "refused"; error: string };

/** The longest wait for an outcome, ms. 150 blocks expire a blockhash, and 32 further blocks prove its expiry. */
const MAX_WAIT_MS = 150_000;

/**
 * Simulates a transaction. Then sends the same bytes for up to 150 s, until they land or have provably expired.
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
