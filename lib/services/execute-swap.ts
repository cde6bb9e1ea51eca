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

/*
 * Sends a signed transaction, or refuses it.
 *
 * The problem: a client that is refused builds and signs another transaction. If the refused one lands after all, the
 * wallet pays twice. The same bytes may also arrive twice, through a retry or through another instance.
 * The invariant: a message that this service has sent is never refused. A message that was refused with
 * `simulation_failed` or `invalid_transaction` is never sent. A saving is sent only while it holds its claim.
 * How it is kept: everything that can refuse runs before the first send. `recordRefusal` and `rememberRelayed` race for
 * one atomic write, and the first write decides. A saving takes its claim before that write.
 *
 * `wasRelayed` is read again after each wait (node calls here and in steps/relay/simulate). During the wait another
 * request with the same bytes may have sent the message. An earlier reading would then be stale, and the refusal would
 * be wrong.
 *
 * Example: a phone posts M1 twice, because the first answer was slow. Request A sends M1. Request B simulates M1 after
 * A's transfer has emptied the wallet, and the simulation fails. B reads `wasRelayed` after the simulation, finds that
 * M1 was sent and follows it instead of refusing it. Both requests return the same outcome.
 */

/**
 * Sends a signed transaction and returns its outcome. Idempotent: posting the same bytes again returns the state of the
 * same transaction.
 * @throws AppError invalid_transaction, transaction_not_signed, fee_missing, already_saved, simulation_failed,
 * transaction_expired, transaction_failed, upstream_*
 */
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
  // A node lags if it has not reached the slot at which this blockhash was handed out.
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

/**
 * Checks a transaction that is not known to have landed, and sends it.
 * @throws AppError fee_missing, already_saved, simulation_failed, upstream_*; always before the first send
 */
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
  // No node knows the blockhash, so it may be invented. Its claim could stay until the wallet's next saving resolves
  // it. Such a saving is only followed, never claimed or sent.
  if (doubtful && !bound?.vouched && isMarked)
    return relay(deps, { txSignature, transaction, bound, doubtful, unsent: true });
  // Checked before the claim is taken: a refused message would hold the claim until the message has certainly expired.
  if (isMarked && (await wasRefused(deps, message))) throw new AppError("simulation_failed", { txSignature });
  const hasClaim = await takeClaim(deps, transaction, movements, bound, newest);
  if (!(await rememberRelayed(deps, message))) throw new AppError("simulation_failed", { txSignature });
  if (hasClaim) await confirmSending(deps, transaction);
  return relay(deps, { txSignature, transaction, bound, doubtful });
}

/**
 * Records a refusal before it is answered, and frees the message's claim. Other errors, such as a store failure, are
 * thrown again without a record: they do not tell the client to rebuild.
 * @throws the given error; AppError upstream_unavailable if another request has sent the message, so it must not be
 * refused
 */
async function recordRefusal(
  deps: Deps,
  transaction: SignedTransaction,
  newest: SeenSlot,
  error: unknown,
): Promise<never> {
  const isRefusal = error instanceof AppError && ["simulation_failed", "invalid_transaction"].includes(error.code);
  if (!isRefusal) throw error;
  const decision = await rememberRefused(deps, transaction.message);
  if (decision === "sent")
    throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "refuses what was just sent") });
  if (decision === "first") await tolerate(releaseRefused(deps, transaction, newest));
  throw error;
}

/** Converts an outcome to the answer. @throws AppError transaction_expired, transaction_failed */
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

/** Checks every signature. @throws AppError transaction_not_signed */
function refuseUnsigned({ verifier }: Deps, { signers, signatures, message }: SignedTransaction): void {
  signers.forEach((signer, i) => {
    const signature = signatures[i]!;
    if (verifier.verify(signer, message, signature)) return;
    const fault = signature.every((byte) => byte === 0) ? "is missing" : "does not match the transaction";
    throw new AppError("transaction_not_signed", { message: `The signature of ${bs58.encode(signer)} ${fault}.` });
  });
}

/**
 * Returns the transfers of the top-level instructions, lookup tables resolved.
 * @throws AppError simulation_failed if a lookup table is missing; upstream_unavailable instead if the message was sent
 * before, because it may land
 */
async function movementsOf(deps: Deps, { decoded, message }: SignedTransaction): Promise<SystemMovement[]> {
  const tables = lookupTablesOf(decoded);
  const accounts = tables.length > 0 ? await deps.rpc.accounts(tables) : [];
  const keys = resolveAccountKeys(
    decoded,
    accounts.map((account) => account?.data ?? null),
  );
  // Refused here and not by the simulation: the table may appear in between, and the fee would not be checked.
  if (!keys) {
    // Read after the node call: another request may have sent these bytes during the wait.
    if (await wasRelayed(deps, message))
      throw new AppError("upstream_unavailable", { cause: new UpstreamFault("rpc", "lacks a lookup table") });
    throw new AppError("simulation_failed", {
      message:
        "The network would refuse this transaction, so it was not sent: a lookup table it uses is missing or too short.",
    });
  }
  return systemMovements(decoded, keys);
}

/**
 * Refuses a deposit into a service wallet that does not carry the fee. Never refuses a message that was sent before,
 * because the settings may name other collectors by now.
 * @throws AppError fee_missing
 */
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
  // Read last, after all waits: another request may have sent these bytes in the meantime.
  if (!isPaid && !(await wasRelayed(deps, message))) throw new AppError("fee_missing");
}
