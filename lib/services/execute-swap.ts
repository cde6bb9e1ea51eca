import type { DataOf, InputOf } from "../contracts/define";
import type { executeSwapContract } from "../contracts/execute-swap";
import { untilCaughtUp } from "../domain/catch-up";
import { carriesFee } from "../domain/fee-policy";
import { AppError, awaitOrNull } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { isOutOfUnits } from "../solana/budget";
import { readSystemMovements, type SystemMovement } from "../solana/system-instructions";
import { listLookupTables } from "../solana/transactions";
import { markClaimsSent } from "./records/claim-records";
import { type LandedOutcome, readPostingState } from "./records/landings";
import { recordSendDecision, resolveBound, wasSent } from "./records/message-records";
import { addToPending, PENDING_SET, removeFromPending } from "./records/pending";
import { readServiceWalletRecords } from "./records/service-wallets";
import { doubleUnits } from "./steps/budget";
import { decodeAndVerifyAttempt, type RelayAttempt, readMovements, takePlace } from "./steps/relay/attempt";
import {
  createLagError,
  isTooLateToSend,
  type Outcome,
  readCaughtUpStates,
  recordLanded,
  toLandedOutcome,
} from "./steps/relay/outcomes";
import { relayTransaction } from "./steps/relay/relay";
import { describeRuntimeError } from "./steps/relay/runtime-error";
import { recordRefusal, takeClaim } from "./steps/saving/claims";

type Execution = DataOf<typeof executeSwapContract>;

const TOO_LATE_TEXT =
  "The transaction's blockhash expires too soon, so it was not sent. Build it again, sign it and post it at once.";
const MISSING_TABLE_TEXT =
  "The network would refuse this transaction, so it was not sent: a lookup table it uses is missing or too short.";

/*
 * Sends a signed transaction, or refuses it.
 *
 * The problem: a client that is refused builds and signs another transaction. If the refused one lands after all, the
 * wallet pays twice. The same bytes may also arrive twice, through a retry or through another instance.
 * The invariant: a message that this service has sent is never refused. A message that was refused with
 * `simulation_failed` or `invalid_transaction` is never sent. A saving is sent only while it holds its claim.
 * How it is kept: every phase that can refuse runs before the first send. `recordRefusal` and `recordSendDecision`
 * compete for one atomic write, and the first write decides. A saving takes its claim before that write.
 *
 * `wasSent` is read again after each wait for a node. During the wait another request with the same bytes may have
 * sent the message. An earlier reading would then be stale, and the refusal would be wrong.
 *
 * Example: a phone posts M1 twice, because the first answer was slow. Request A sends M1. Request B simulates M1 after
 * A's transfer has emptied the wallet, and the simulation fails. B reads `wasSent` after the simulation, finds that
 * M1 was sent and follows it instead of refusing it. Both requests return the same outcome.
 */

/**
 * Sends a signed transaction and returns its outcome. Idempotent: posting the same bytes again returns the state of the
 * same transaction. Each phase returns the outcome if it has found one, or null to continue with the next phase.
 * @throws AppError invalid_transaction, transaction_not_signed, fee_missing, already_saved, simulation_failed,
 * transaction_expired, transaction_failed, rate_limited, upstream_*
 */
