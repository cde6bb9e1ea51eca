import type { DataOf, InputOf } from "../contracts/define";
import type { executeTransactionContract } from "../contracts/execute-transaction";
import { untilCaughtUp } from "../domain/catch-up";
import { AppError, awaitOrNull } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { isOutOfUnits } from "../solana/budget";
import { readSystemMovements } from "../solana/system-instructions";
import { markClaimsSent } from "./records/claim-records";
import { type LandedOutcome, readPostingState } from "./records/landings";
import { recordSendDecision, resolveBound, wasSent } from "./records/message-records";
import { addToPending, PENDING_SET, removeFromPending } from "./records/pending";
import { readServiceWalletRecords } from "./records/service-wallets";
import { doubleUnits } from "./steps/budget";
import { createLagError, isTooLateToSend, type Outcome, recordLanded, toLandedOutcome } from "./steps/relay/outcomes";
import {
  type CheckedPosting,
  decodePosting,
  type KnownPosting,
  type Landable,
  listDerivedPayees,
  NewestSlot,
  type Posting,
  type SendablePosting,
  type SimulatedPosting,
  takePlace,
} from "./steps/relay/posting";
import { relayTransaction } from "./steps/relay/relay";
import { describeRuntimeError } from "./steps/relay/runtime-error";
import { checkFee, listPayees, refuseUnlessLanded } from "./steps/saving/check-fee";
import { recordRefusal, takeClaim } from "./steps/saving/claims";

type Execution = DataOf<typeof executeTransactionContract>;

const TOO_LATE_TEXT =
  "The transaction's blockhash expires too soon, so it was not sent. Build it again, sign it and post it at once.";
/*
 * Sends a signed transaction, or refuses it.
 *
 * A client that is refused builds another transaction. If the refused one lands after all, the wallet pays twice. So a
 * message that was sent is never refused, and one that was refused with `simulation_failed` or `invalid_transaction` is
 * never sent: `recordRefusal` and `recordSendDecision` compete for one atomic write. Every phase that can refuse runs
 * before the first send, and a saving takes its claim before that write. `wasSent` is read again after each wait for a
 * node, because another request with the same bytes may have sent the message during the wait.
 */

/**
 * Sends a signed transaction and returns its outcome. Posting the same bytes again returns the state of the same
 * transaction. Each phase returns the outcome if it has found one, or what the next phase needs.
 */
export async function executeTransaction(
  deps: Deps,
  input: InputOf<typeof executeTransactionContract>,
  { caller }: Pick<RequestContext, "caller">,
): Promise<Execution> {
  await deps.places.takeTurn();
  const { posting, landedOutcome } = await readStored(deps, decodePosting(deps, input.signedTransaction, caller));
  const outcome = landedOutcome ?? (await findOutcomeInPlace(deps, posting));
  if (outcome.state === "landed" && !outcome.isRecorded) await recordLanded(deps, posting, outcome);
  return toAnswer(deps, posting, outcome);
}

const isOutcome = (result: Outcome | Posting): result is Outcome => "state" in result;

/** Takes one of the caller's places, and finds the outcome. @throws AppError rate_limited if no place is left */
async function findOutcomeInPlace(deps: Deps, posting: KnownPosting): Promise<Outcome> {
  const releasePlace = await takePlace(deps, posting);
  try {
    const checked = await checkFee(deps, posting);
    if (isOutcome(checked)) return checked;
    const simulated = await simulateTransaction(deps, checked);
    if (isOutcome(simulated)) return simulated;
    const landedOutcome = await checkTimeLeft(deps, simulated);
    if (landedOutcome) return landedOutcome;
    const sendable = await takeClaim(deps, simulated);
    return isOutcome(sendable) ? sendable : await sendTransaction(deps, sendable);
  } finally {
    releasePlace?.();
  }
}

async function readStored(deps: Deps, posting: Posting) {
  const { decoded } = posting.transaction;
  const staticKeys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  // Both reads start in the same tick, so that a shared store gets one command.
  const [{ landedOutcome, ...stored }, serviceWallets] = await Promise.all([
    readPostingState(deps, posting),
    readServiceWalletRecords(deps, [
      ...listPayees(readSystemMovements(decoded, staticKeys)),
      ...listDerivedPayees(posting.transaction),
    ]),
  ]);
  // A node lags if it has not reached the slot at which this blockhash was handed out.
  const newestSlot = new NewestSlot(Math.max(stored.validUntil?.slot ?? 0, deps.signatureWatch.getHighestSlot()));
  const knownPosting: KnownPosting = { ...posting, ...stored, serviceWallets, newestSlot };
  return { posting: knownPosting, landedOutcome };
}

