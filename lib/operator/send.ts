import type { Keypair } from "@solana/web3.js";
import type { OperatorEnv } from "../env";
import type { Clock } from "../sdk/platform";
import { followTransaction, type SendResult } from "../sdk/recover/send";
import type { PriorityFee } from "../solana/budget";
import type { InstructionLike } from "../solana/instructions";
import { type Chain, requestChain, type SignedTransfers, signTransfers } from "./chain";
import { OperatorFailure } from "./failure";
import type { OperatorFile } from "./operator-file";

/** The dependencies of the commands that read or move the operator's SOL and USDC. */
export interface OperatorSession {
  chain: Chain;
  operatorFile: OperatorFile;
  clock: Clock;
  /** Settings of the priority fee. No priority fee when absent. */
  priorityFee?: OperatorEnv["priorityFee"];
  /** Prints text for the operator, without a final newline. Never receives a secret. */
  print(text: string): void;
}

export type TransferOutcome =
  | Exclude<SendResult, { state: "refused" }>
  /** Nothing was sent: the simulation refused the transaction, or the node did not answer. */
  | { state: "refused"; error: string };

/** The longest wait for an outcome, ms. 150 blocks expire a blockhash, and 32 further blocks prove its expiry. */
const MAX_WAIT_MS = 150_000;

/** Signs, sends and follows one transaction. Returns an OperatorFailure as the outcome `refused`. */
export async function signAndSend(
  { chain, clock }: OperatorSession,
  signers: readonly [payer: Keypair, ...others: Keypair[]],
  instructions: readonly InstructionLike[],
  priority?: PriorityFee,
): Promise<TransferOutcome> {
  try {
    return await sendAndConfirm(chain, await signTransfers(chain, signers, instructions, priority), clock);
  } catch (error) {
    // A transfer that could not be sent must not hide the outcome of the transfers before it.
    if (error instanceof OperatorFailure) return { state: "refused", error: error.message };
    throw error;
  }
}

/**
 * Simulates a transaction. Then sends the same bytes for up to 150 s, until they land or have provably expired.
 * @throws {OperatorFailure} when the node did not answer the simulation; nothing was sent
 */
export async function sendAndConfirm(
  chain: Chain,
  { transaction, expiryBound }: SignedTransfers,
  clock: Clock,
): Promise<TransferOutcome> {
  const simulation = await requestChain(chain, "a simulation", () =>
    chain.simulateTransaction(transaction, { sigVerify: true }),
  );
  if (simulation.value.err !== null) return { state: "refused", error: JSON.stringify(simulation.value.err) };
  return followTransaction(chain, clock, transaction.serialize(), expiryBound, MAX_WAIT_MS);
}