export async function executeSwap(
  deps: Deps,
  input: InputOf<typeof executeSwapContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<Execution> {
  await deps.places.takeTurn();
  const attempt = decodeAndVerifyAttempt(deps, input.signedTransaction, caller);
  const outcome = (await readKnownOutcome(deps, attempt)) ?? (await findOutcomeInPlace(deps, attempt));
  if (outcome.state === "landed" && !outcome.isRecorded) await recordLanded(deps, attempt, outcome);
  return toAnswer(deps, attempt, outcome);
}

/**
 * Finds the outcome of a transaction that is not known to have landed. Takes one of the caller's places. The relay frees
 * the place when it stops following the transaction.
 * @throws AppError rate_limited if the caller has no place left
 */
async function findOutcomeInPlace(deps: Deps, attempt: RelayAttempt): Promise<Outcome> {
  const releasePlace = await takePlace(deps, attempt);
  try {
    return (
      (await checkFee(deps, attempt)) ??
      (await simulateTransaction(deps, attempt)) ??
      (await checkTimeLeft(deps, attempt)) ??
      (await takeClaim(deps, attempt)) ??
      (await sendTransaction(deps, attempt))
    );
  } finally {
    releasePlace?.();
  }
}

/**
 * Reads what the store knows of the signature. Sets `validUntil`, `openFeeds`, `serviceWallets` and `newestSlot`.
 * @returns the outcome if the store shows that the transaction has landed, otherwise null
 */
async function readKnownOutcome(deps: Deps, attempt: RelayAttempt): Promise<LandedOutcome | null> {
  const { decoded } = attempt.transaction;
  const staticKeys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  // Both reads start in the same tick, so that a shared store gets one command.
  const [{ validUntil, openFeeds, landedOutcome }, serviceWallets] = await Promise.all([
    readPostingState(deps, attempt),
    readServiceWalletRecords(deps, listPayees(readSystemMovements(decoded, staticKeys))),
  ]);
  attempt.validUntil = validUntil;
  attempt.openFeeds = openFeeds;
  attempt.serviceWallets = serviceWallets;
  // A node lags if it has not reached the slot at which this blockhash was handed out.
  attempt.newestSlot = Math.max(validUntil?.slot ?? 0, deps.signatureWatch.getHighestSlot());
  return landedOutcome;
}

/**
 * Reads from a node that has caught up, its history included, whether the transaction has landed. The check of the fee
 * and the simulation read this before they refuse, because the wallet may have sent the transaction itself. The
 * successful path needs no such reading, because the simulation of a transaction that has landed always fails.
 * @throws AppError upstream_unavailable if every node lags, or if a node has processed the transaction
 */
async function findLandedOnCaughtUpNode(deps: Deps, attempt: RelayAttempt): Promise<LandedOutcome | null> {
  const [state] = await readCaughtUpStates(deps, [attempt.txSignature], attempt.newestSlot);
  const landedOutcome = toLandedOutcome(state!);
  if (state && !landedOutcome) throw createLagError();
  return landedOutcome;
}

/**
 * Refuses a deposit into a service wallet that does not carry the fee. Sets `movements`, and `serviceWallets` again if
 * a lookup table may name payees. Never refuses a message that was sent before, because the settings may name other
 * collectors by now.
 * @returns the outcome if the transaction has landed although it would be refused
 * @throws AppError fee_missing; simulation_failed if a lookup table is missing; upstream_unavailable as above
 */
async function checkFee(deps: Deps, attempt: RelayAttempt): Promise<LandedOutcome | null> {
  const movements = await readMovements(deps, attempt);
  if (!movements) {
    // The simulation must not decide this. If the table appeared before the simulation, the transaction would pass
    // without a check of its fee.
    return refuseUnlessLanded(deps, attempt, new AppError("simulation_failed", { message: MISSING_TABLE_TEXT }));
  }
  attempt.movements = movements;
  if (listLookupTables(attempt.transaction.decoded).length > 0)
    attempt.serviceWallets = await readServiceWalletRecords(deps, listPayees(movements));
  const serviceWallets = attempt.serviceWallets!;
  if (serviceWallets.size === 0) return null;
  const rentLamports = await deps.rpc.readRentExemptMinimum(0);
  const collectors = new Set(deps.feeCollectors);
  const isFeePaid = carriesFee(
    movements,
    (address) => serviceWallets.has(address),
    (address) => collectors.has(address),
    rentLamports,
  );
  if (isFeePaid) return null;
  const landedOutcome = await findLandedOnCaughtUpNode(deps, attempt);
  // Read this last, after all waits: another request may have sent these bytes in the meantime.
  if (!landedOutcome && !(await wasSent(deps, attempt.transaction.message))) throw new AppError("fee_missing");
  return landedOutcome;
}

const listPayees = (movements: SystemMovement[]) => [...new Set(movements.map(({ to }) => to))];

/**
 * Simulates the transaction and computes when it expires. Sets `bound`, `mustReadStateFirst` and `newestSlot`.
 *
 * A node that lags knows neither the newest blockhash nor a recent deposit. Its simulation fails although the
 * transaction would land, and a client that is wrongly refused rebuilds and may pay twice. A failure from a node behind
 * `newestSlot` is therefore retried. After a failure from a current node, the record of the message and the chain's
 * history are read again before the refusal.
 * @returns the outcome if the transaction has landed
 * @throws AppError simulation_failed when the network would refuse it; upstream_unavailable when every node lags
 */
async function simulateTransaction(deps: Deps, attempt: RelayAttempt): Promise<LandedOutcome | null> {
  const { transaction, validUntil } = attempt;
  try {
    const landedOutcome = await simulateUntilCertain(deps, attempt);
    if (landedOutcome) return landedOutcome;
    const { recentBlockhash } = transaction.decoded.message;
    attempt.bound = await resolveBound(deps, recentBlockhash, validUntil, attempt.newestSlot);
    return null;
  } catch (error) {
    if (!(error instanceof AppError && error.code === "simulation_failed")) throw error;
    // The node's client also throws simulation_failed, when the node rejects the bytes before it runs them.
    return refuseUnlessLanded(deps, attempt, error);
  }
}

/**
 * Refuses a message whose blockhash would expire before the send of the message. Such a message would otherwise wait for
 * its turn in vain, and until its expiry is certain. Never refuses a message that was sent before. Reads `bound`.
 * @returns the outcome if the transaction has landed; null if it is not refused
 * @throws AppError simulation_failed, and not transaction_expired, because the wallet may have sent it; upstream_unavailable
 */
async function checkTimeLeft(deps: Deps, attempt: RelayAttempt): Promise<LandedOutcome | null> {
  if (attempt.mustReadStateFirst || !(await isTooLateToSend(deps, attempt))) return null;
  if (await wasSent(deps, attempt.transaction.message)) return null;
  return refuseUnlessLanded(deps, attempt, new AppError("simulation_failed", { message: TOO_LATE_TEXT }));
}

/**
 * Refuses the message with this error, unless the transaction has landed. A node that lags lacks a new lookup table, and
 * also a transaction that the wallet has sent itself.
 * @returns the outcome if the transaction has landed
 * @throws AppError `error`; upstream_unavailable if every node lags, or if a node has processed the transaction
 */
async function refuseUnlessLanded(deps: Deps, attempt: RelayAttempt, error: AppError): Promise<LandedOutcome> {
  const landedOutcome = await findLandedOnCaughtUpNode(deps, attempt);
  if (landedOutcome) return landedOutcome;
  throw await recordRefusal(deps, attempt, error);
}

/**
 * Simulates until the result is certain. Retries while the node lags or does not know the blockhash. Sets
 * `mustReadStateFirst`.
 * @returns the outcome if a node shows by now that the transaction has landed; null if it is not refused
 * @throws AppError simulation_failed, upstream_unavailable
 */
async function simulateUntilCertain(deps: Deps, attempt: RelayAttempt): Promise<LandedOutcome | null> {
  const { rpc, clock } = deps;
  const { txSignature, transaction } = attempt;
  const { bytes, message } = transaction;
  const simulate = async () => {
    const { error, slot } = await rpc.simulate(bytes, { verifySignatures: true });
    const isBehind = slot < attempt.newestSlot;
    attempt.newestSlot = Math.max(attempt.newestSlot, slot);
    return { error, slot, isBehind };
  };
  let { error } = await simulate();
  if (error === null) return null;
  // The first failure never refuses. This reading raises `newestSlot`, which the next simulation must have reached.
  const { states, slot: nodeSlot } = await rpc.readSignatureStates([txSignature], true);
  attempt.newestSlot = Math.max(attempt.newestSlot, nodeSlot);
  const landedOutcome = toLandedOutcome(states[0]!);
  if (landedOutcome) return landedOutcome;
  const simulateAgain = async (): Promise<{ outcome: LandedOutcome | null } | null> => {
    const simulation = await simulate();
    error = simulation.error;
    // A message that was sent may still land, even if a simulation fails now. Only the chain can decide its outcome.
    if (error === null || error === "AlreadyProcessed") return { outcome: null };
    if (error === "BlockhashNotFound" || simulation.isBehind) return null;
    if (await wasSent(deps, message)) return { outcome: null };
    const laterReading = await rpc.readSignatureStates([txSignature], true);
    if (laterReading.states[0]) return { outcome: toLandedOutcome(laterReading.states[0]) };
    if (laterReading.slot < simulation.slot) return null;
    if (isOutOfUnits(error)) await doubleUnits(deps, bytes);
    const reason = `The network would refuse this transaction, so it was not sent: ${describeRuntimeError(error)}`;
    throw new AppError("simulation_failed", { message: reason, txSignature });
  };
  const result = await untilCaughtUp(clock, simulateAgain, Boolean);
  if (result) return result.outcome;
  attempt.mustReadStateFirst = error === "BlockhashNotFound" || (await wasSent(deps, message));
  if (!attempt.mustReadStateFirst) throw createLagError();
  return null;
}

/**
 * Records that the message is sent, sends it and follows it. Reads `hasClaim`, `bound` and `mustReadStateFirst`.
 * @throws AppError simulation_failed if another request has refused the message; upstream_unavailable if the message
 * has lost its claim. Both errors mean that this call has sent nothing
 */
async function sendTransaction(deps: Deps, attempt: RelayAttempt): Promise<Outcome> {
  const { transaction, txSignature } = attempt;
  // Write the decision and the pending entry before the first send. If this process dies after the send, another
  // process can then continue.
  const [isSent] = await Promise.all([recordSendDecision(deps, transaction.message), addToPending(deps, attempt)]);
  if (!isSent) {
    await awaitOrNull(deps.kv.removeMember(PENDING_SET, txSignature));
    await removeFromPending(deps, attempt);
    throw await recordRefusal(deps, attempt, new AppError("simulation_failed", { txSignature }));
  }
  attempt.isRelayed = true;
  if (attempt.hasClaim) await markClaimsSent(deps, attempt);
  return relayTransaction(deps, attempt);
}

/** Converts an outcome to the answer. @throws AppError transaction_expired, transaction_failed */
function toAnswer({ network }: Deps, { txSignature, validUntil }: RelayAttempt, outcome: Outcome): Execution {
  if (outcome.state === "expired") throw new AppError("transaction_expired", { txSignature });
  if (outcome.state === "unknown")
    return {
      txSignature,
      confirmed: false,
      status: "pending",
      lastValidBlockHeight: validUntil?.height ?? null,
      network,
    };
  if (outcome.error !== null) {
    const reason = describeRuntimeError(outcome.error);
    const message = `The transaction reached the chain and failed there: ${reason}`;
    throw new AppError("transaction_failed", { message, txSignature });
  }
  return { txSignature, confirmed: true, status: outcome.status, slot: outcome.slot, network };
}
