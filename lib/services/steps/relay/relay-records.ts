import type { Prices } from "../../../domain/prices/prices";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { Json } from "../../../ports/json";
import type { SignatureState } from "../../../ports/solana-rpc";
import { systemMovements } from "../../../solana/system-instructions";
import { pricesIfAny } from "../prices/read-prices";
import { keepPaidServiceWallets } from "../service-wallets";
import { tolerate } from "../tolerate";
import type { RelayAttempt } from "./attempt";
import { wasRelayed } from "./build-records";
import { endClaims } from "./claim-records";

/*
 * Records of landed transactions, and outcomes read from the chain.
 *
 * The problem: nodes behind a load balancer are slots apart. A node that lags reports a landed transaction as absent.
 * The invariant: a signature counts as absent only if the node that reports it has seen the newest slot known here.
 * How it is kept: each answer carries its node's slot. `statesCaughtUp` retries until an answer is as new as
 * `newestSlot`, and fails otherwise. A landed transaction is recorded, so later requests need no node.
 * Example: a transaction lands in slot 100 and `newestSlot` is 101. A node at slot 98 knows nothing of it. Its answer is
 * discarded, and the next one, from a node at slot 101, says "landed".
 */

/**
 * `recorded` is true if the outcome was read from this service's own record, and false if only the chain reported it.
 */
export interface Landed {
  state: "landed";
  slot: number;
  error: Json;
  status: "confirmed" | "finalized";
  recorded: boolean;
}

/** Outcome of a signature. `expired` means that it is certain never to land. */
export type Outcome = { state: "unknown" } | { state: "expired" } | Landed;

/** 400 days: covers a tax year and some weeks after it. */
const RECORD_KEPT_MS = 400 * 86_400_000;

const recordKey = (txSignature: string) => `relayed:${txSignature}`;

/**
 * Record of a landed transaction. `usd` holds the prices at that time; the history converts amounts to dollars with
 * them.
 */
export type RelayRecord = { slot: number; error: Json; usd: Prices["usd"] | null };

/**
 * Returns the prices, USD, at which each transaction landed. Null if it was not relayed here or no prices were
 * available.
 */
export async function pricesWhenRelayed({ kv }: Deps, txSignatures: string[]): Promise<(Prices["usd"] | null)[]> {
  if (txSignatures.length === 0) return [];
  const records = await kv.getMany<RelayRecord>(txSignatures.map(recordKey));
  return records.map((record) => record?.usd ?? null);
}

/**
 * Returns how a transaction has landed, from the record or else from a node, its history included. Null if neither
 * shows that it has landed. `seenSlot` is the slot of that node, or 0 if the record answered.
 */
export async function findLanded(
  deps: Deps,
  txSignature: string,
): Promise<{ landed: Landed | null; seenSlot: number }> {
  const record = await deps.kv.get<RelayRecord>(recordKey(txSignature));
  if (record) return { landed: recordedOf(record), seenSlot: 0 };
  const { states, slot } = await deps.rpc.signatureStates([txSignature], true);
  return { landed: landedOf(states[0]!), seenSlot: slot };
}

/** Returns how transactions have landed, from this service's records. Null for those without a record. */
export async function findRecorded({ kv }: Deps, txSignatures: string[]): Promise<(Landed | null)[]> {
  const records = await kv.getMany<RelayRecord>(txSignatures.map(recordKey));
  return records.map((record) => record && recordedOf(record));
}

function recordedOf({ slot, error }: RelayRecord): Landed {
  return { state: "landed", slot, error, status: "confirmed", recorded: true };
}

/**
 * Attempts before a lagging node counts as a failure. By then another node usually answers, or the same node has caught
 * up.
 */
export const ASKS = 3;
export const ASK_AGAIN_MS = 400;

/**
 * Returns the states of signatures, the node's history included. Accepts an absent signature only from a node that has
 * reached `newestSlot`.
 * @throws AppError upstream_unavailable when every node that answers lags behind `newestSlot`
 */
export async function statesCaughtUp(
  { rpc, clock }: Deps,
  signatures: string[],
  newestSlot: number,
): Promise<(SignatureState | null)[]> {
  for (let ask = 1; ; ask++) {
    const { states, slot } = await rpc.signatureStates(signatures, true);
    if (slot >= newestSlot || states.every((state) => state !== null)) return states;
    if (ask === ASKS) throw lagging();
    await clock.sleep(ASK_AGAIN_MS);
  }
}

export const lagging = () =>
  new AppError("upstream_unavailable", { retryAfterSeconds: 2, cause: new UpstreamFault("rpc", "lags") });

/** Returns how a node reports a transaction to have landed. `processed` counts as null: its fork may be dropped. */
export function landedOf(state: SignatureState | null): Landed | null {
  if (!state || state.confirmation === "processed") return null;
  return { state: "landed", slot: state.slot, error: state.error, status: state.confirmation, recorded: false };
}

/**
 * Records a landed transaction, ends its claims and drops cached reads of its accounts. Records prices only if this
 * service relayed the transaction in the last minutes. An old transaction may be posted, and today's prices would be
 * wrong.
 */
export async function recordLanded(deps: Deps, attempt: RelayAttempt, outcome: Landed): Promise<void> {
  const { decoded, message } = attempt.transaction;
  const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  deps.rpc.invalidate(keys);
  const isRecent = await tolerate(wasRelayed(deps, message));
  const prices = isRecent ? await pricesIfAny(deps) : null;
  const record: RelayRecord = { slot: outcome.slot, error: outcome.error, usd: prices?.usd ?? null };
  // If the store fails, nothing is recorded. The next request reads the outcome from the chain again and ends the
  // claims then.
  if (!(await tolerate(endClaims(deps, attempt, outcome.error === null)))) return;
  // Ignores service wallets that come from a lookup table: savings built here use none.
  const paid = outcome.error === null ? systemMovements(decoded, keys).filter(({ lamports }) => lamports > 0n) : [];
  await tolerate(keepPaidServiceWallets(deps, [...new Set(paid.map(({ to }) => to))]));
  await tolerate(deps.kv.setIfAbsent(recordKey(attempt.txSignature), record, RECORD_KEPT_MS));
}
