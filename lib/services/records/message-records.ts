import { BLOCKHASH_BLOCKS, computeFirstPostingBound, type ExpiryBound } from "../../domain/expiry";
import { STORE_KEYS } from "../../domain/store-keys";
import { awaitOrNull } from "../../errors";
import type { Deps } from "../../ports/deps";
import type { BlockhashInfo } from "../../ports/solana-rpc";

/*
 * The invariant: each message is either sent or refused, and never both (see executeTransaction). The first atomic write
 * to a message's key decides, before the first send and before the answer of a refusal. The key outlives the blockhash,
 * and the write is replicated.
 */

const { toKey: toHeightKey, ttlMs: HEIGHT_TTL_MS } = STORE_KEYS.lastValidHeight;
const { toKey: toFirstPostingKey, ttlMs: FIRST_POSTING_TTL_MS } = STORE_KEYS.firstPosting;
const DECISION_TTL_MS = STORE_KEYS.decision.ttlMs;
/** The value of a decision's key if the message was refused. The value is `true` if it was sent. */
const REFUSED = "refused";
const toDecisionKey = ({ verifier }: Pick<Deps, "verifier">, message: Uint8Array) =>
  STORE_KEYS.decision.toKey(verifier.digest(message));

/** The last block height at which a blockhash is valid, and the slot of the node that reported it. */
export type ValidUntil = { height: number; slot: number };
type FirstPosting = { height: number; slot: number; lastValid: number };

export async function readBuildState(deps: Deps, blockhash: string, messages: Uint8Array[]) {
  const keys = [toHeightKey(blockhash), ...messages.map((message) => toDecisionKey(deps, message))];
  const [storedHeight, ...decisions] = await deps.kv.getMany<ValidUntil | true | typeof REFUSED>(keys);
  return { isHeightKnown: storedHeight !== null, hasDecision: decisions.some((decision) => decision !== null) };
}

/** Stores the last block height at which transactions on this blockhash can land. Their bytes do not contain it. */
export async function recordHeight({ kv }: Deps, { blockhash, lastValidBlockHeight, slot }: BlockhashInfo) {
  const validUntil: ValidUntil = { height: lastValidBlockHeight, slot };
  await kv.setIfAbsent(toHeightKey(blockhash), validUntil, HEIGHT_TTL_MS);
}

/** Returns a blockhash's stored height, or null if this service did not hand it out in the last ten minutes. */
export const readValidUntil = ({ kv }: Deps, blockhash: string) => kv.get<ValidUntil>(toHeightKey(blockhash));

/** The last block height of a transaction. `vouched` is true if a node reported it for exactly this blockhash. */
export type Bound = ExpiryBound & { vouched: boolean };

/**
 * Returns the last block height at which a transaction on this blockhash may land. A blockhash from outside this
 * service is assumed to be as young as possible when it is first posted. Stores that first posting.
 * @param newestSlot the newest slot seen in any answer so far
 * @returns null when no node reports the chain's height; without a bound the transaction never counts as expired
 */
export async function resolveBound(
  deps: Deps,
  blockhash: string,
  validUntil: ValidUntil | null,
  newestSlot: number,
): Promise<Bound | null> {
  if (validUntil) {
    const frame = { slot: validUntil.slot, height: validUntil.height - BLOCKHASH_BLOCKS };
    return { lastValidBlockHeight: validUntil.height, frame, vouched: true };
  }
  const posting =
    (await deps.kv.get<FirstPosting>(toFirstPostingKey(blockhash))) ??
    (await recordFirstPosting(deps, blockhash, newestSlot));
  if (!posting) return null;
  const { lastValid, slot, height } = posting;
  return { lastValidBlockHeight: lastValid, frame: { slot, height }, vouched: false };
}

export async function resolveBoundNow(deps: Deps, blockhash: string): Promise<Bound | null> {
  return resolveBound(deps, blockhash, await readValidUntil(deps, blockhash), deps.signatureWatch.getHighestSlot());
}

/** Stores the chain's head as the blockhash's first posting, unless one is stored. Returns the stored posting. */
async function recordFirstPosting(deps: Deps, blockhash: string, newestSlot: number): Promise<FirstPosting | null> {
  const head = await awaitOrNull(deps.rpc.readHead());
  if (!head) return null;
  const { lastValidBlockHeight } = computeFirstPostingBound(head, newestSlot);
  const posting: FirstPosting = { ...head, lastValid: lastValidBlockHeight };
  // The earliest posting gives the tightest bound, which holds for later ones too.
  if (await deps.kv.setIfAbsent(toFirstPostingKey(blockhash), posting, FIRST_POSTING_TTL_MS)) return posting;
  return deps.kv.get<FirstPosting>(toFirstPostingKey(blockhash));
}

/** Records, before the first send, that a message is sent. @returns false if it was refused and must not be sent */
export async function recordSendDecision(deps: Deps, message: Uint8Array): Promise<boolean> {
  const key = toDecisionKey(deps, message);
  if (await deps.kv.setIfAbsent(key, true, DECISION_TTL_MS, "replicated")) return true;
  if (!(await wasSent(deps, message))) return false;
  await deps.kv.set(key, true, DECISION_TTL_MS, "replicated");
  return true;
}

/**
 * Records a refusal before it is answered. The client rebuilds after that answer, so these bytes must never be sent.
 * @returns `first` if this call's write decided, `again` if an earlier call refused the message, `sent` if it was sent
 */
export async function recordRefusalDecision(deps: Deps, message: Uint8Array): Promise<"first" | "again" | "sent"> {
  const key = toDecisionKey(deps, message);
  if (await deps.kv.setIfAbsent(key, REFUSED, DECISION_TTL_MS, "replicated")) return "first";
  if (!(await wasRefused(deps, message))) return "sent";
  // The first write may not have reached the replicas.
  await deps.kv.set(key, REFUSED, DECISION_TTL_MS, "replicated");
  return "again";
}

const readDecision = (deps: Deps, message: Uint8Array) =>
  deps.kv.get<true | typeof REFUSED>(toDecisionKey(deps, message));

export const hasDecision = async (deps: Deps, message: Uint8Array) => (await readDecision(deps, message)) !== null;

export const wasRefused = async (deps: Deps, message: Uint8Array) => (await readDecision(deps, message)) === REFUSED;

/** Returns whether this service sent a message, or decided to send it. */
export const wasSent = async (deps: Deps, message: Uint8Array) => (await readDecision(deps, message)) === true;
