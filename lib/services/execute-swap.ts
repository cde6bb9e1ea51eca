import bs58 from "bs58";
import type { DataOf, InputOf } from "../contracts/define";
import type { executeSwapContract } from "../contracts/execute-swap";
import { carriesFee } from "../domain/fee-policy";
import { AppError } from "../errors";
import type { Deps } from "../ports";
import { fromBase64 } from "../solana/bytes";
import { isDurableNonce, systemMovements } from "../solana/system-instructions";
import {
  decodeTransaction,
  lookupTablesOf,
  resolveAccountKeys,
  type SignedTransaction,
  TransactionFault,
} from "../solana/transactions";
import { lastValidHeight, rememberRelayed, wasRelayed } from "./steps/build-records";
import { followToOutcome, knownOutcome, type Outcome, settle, throwIfExpired } from "./steps/relay";
import { describeRuntimeError } from "./steps/runtime-error";
import { knownServiceWallets } from "./steps/service-wallets";

type Execution = DataOf<typeof executeSwapContract>;

export async function executeSwap(deps: Deps, input: InputOf<typeof executeSwapContract>): Promise<Execution> {
  const transaction = read(input.signedTransaction);
  refuseUnsigned(deps, transaction);
  if (isDurableNonce(transaction.decoded)) {
    throw new AppError("invalid_transaction", {
      message: "Durable-nonce transactions are not relayed; use a recent blockhash.",
    });
  }
  const txSignature = bs58.encode(transaction.signatures[0]!);
  const lastValidBlockHeight = await lastValidHeight(deps, transaction.decoded.message.recentBlockhash);
  const relayed = { txSignature, transaction, lastValidBlockHeight };
  const { message } = transaction;

  let outcome: Outcome = await knownOutcome(deps, txSignature);
  if (outcome.state === "unknown") {
    await refuseWithoutFee(deps, transaction);
    const simulation = await deps.rpc.simulate(transaction.bytes, { verifySignatures: true });
    if (simulation.error === "BlockhashNotFound") await throwIfExpired(deps, relayed);
    // What was sent before may still land, whatever a simulation says now: then only the chain's own word ends it.
    else if (
      simulation.error !== null &&
      simulation.error !== "AlreadyProcessed" &&
      !(await wasRelayed(deps, message))
    ) {
      const why = describeRuntimeError(simulation.error);
      throw new AppError("simulation_failed", {
        message: `The network would refuse this transaction, so it was not sent: ${why}`,
        txSignature,
      });
    }
    await rememberRelayed(deps, message);
    outcome = await followToOutcome(deps, relayed);
  }
  return answer(deps, relayed, outcome);
}

async function answer(
  deps: Deps,
  relayed: { txSignature: string; transaction: SignedTransaction; lastValidBlockHeight: number | null },
  outcome: Outcome,
): Promise<Execution> {
  const { txSignature, transaction, lastValidBlockHeight } = relayed;
  const { network } = deps;
  if (outcome.state === "unknown")
    return { txSignature, confirmed: false, status: "pending", lastValidBlockHeight, network };
  if (!outcome.recorded) await settle(deps, txSignature, transaction, outcome);
  if (outcome.error !== null) {
    const why = describeRuntimeError(outcome.error);
    throw new AppError("transaction_failed", {
      message: `The transaction reached the chain and failed there: ${why}`,
      txSignature,
    });
  }
  return { txSignature, confirmed: true, status: outcome.status, slot: outcome.slot, network };
}

/** @throws AppError invalid_transaction */
function read(base64: string): SignedTransaction {
  const bytes = fromBase64(base64);
  if (!bytes) throw new AppError("invalid_transaction", { message: "signedTransaction is not canonical base64." });
  try {
    return decodeTransaction(bytes);
  } catch (error) {
    if (error instanceof TransactionFault) throw new AppError("invalid_transaction", { message: error.message });
    throw error;
  }
}

/** @throws AppError transaction_not_signed */
function refuseUnsigned({ verifier }: Deps, { signers, signatures, message }: SignedTransaction): void {
  signers.forEach((signer, i) => {
    const signature = signatures[i]!;
    if (verifier.verify(signer, message, signature)) return;
    const fault = signature.every((byte) => byte === 0) ? "is missing" : "does not match the transaction";
    throw new AppError("transaction_not_signed", { message: `The signature of ${bs58.encode(signer)} ${fault}.` });
  });
}

/** @throws AppError fee_missing */
async function refuseWithoutFee(deps: Deps, { decoded }: SignedTransaction): Promise<void> {
  const tables = lookupTablesOf(decoded);
  const accounts = tables.length > 0 ? await deps.rpc.accounts(tables) : [];
  const keys = resolveAccountKeys(
    decoded,
    accounts.map((account) => account?.data ?? null),
  );
  // Not left to the simulation: by then the table may have come to be, and the fee would go unchecked.
  if (!keys) {
    throw new AppError("simulation_failed", {
      message:
        "The network would refuse this transaction, so it was not sent: a lookup table it uses is missing or too short.",
    });
  }
  const movements = systemMovements(decoded, keys);
  const known = await knownServiceWallets(deps, [...new Set(movements.map(({ to }) => to))]);
  if (known.size === 0) return;
  const rentMin = await deps.rpc.rentExemptMinimum(0);
  const collectors = new Set(deps.feeCollectors);
  if (
    !carriesFee(
      movements,
      (address) => known.has(address),
      (address) => collectors.has(address),
      rentMin,
    )
  ) {
    throw new AppError("fee_missing");
  }
}
