import type { Prices } from "../../../domain/prices/prices";
import { AppError, UpstreamFault } from "../../../errors";
import type { Deps } from "../../../ports/deps";
import type { Json } from "../../../ports/json";
import type { SignatureState } from "../../../ports/solana-rpc";
import { systemMovements } from "../../../solana/system-instructions";
import type { SignedTransaction } from "../../../solana/transactions";
import { pricesIfAny } from "../prices/read-prices";
import { keepPaidServiceWallets } from "../service-wallets";
import { tolerate } from "../tolerate";
import { wasRelayed } from "./build-records";
import { endClaims } from "./claim-records";

/** `recorded`: read from our own record rather than just seen on the chain. */
export interface Landed {
  state: "landed";
  slot: number;
  error: Json;
  status: "confirmed" | "finalized";
  recorded: boolean;
}

/** What becomes of a signature. `expired` is said only when it is certain. */
export type Outcome = { state: "unknown" } | { state: "expired" } | Landed;

/** Long enough for any tax year's questions. */
const RECORD_KEPT_MS = 400 * 86_400_000;

const recordKey = (txSignature: string) => `relayed:${txSignature}`;

/** What is kept of a transaction that landed. The prices turn amounts into dollars when the history is read. */
export type RelayRecord = { slot: number; error: Json; usd: Prices["usd"] | null };

/** Prices, USD, when each of the transactions landed; null for those that were not relayed here or had none. */
export async function pricesWhenRelayed({ kv }: Deps, txSignatures: string[]): Promise<(Prices["usd"] | null)[]> {
  if (txSignatures.length === 0) return [];
  const records = await kv.getMany<RelayRecord>(txSignatures.map(recordKey));
  return records.map((record) => record?.usd ?? null);
}

/** The outcome we recorded, else the one the chain knows, history included; `seenSlot`: of the node that was asked. */
export async function knownOutcome(deps: Deps, txSignature: string): Promise<{ outcome: Outcome; seenSlot: number }> {
  const record = await deps.kv.get<RelayRecord>(recordKey(txSignature));
  if (record) {
    const { slot, error } = record;
    return { outcome: { state: "landed", slot, error, status: "confirmed", recorded: true }, seenSlot: 0 };
  }
  const { states, slot } = await deps.rpc.signatureStates([txSignature], true);
  return { outcome: outcomeOf(states[0]!), seenSlot: slot };
}

/** The newest slot seen in any answer so far; each new answer may raise it. */
export interface SeenSlot {
  slot: number;
}

/** Nodes behind a load balancer are slots apart: asked this often, another one answers, or the same has caught up. */
export const ASKS = 3;
export const ASK_AGAIN_MS = 400;

/**
 * What the history of a node knows of some signatures. Absence counts only where the node has seen as much as we have.
 * @throws AppError upstream_unavailable when no node that has caught up answers
 */
export async function statesCaughtUp(
  { rpc, clock }: Deps,
  signatures: string[],
  newest: SeenSlot,
): Promise<(SignatureState | null)[]> {
  for (let ask = 1; ; ask++) {
    const { states, slot } = await rpc.signatureStates(signatures, true);
    if (slot >= newest.slot || states.every((state) => state !== null)) return states;
    if (ask === ASKS) throw lagging();
    await clock.sleep(ASK_AGAIN_MS);
  }
}

export const lagging = () =>
  new AppError("upstream_unavailable", { retryAfterSeconds: 2, cause: new UpstreamFault("rpc", "lags") });

/** A transaction that was processed may still be dropped with its fork. */
export function outcomeOf(state: SignatureState | null): Outcome {
  if (!state || state.confirmation === "processed") return { state: "unknown" };
  return { state: "landed", slot: state.slot, error: state.error, status: state.confirmation, recorded: false };
}

/**
 * Writes down a landed transaction and forgets what was read of its accounts before it. Today's price is its price only
 * when it was relayed here just now: anybody may post a transaction of last year.
 */
export async function recordLanded(
  deps: Deps,
  txSignature: string,
  transaction: SignedTransaction,
  outcome: Landed,
): Promise<void> {
  const { decoded, message } = transaction;
  const keys = decoded.message.staticAccountKeys.map((key) => key.toBase58());
  deps.rpc.invalidate(keys);
  const isRecent = await tolerate(wasRelayed(deps, message));
  const prices = isRecent ? await pricesIfAny(deps) : null;
  const record: RelayRecord = { slot: outcome.slot, error: outcome.error, usd: prices?.usd ?? null };
  // A store that fails changes nothing about what landed: the chain answers the next time, and then the claim ends.
  if (!(await tolerate(endClaims(deps, transaction, outcome.error === null)))) return;
  // A service wallet in a lookup table is left out: no saving built here uses one.
  const paid = outcome.error === null ? systemMovements(decoded, keys).filter(({ lamports }) => lamports > 0n) : [];
  await tolerate(keepPaidServiceWallets(deps, [...new Set(paid.map(({ to }) => to))]));
  await tolerate(deps.kv.setIfAbsent(recordKey(txSignature), record, RECORD_KEPT_MS));
}
