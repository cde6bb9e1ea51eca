import { untilCaughtUp } from "../../../domain/catch-up";
import { computeBlocksUntilLanding, computeHighestHeight, mayShareChain } from "../../../domain/expiry";
import { AppError, awaitOrNull, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { SignatureState } from "../../../ports/solana-rpc";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../../solana/programs";
import { readSystemMovements } from "../../../solana/system-instructions";
import { listLookupTables } from "../../../solana/transactions";
import { endClaims } from "../../records/claim-records";
import { findRecordedOutcomes, type LandedOutcome, recordLanding } from "../../records/landings";
import { wasSent } from "../../records/message-records";
import { makeServiceWalletRecordsPermanent, readServiceWalletRecords } from "../../records/service-wallets";
import { readPricesOrNull } from "../prices/read-prices";
import type { FollowedPosting, KnownPosting, Posting, SimulatedPosting } from "./posting";

/*
 * Reads outcomes from the chain and records them. Nodes behind a load balancer are slots apart, and one that lags reports
 * a landed transaction as absent. A signature therefore counts as absent only if its answer is as new as `newestSlot`.
 */

/** A transaction that names neither program, and no lookup table, moves nothing but SOL. */
const TOKEN_PROGRAMS = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM];

/** The transaction is certain never to land. `isRecorded` is true if its claims have ended. */
interface ExpiredOutcome {
  state: "expired";
  isRecorded: boolean;
}

/** An outcome that does not change any more. */
export type FinalOutcome = LandedOutcome | ExpiredOutcome;

export type Outcome = { state: "unknown" } | FinalOutcome;

export const isRecordedOutcome = (outcome: Outcome) => outcome.state !== "unknown" && outcome.isRecorded;

/** Returns how a transaction has landed, from the record or else from a node; null if neither shows it. */
export async function findLandedOutcome(deps: Deps, txSignature: string): Promise<LandedOutcome | null> {
  const [recordedOutcome] = await findRecordedOutcomes(deps, [txSignature]);
  if (recordedOutcome) return recordedOutcome;
  const { states } = await deps.rpc.readSignatureStates([txSignature], true);
  return toLandedOutcome(states[0]!);
}

/**
 * Returns the states of signatures. Accepts an absent signature only from a node that has reached `newestSlot`.
 * @throws AppError upstream_unavailable when every node that answers lags behind `newestSlot`
 */
export async function readCaughtUpStates(
  { rpc, clock }: Deps,
  signatures: string[],
  newestSlot: number,
): Promise<(SignatureState | null)[]> {
  const reading = await untilCaughtUp(
    clock,
    () => rpc.readSignatureStates(signatures, true),
    ({ states, slot }) => slot >= newestSlot || states.every((state) => state !== null),
  );
  if (!reading) throw createLagError();
  return reading.states;
}

/**
 * Reads from a node that has caught up whether the transaction has landed. Runs before a refusal, because the wallet may
 * have sent the transaction itself.
 * @throws AppError upstream_unavailable if every node lags, or if a node has processed the transaction
 */
export async function findLandedOnCaughtUpNode(
  deps: Deps,
  { txSignature, newestSlot }: KnownPosting,
): Promise<LandedOutcome | null> {
  const [state] = await readCaughtUpStates(deps, [txSignature], newestSlot.slot);
  const landedOutcome = toLandedOutcome(state!);
  if (state && !landedOutcome) throw createLagError();
  return landedOutcome;
}

/**
 * Returns whether a posting's blockhash expires before the service can send the message. Raises `newestSlot`, so that a
 * node which is asked for the state later knows all that had landed by then.
 */
export async function isTooLateToSend({ rpc }: Deps, { bound, newestSlot }: SimulatedPosting): Promise<boolean> {
  if (!bound?.vouched) return false;
  const { lastValidBlockHeight, frame } = bound;
  const waitMs = rpc.estimateSendMs(lastValidBlockHeight);
  if (waitMs === 0) return false;
  const neededBlocks = computeBlocksUntilLanding(waitMs, rpc.getSlotTime().slotMs);
  // Most messages have enough blocks left even if no slot was skipped, which takes no call.
  if (lastValidBlockHeight - computeHighestHeight(frame, newestSlot.slot) >= neededBlocks) return false;
  const head = await awaitOrNull(rpc.readHead());
  if (!head || !mayShareChain(frame, head)) return false;
  newestSlot.see(head.slot);
  const blocksLeft = lastValidBlockHeight - head.height;
  // Without a block left, the transaction is followed until its expiry is certain.
  return blocksLeft > 0 && blocksLeft < neededBlocks;
}

export const createLagError = () =>
  new AppError("upstream_unavailable", { retryAfterSeconds: 2, cause: new UpstreamFault("rpc", "lags") });

/** Returns the outcome that a node reports, or null. `processed` is not an outcome, because its fork may be dropped. */
export function toLandedOutcome(state: SignatureState | null): LandedOutcome | null {
  if (!state || state.confirmation === "processed") return null;
  return { state: "landed", slot: state.slot, error: state.error, status: state.confirmation, isRecorded: false };
}

/** Records an outcome and ends the claims of the transaction. Returns the outcome with its new `isRecorded`. */
export async function recordOutcome(deps: Deps, posting: FollowedPosting, outcome: Outcome): Promise<Outcome> {
  if (outcome.state === "landed") return recordLanded(deps, posting, outcome);
  if (outcome.state === "unknown") return outcome;
  return { ...outcome, isRecorded: await hasWritten(endClaims(deps, posting, false)) };
}

/**
 * Records a landed transaction, ends its claims and drops cached reads of its accounts. Records prices only if this
 * service relayed it in the last ten minutes: today's would be wrong for an older one. All writes start in the same
 * tick, so that a shared store gets one command. If one fails, a later round repeats them.
 */
export async function recordLanded(
  deps: Deps,
  posting: Omit<Posting, "feeds" | "owner"> & Partial<Pick<FollowedPosting, "serviceWallets" | "isRelayed">>,
  outcome: LandedOutcome,
): Promise<LandedOutcome> {
  const { decoded, message } = posting.transaction;
  const accountKeys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  deps.rpc.invalidate(accountKeys);
  const isRecent = posting.isRelayed || (await awaitOrNull(wasSent(deps, message)));
  const prices = isRecent ? await readPricesOrNull(deps) : null;
  const mayMoveTokens = listLookupTables(decoded).length > 0 || accountKeys.some((key) => TOKEN_PROGRAMS.includes(key));
  const usd = prices && (mayMoveTokens ? prices.usd : { SOL: prices.usd.SOL });
  const hasSucceeded = outcome.error === null;
  // Payees from lookup tables are left out. Savings that are built here use no lookup table.
  const movements = hasSucceeded ? readSystemMovements(decoded, accountKeys) : [];
  const payees = [...new Set(movements.filter(({ lamports }) => lamports > 0n).map(({ to }) => to))];
  const serviceWallets =
    posting.serviceWallets ?? (await awaitOrNull(readServiceWalletRecords(deps, payees))) ?? undefined;
  const writes: Promise<unknown>[] = [
    endClaims(deps, posting, hasSucceeded),
    makeServiceWalletRecordsPermanent(deps, payees, serviceWallets),
    recordLanding(deps, posting.txSignature, { slot: outcome.slot, error: outcome.error, usd }),
  ];
  return { ...outcome, isRecorded: (await Promise.all(writes.map(hasWritten))).every(Boolean) };
}

const hasWritten = async (write: Promise<unknown>) => (await awaitOrNull(write.then(() => true))) !== null;
