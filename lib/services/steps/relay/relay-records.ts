import { sha256 } from "@noble/hashes/sha2";
import { ASSET_SYMBOLS } from "../../../domain/assets";
import { computeBlocksUntilLanding, computeHighestHeight, mayShareChain } from "../../../domain/expiry";
import type { Prices } from "../../../domain/prices/prices";
import { DAY_MS } from "../../../domain/time";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { Json } from "../../../ports/json";
import type { SignatureState } from "../../../ports/solana-rpc";
import { encodeUtf8, toBase64 } from "../../../solana/bytes";
import { readSystemMovements } from "../../../solana/system-instructions";
import { awaitOrNull } from "../await-or-null";
import { readPricesOrNull } from "../prices/read-prices";
import { makeServiceWalletRecordsPermanent, readServiceWalletRecords } from "../service-wallets";
import type { OpenFeed, RelayAttempt } from "./attempt";
import { endClaims } from "./claim-records";
import { toEventNoteKey, toHeadKey } from "./feeds";
import { toHeightKey, type ValidUntil, wasSent } from "./message-records";

/*
 * Records of landed transactions, and outcomes read from the chain.
 *
 * The problem: nodes behind a load balancer are slots apart. A node that lags reports a landed transaction as absent.
 * The invariant: a signature counts as absent only if the node that reports it has seen the newest slot known here.
 * How it is kept: each answer carries its node's slot. `readCaughtUpStates` retries until an answer is as new as
 * `newestSlot`, and fails otherwise. A landed transaction is recorded, so later requests need no node.
 * Example: a transaction lands in slot 100 and `newestSlot` is 101. A node at slot 98 knows nothing of it. Its answer
 * is discarded, and the next one, from a node at slot 101, says "landed".
 */

/**
 * The transaction is in a confirmed block. `error` is null if it succeeded. `isRecorded` is true if the store has the
 * outcome, and the transaction's claims have ended.
 */
export interface LandedOutcome {
  state: "landed";
  slot: number;
  error: Json;
  status: "confirmed" | "finalized";
  isRecorded: boolean;
}

/** The transaction is certain never to land. `isRecorded` is true if its claims have ended. */
interface ExpiredOutcome {
  state: "expired";
  isRecorded: boolean;
}

/** An outcome that does not change any more. */
export type FinalOutcome = LandedOutcome | ExpiredOutcome;

export type Outcome = { state: "unknown" } | FinalOutcome;

export const isRecordedOutcome = (outcome: Outcome) => outcome.state !== "unknown" && outcome.isRecorded;

/**
 * 30 days. After that the outcome is read from the chain, and amounts are valued at daily prices, which are stored once
 * for all wallets. Records of 400 days would be most of what the store keeps for a wallet.
 */
const RECORD_TTL_MS = 30 * DAY_MS;

/** Record of a landed transaction. `usd` holds the prices at that time, for the dollar values of the activity. */
type RelayRecord = { slot: number; error: Json; usd: Prices["usd"] | null };

/**
 * A record as stored: slot, error and the prices in the order of ASSET_SYMBOLS, without prices if there were none. Key
 * and value are short, because these records are most of what the store keeps for a wallet.
 */
type StoredRecord = [slot: number, error: Json, ...usd: (number | null)[]];

/** Returns the key of a record: half of the signature's SHA-256 identifies it in 22 characters. */
export const toRecordKey = (txSignature: string) =>
  `landed:${toBase64(sha256(encodeUtf8(txSignature)).subarray(0, 16)).slice(0, 22)}`;

const encodeRecord = ({ slot, error, usd }: RelayRecord): StoredRecord => [
  slot,
  error,
  ...(usd ? ASSET_SYMBOLS.map((asset) => usd[asset] ?? null) : []),
];

function decodeRecord([slot, error, ...usd]: StoredRecord): RelayRecord {
  const priceEntries = ASSET_SYMBOLS.flatMap((asset, i) => (typeof usd[i] === "number" ? [[asset, usd[i]]] : []));
  return { slot, error, usd: usd.length > 0 ? (Object.fromEntries(priceEntries) as Prices["usd"]) : null };
}

