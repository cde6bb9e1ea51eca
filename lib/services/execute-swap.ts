import bs58 from "bs58";
import type { DataOf, InputOf } from "../contracts/define";
import type { executeSwapContract } from "../contracts/execute-swap";
import { carriesFee } from "../domain/fee-policy";
import { AppError, UpstreamFault } from "../errors";
import type { Deps } from "../ports/deps";
import { fromBase64 } from "../solana/bytes";
import { isDurableNonce, type SystemMovement, systemMovements } from "../solana/system-instructions";
import {
  decodeTransaction,
  lookupTablesOf,
  resolveAccountKeys,
  type SignedTransaction,
  TransactionFault,
} from "../solana/transactions";
import {
  boundOf,
  rememberRefused,
  rememberRelayed,
  type ValidUntil,
  validUntil,
  wasRefused,
  wasRelayed,
} from "./steps/relay/build-records";
import { confirmSending, marksOf } from "./steps/relay/claim-records";
import { relay } from "./steps/relay/relay";
import { knownOutcome, type Outcome, recordLanded, type SeenSlot } from "./steps/relay/relay-records";
import { describeRuntimeError } from "./steps/relay/runtime-error";
import { simulateSigned } from "./steps/relay/simulate";
import { releaseRefused } from "./steps/saving/claim-release";
import { takeClaim } from "./steps/saving/claims";
import { knownServiceWallets } from "./steps/service-wallets";
import { tolerate } from "./steps/tolerate";

type Execution = DataOf<typeof executeSwapContract>;

export async function executeSwap(deps: Deps, input: InputOf<typeof executeSwapContract>): Promise<Execution> {
  const transaction = readSigned(input.signedTransaction);
  refuseUnsigned(deps, transaction);
  if (isDurableNonce(transaction.decoded)) {
    throw new AppError("invalid_transaction", {
      message: "Durable-nonce transactions are not relayed; use a recent blockhash.",
    });
  }
  const txSignature = bs58.encode(transaction.signatures[0]!);
  const known = await validUntil(deps, transaction.decoded.message.recentBlockhash);
  const { outcome, seenSlot } = await knownOutcome(deps, txSignature);
  // A node that does not know the slot at which this blockhash was handed out is behind.
  const newest = { slot: Math.max(seenSlot, known?.slot ?? 0, deps.watch.highestSlot()) };
  const found =
    outcome.state === "unknown"
      ? await sendNew(deps, txSignature, transaction, known, newest).catch((error) =>
          recordRefusal(deps, transaction, newest, error),
        )
      : outcome;
  if (found.state === "landed" && !found.recorded) await recordLanded(deps, txSignature, transaction, found);
  return toAnswer(deps, txSignature, found, known?.height ?? null);
}

/** Sends what may be sent. @throws AppError fee_missing, already_saved, simulation_failed, upstream_* before anything went out */
async function sendNew(
  deps: Deps,
  txSignature: string,
  transaction: SignedTransaction,
  known: ValidUntil | null,
  newest: SeenSlot,
): Promise<Outcome> {
  const { decoded, message } = transaction;
  const movements = await movementsOf(deps, transaction);
  await refuseWithoutFee(deps, transaction, movements);
  const [{ outcome, doubtful }, bound] = await Promise.all([
    simulateSigned(deps, txSignature, transaction, newest),
    boundOf(deps, decoded.message.recentBlockhash, known, newest.slot),
  ]);
  if (outcome.state !== "unknown") return outcome;
  const isMarked = marksOf(transaction).length > 0;
  // Nodes know no blockhash that anybody made up: a claim that it held would never end, for want of somebody who asks.
  if (doubtful && !bound?.vouched && isMarked)
    return relay(deps, { txSignature, transaction, bound, doubtful, unsent: true });
  // Before the claim: a refused message would hold it until the message has certainly expired.
  if (isMarked && (await wasRefused(deps, message))) throw new AppError("simulation_failed", { txSignature });
  const hasClaim = await takeClaim(deps, transaction, movements, bound, newest);
  if (!(await rememberRelayed(deps, message))) throw new AppError("simulation_failed", { txSignature });
  if (hasClaim) await confirmSending(deps, transaction);
  return relay(deps, { txSignature, transaction, bound, doubtful });
}

/**
 * Records a refusal before it is answered, and frees the claim of what it refuses. A lost answer of the store is no refusal.
 * @throws what it is given; AppError upstream_unavailable when the message was sent meanwhile
 */
async function recordRefusal(
  deps: Deps,
  transaction: SignedTransaction,
  newest: SeenSlot,
  error: unknown,
): Promise<never> {
  const isRefusal = error instanceof AppError && ["simulation_failed", "invalid_transaction"].includes(error.code);
  if (!isRefusal) throw error;
  const word = await rememberRefused(deps, transaction.message);
  if (word === "sent")
    throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "refuses what was just sent") });
  if (word === "first") await tolerate(releaseRefused(deps, transaction, newest));
  throw error;
}

/** @throws AppError transaction_expired, transaction_failed */
function toAnswer(
  { network }: Deps,
  txSignature: string,
  outcome: Outcome,
  lastValidBlockHeight: number | null,
): Execution {
  if (outcome.state === "expired") throw new AppError("transaction_expired", { txSignature });
  if (outcome.state === "unknown")
    return { txSignature, confirmed: false, status: "pending", lastValidBlockHeight, network };
  if (outcome.error !== null) {
    const why = describeRuntimeError(outcome.error);
    const message = `The transaction reached the chain and failed there: ${why}`;
    throw new AppError("transaction_failed", { message, txSignature });
  }
  return { txSignature, confirmed: true, status: outcome.status, slot: outcome.slot, network };
}

/** @throws AppError invalid_transaction */
function readSigned(base64: string): SignedTransaction {
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

/** @throws AppError simulation_failed; upstream_unavailable of what was sent before, which may land */
async function movementsOf(deps: Deps, { decoded, message }: SignedTransaction): Promise<SystemMovement[]> {
  const tables = lookupTablesOf(decoded);
  const accounts = tables.length > 0 ? await deps.rpc.accounts(tables) : [];
  const keys = resolveAccountKeys(
    decoded,
    accounts.map((account) => account?.data ?? null),
  );
  // Not left to the simulation: by then the table may have come to be, and the fee would go unchecked.
  if (!keys) {
    if (await wasRelayed(deps, message))
      throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "lacks a lookup table") });
    throw new AppError("simulation_failed", {
      message:
        "The network would refuse this transaction, so it was not sent: a lookup table it uses is missing or too short.",
    });
  }
  return systemMovements(decoded, keys);
}

/** @throws AppError fee_missing, never of what was sent before: the collectors may be others by now */
async function refuseWithoutFee(
  deps: Deps,
  { message }: SignedTransaction,
  movements: SystemMovement[],
): Promise<void> {
  const known = await knownServiceWallets(deps, [...new Set(movements.map(({ to }) => to))]);
  if (known.size === 0) return;
  const rentMin = await deps.rpc.rentExemptMinimum(0);
  const collectors = new Set(deps.feeCollectors);
  const isPaid = carriesFee(
    movements,
    (address) => known.has(address),
    (address) => collectors.has(address),
    rentMin,
  );
  if (!isPaid && !(await wasRelayed(deps, message))) throw new AppError("fee_missing");
}