/**
 * Simulates the transaction and computes when it expires. A node that lags knows neither the newest blockhash nor a
 * recent transfer, so a failure from a node behind `newestSlot` is retried. After a failure from a current node, the
 * record of the message and the chain's history are read again before the refusal.
 * @returns the outcome if the transaction has landed
 * @throws AppError simulation_failed when the network would refuse it; upstream_unavailable when every node lags
 */
async function simulateTransaction(deps: Deps, posting: CheckedPosting): Promise<LandedOutcome | SimulatedPosting> {
  const { transaction, validUntil, newestSlot } = posting;
  try {
    const result = await simulateUntilCertain(deps, posting);
    if ("state" in result) return result;
    const { recentBlockhash } = transaction.decoded.message;
    const bound = await resolveBound(deps, recentBlockhash, validUntil, newestSlot.slot);
    return { ...posting, ...result, bound };
  } catch (error) {
    if (!(error instanceof AppError && error.code === "simulation_failed")) throw error;
    // The node's client also throws simulation_failed, when the node rejects the bytes before it runs them.
    return refuseUnlessLanded(deps, posting, error);
  }
}

/**
 * Refuses a message whose blockhash would expire while it waits for its turn to be sent, unless it was sent before.
 * @returns the outcome if the transaction has landed; null if it is not refused
 * @throws AppError simulation_failed, and not transaction_expired, because the wallet may have sent it; upstream_unavailable
 */
async function checkTimeLeft(deps: Deps, posting: SimulatedPosting): Promise<LandedOutcome | null> {
  if (posting.mustReadStateFirst || !(await isTooLateToSend(deps, posting))) return null;
  if (await wasSent(deps, posting.transaction.message)) return null;
  return refuseUnlessLanded(deps, posting, new AppError("simulation_failed", { message: TOO_LATE_TEXT }));
}

/**
 * Simulates until the result is certain. Retries while the node lags or does not know the blockhash.
 * @returns the outcome if a node shows by now that the transaction has landed
 * @throws AppError simulation_failed, upstream_unavailable
 */
async function simulateUntilCertain(
  deps: Deps,
  posting: CheckedPosting,
): Promise<LandedOutcome | Pick<Landable, "mustReadStateFirst">> {
  const { rpc, clock } = deps;
  const { txSignature, transaction, newestSlot } = posting;
  const { bytes, message } = transaction;
  const simulate = async () => {
    const { error, slot } = await rpc.simulate(bytes, { verifySignatures: true });
    const isBehind = slot < newestSlot.slot;
    newestSlot.see(slot);
    return { error, slot, isBehind };
  };
  let { error } = await simulate();
  if (error === null) return { mustReadStateFirst: false };
  // The first failure never refuses. This reading raises `newestSlot`, which the next simulation must have reached.
  const { states, slot: nodeSlot } = await rpc.readSignatureStates([txSignature], true);
  newestSlot.see(nodeSlot);
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
  if (result) return result.outcome ?? { mustReadStateFirst: false };
  if (error !== "BlockhashNotFound" && !(await wasSent(deps, message))) throw createLagError();
  return { mustReadStateFirst: true };
}

/**
 * Records that the message is sent, sends it and follows it.
 * @throws AppError simulation_failed if another request has refused the message; upstream_unavailable if the message
 * has lost its claim. This call has sent nothing then
 */
async function sendTransaction(deps: Deps, posting: SendablePosting): Promise<Outcome> {
  const { transaction, txSignature, hasClaim } = posting;
  // Both are written before the first send, so that another process can continue if this one dies.
  const [isSent, pendingEntry] = await Promise.all([
    recordSendDecision(deps, transaction.message),
    posting.pendingEntry ?? addToPending(deps, posting, { hasClaim, isFollowedOnly: false }),
  ]);
  if (!isSent) {
    await awaitOrNull(deps.kv.removeMember(PENDING_SET, txSignature));
    await removeFromPending(deps, pendingEntry);
    throw await recordRefusal(deps, posting, new AppError("simulation_failed", { txSignature }));
  }
  if (hasClaim) await markClaimsSent(deps, posting);
  return relayTransaction(deps, { ...posting, pendingEntry, isRelayed: true, isFollowedOnly: false });
}

function toAnswer({ network }: Deps, { txSignature, validUntil }: KnownPosting, outcome: Outcome): Execution {
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