/** Returns the record of each transaction, or null. Makes one store call. */
export async function readRelayRecords({ kv }: Deps, txSignatures: string[]): Promise<(RelayRecord | null)[]> {
  if (txSignatures.length === 0) return [];
  const storedRecords = await kv.getMany<StoredRecord>(txSignatures.map(toRecordKey));
  return storedRecords.map((record) => record && decodeRecord(record));
}

/**
 * Returns, for each transaction, the prices in USD at its landing. Null if it was not relayed here, or if no prices
 * were available.
 */
export async function readPricesWhenRelayed(deps: Deps, txSignatures: string[]): Promise<(Prices["usd"] | null)[]> {
  return (await readRelayRecords(deps, txSignatures)).map((record) => record?.usd ?? null);
}

/**
 * Reads what the store knows of a posted transaction, all in one call. With several calls, an event could be written
 * between the reading of its record and of its feed's head, and the transaction would get a second event.
 * @returns `validUntil` and `openFeeds` as in RelayAttempt; `landedOutcome` as recorded, null without a record
 */
export async function readPostingState({ kv }: Deps, attempt: RelayAttempt) {
  const { txSignature, feeds, transaction } = attempt;
  const [validUntil, record, ...feedValues] = await kv.getMany<ValidUntil | StoredRecord | number | true>([
    toHeightKey(transaction.decoded.message.recentBlockhash),
    toRecordKey(txSignature),
    ...feeds.flatMap((feed) => [toHeadKey(feed), toEventNoteKey(txSignature, feed)]),
  ]);
  const openFeeds = feeds.flatMap((feed, i): OpenFeed[] => {
    const [head, hasEvent] = feedValues.slice(2 * i, 2 * i + 2);
    return hasEvent ? [] : [[feed, Number(head ?? 0)]];
  });
  return {
    validUntil: validUntil as ValidUntil | null,
    openFeeds,
    landedOutcome: record ? toRecordedOutcome(decodeRecord(record as StoredRecord)) : null,
  };
}

/**
 * Returns how a transaction has landed, from the record or else from a node, its history included. Null if neither
 * shows that it has landed.
 */
export async function findLandedOutcome(deps: Deps, txSignature: string): Promise<LandedOutcome | null> {
  const [recordedOutcome] = await findRecordedOutcomes(deps, [txSignature]);
  if (recordedOutcome) return recordedOutcome;
  const { states } = await deps.rpc.readSignatureStates([txSignature], true);
  return toLandedOutcome(states[0]!);
}

/** Returns how transactions have landed, from this service's records. Null for those without a record. */
export async function findRecordedOutcomes(deps: Deps, txSignatures: string[]): Promise<(LandedOutcome | null)[]> {
  return (await readRelayRecords(deps, txSignatures)).map((record) => record && toRecordedOutcome(record));
}

function toRecordedOutcome({ slot, error }: RelayRecord): LandedOutcome {
  return { state: "landed", slot, error, status: "confirmed", isRecorded: true };
}

/**
 * Maximum number of reads before lagging nodes count as a failure. By then another node usually answers, or the same
 * node has caught up.
 */
export const MAX_READS = 3;
/** Pause before a node is read again. A node that lags has mostly caught up by then. */
export const RETRY_MS = 400;

/**
 * Returns the states of signatures, the node's history included. Accepts an absent signature only from a node that has
 * reached `newestSlot`.
 * @throws AppError upstream_unavailable when every node that answers lags behind `newestSlot`
 */
export async function readCaughtUpStates(
  { rpc, clock }: Deps,
  signatures: string[],
  newestSlot: number,
): Promise<(SignatureState | null)[]> {
  for (let readCount = 1; ; readCount++) {
    const { states, slot } = await rpc.readSignatureStates(signatures, true);
    if (slot >= newestSlot || states.every((state) => state !== null)) return states;
    if (readCount === MAX_READS) throw createLagError();
    await clock.sleep(RETRY_MS);
  }
}

/**
 * Returns whether an attempt's blockhash expires before the service can send the message. Raises `newestSlot` to the
 * slot of that reading, so that a node which is asked for the state later knows all that had landed by then.
 */
