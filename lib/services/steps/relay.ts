import { AppError } from "../../errors";
import type { Deps, Json, Prices, SignatureState } from "../../ports";
import type { SignedTransaction } from "../../solana/transactions";
import { wasRelayed } from "./build-records";
import { pricesIfAny } from "./prices";

/** What becomes of a signature. `recorded`: read from our own record rather than just seen on the chain. */
export type Outcome =
  | { state: "unknown" }
  | { state: "landed"; slot: number; error: Json; status: "confirmed" | "finalized"; recorded: boolean };

export interface Relayed {
  txSignature: string;
  transaction: SignedTransaction;
  /** Null for a transaction on a blockhash that was not handed out here. */
  lastValidBlockHeight: number | null;
}

/** After this long the caller is told that the outcome is not known yet. */
const FOLLOW_MS = 25_000;
/** The same bytes go out again this often: leaders drop what they cannot take, and resending is always safe. */
const RESEND_MS = 1_500;
const FIRST_POLL_MS = 50;
const MAX_POLL_MS = 500;
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

/** The outcome we recorded, else the one the chain knows, history included. */
export async function knownOutcome(deps: Deps, txSignature: string): Promise<Outcome> {
  const record = await deps.kv.get<RelayRecord>(recordKey(txSignature));
  if (record) return { state: "landed", slot: record.slot, error: record.error, status: "confirmed", recorded: true };
  return landed(await deps.rpc.signatureStates([txSignature], true));
}

function landed([state]: (SignatureState | null)[]): Outcome {
  if (!state || state.confirmation === "processed") return { state: "unknown" };
  return { state: "landed", slot: state.slot, error: state.error, status: state.confirmation, recorded: false };
}

/**
 * Writes down a landed transaction and forgets what was read of its accounts before it. Today's price is its price only
 * when it was relayed here just now: anybody may post a transaction of last year.
 */
export async function settle(
  deps: Deps,
  txSignature: string,
  { decoded, message }: SignedTransaction,
  outcome: Outcome & { state: "landed" },
): Promise<void> {
  deps.rpc.invalidate(decoded.message.staticAccountKeys.map((key) => key.toBase58()));
  const isRecent = await tolerate(wasRelayed(deps, message));
  const prices = isRecent ? await pricesIfAny(deps) : null;
  const record: RelayRecord = { slot: outcome.slot, error: outcome.error, usd: prices?.usd ?? null };
  // A store that fails changes nothing about what landed: the chain answers the next time.
  await tolerate(deps.kv.setIfAbsent(recordKey(txSignature), record, RECORD_KEPT_MS));
}

/**
 * Sends the bytes, again and again, until they landed, expired, or FOLLOW_MS passed. Once sent, an upstream that fails
 * is no answer about the transaction, so it only leads to asking again.
 * @throws AppError transaction_expired
 */
export async function followToOutcome(deps: Deps, relayed: Relayed): Promise<Outcome> {
  // A race, because the calls of one turn may together take longer than all the time there is.
  const timeUp = deps.clock.sleep(FOLLOW_MS).then((): Outcome => ({ state: "unknown" }));
  return Promise.race([follow(deps, relayed, deps.clock.now() + FOLLOW_MS), timeUp]);
}

async function follow(deps: Deps, relayed: Relayed, deadline: number): Promise<Outcome> {
  const { clock, rpc } = deps;
  let sendAt = clock.now();
  let pause = FIRST_POLL_MS;
  for (;;) {
    if (clock.now() >= sendAt) {
      sendAt = clock.now() + RESEND_MS;
      await tolerate(rpc.send(relayed.transaction.bytes));
    }
    const states = await tolerate(rpc.signatureStates([relayed.txSignature], false));
    const outcome = states ? landed(states) : ({ state: "unknown" } as const);
    if (outcome.state === "landed") return outcome;
    const late = await expiredOrLanded(deps, relayed);
    if (late || clock.now() + pause > deadline) return late ?? outcome;
    await clock.sleep(pause);
    pause = Math.min(MAX_POLL_MS, pause * 2);
  }
}

/** @throws AppError transaction_expired when the transaction can no longer land and has not */
export async function throwIfExpired(deps: Deps, relayed: Relayed): Promise<void> {
  await expiredOrLanded(deps, relayed);
}

/**
 * Null while the transaction may still land. When it no longer can, one look into the history decides: it landed after
 * all, or it has expired.
 * @throws AppError transaction_expired
 */
async function expiredOrLanded(deps: Deps, relayed: Relayed): Promise<Outcome | null> {
  const past = await tolerate(isPast(deps, relayed));
  if (!past) return null;
  const states = await tolerate(deps.rpc.signatureStates([relayed.txSignature], true));
  if (!states) return null;
  const outcome = landed(states);
  if (outcome.state === "landed") return outcome;
  if (states[0]) return null;
  throw new AppError("transaction_expired", { txSignature: relayed.txSignature });
}

/** Never judged by a fresh blockhash: by the height we recorded with its own, else by the chain's word on its own blockhash. */
async function isPast({ rpc }: Deps, { transaction, lastValidBlockHeight }: Relayed): Promise<boolean> {
  if (lastValidBlockHeight !== null) return (await rpc.blockHeight()) > lastValidBlockHeight;
  return !(await rpc.isBlockhashValid(transaction.decoded.message.recentBlockhash));
}

/** Null instead of a planned failure of an upstream. */
async function tolerate<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}