export async function isTooLateToSend({ rpc }: Deps, attempt: RelayAttempt): Promise<boolean> {
  const { bound } = attempt;
  if (!bound?.vouched) return false;
  const { lastValidBlockHeight, frame } = bound;
  const waitMs = rpc.estimateSendMs(lastValidBlockHeight);
  if (waitMs === 0) return false;
  const neededBlocks = computeBlocksUntilLanding(waitMs, rpc.getSlotTime().slotMs);
  // Most messages have enough blocks left even if no slot was skipped, which takes no call.
  if (lastValidBlockHeight - computeHighestHeight(frame, attempt.newestSlot) >= neededBlocks) return false;
  const head = await awaitOrNull(rpc.readHead());
  if (!head || !mayShareChain(frame, head)) return false;
  attempt.newestSlot = Math.max(attempt.newestSlot, head.slot);
  const blocksLeft = lastValidBlockHeight - head.height;
  // Without a block left, the transaction is followed until its expiry is certain.
  return blocksLeft > 0 && blocksLeft < neededBlocks;
}

/** Creates the error for nodes that all lag behind the newest known slot. */
export const createLagError = () =>
  new AppError("upstream_unavailable", { retryAfterSeconds: 2, cause: new UpstreamFault("rpc", "lags") });

/** Returns the outcome that a node reports, or null. `processed` is not an outcome, because its fork may be dropped. */
export function toLandedOutcome(state: SignatureState | null): LandedOutcome | null {
  if (!state || state.confirmation === "processed") return null;
  return { state: "landed", slot: state.slot, error: state.error, status: state.confirmation, isRecorded: false };
}

/** Records an outcome and ends the claims of the transaction. Returns the outcome with its new `isRecorded`. */
export async function recordOutcome(deps: Deps, attempt: RelayAttempt, outcome: Outcome): Promise<Outcome> {
  if (outcome.state === "landed") return recordLanded(deps, attempt, outcome);
  if (outcome.state === "unknown") return outcome;
  return { ...outcome, isRecorded: await hasWritten(endClaims(deps, attempt, false)) };
}

/**
 * Records a landed transaction, ends its claims and drops cached reads of its accounts. Records prices only if this
 * service relayed the transaction in the last ten minutes. For an older transaction today's prices would be wrong. All
 * writes start in the same tick, so that a shared store gets one command.
 * @returns the outcome; `isRecorded` is true if all writes succeeded. If not, the transaction stays pending, and a
 * later round repeats the writes
 */
export async function recordLanded(deps: Deps, attempt: RelayAttempt, outcome: LandedOutcome): Promise<LandedOutcome> {
  const { decoded, message } = attempt.transaction;
  const accountKeys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  deps.rpc.invalidate(accountKeys);
  const isRecent = attempt.isRelayed || (await awaitOrNull(wasSent(deps, message)));
  const prices = isRecent ? await readPricesOrNull(deps) : null;
  const record: RelayRecord = { slot: outcome.slot, error: outcome.error, usd: prices?.usd ?? null };
  const hasSucceeded = outcome.error === null;
  // Payees from lookup tables are left out. Savings that are built here use no lookup table.
  const movements = hasSucceeded ? readSystemMovements(decoded, accountKeys) : [];
  const payees = [...new Set(movements.filter(({ lamports }) => lamports > 0n).map(({ to }) => to))];
  const serviceWallets =
    attempt.serviceWallets ?? (await awaitOrNull(readServiceWalletRecords(deps, payees))) ?? undefined;
  const writes: Promise<unknown>[] = [
    endClaims(deps, attempt, hasSucceeded),
    makeServiceWalletRecordsPermanent(deps, payees, serviceWallets),
    deps.kv.setIfAbsent(toRecordKey(attempt.txSignature), encodeRecord(record), RECORD_TTL_MS),
    ...(hasSucceeded ? attempt.noteKeys : []).map((key) => deps.kv.delete(key)),
  ];
  return { ...outcome, isRecorded: (await Promise.all(writes.map(hasWritten))).every(Boolean) };
}

/** Awaits a write. Returns false if it fails with an AppError. */
const hasWritten = async (write: Promise<unknown>) => (await awaitOrNull(write.then(() => true))) !== null;
