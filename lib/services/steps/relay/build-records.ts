import { BLOCKHASH_BLOCKS, boundAtFirstPosting, type ExpiryBound } from "../../../domain/expiry";
import type { Deps } from "../../../ports/deps";
import type { BlockhashInfo } from "../../../ports/solana-rpc";
import { tolerate } from "../tolerate";

/*
 * Records about messages and their blockhashes.
 *
 * The problem: the same signed message can reach two instances at once. If one answers "refused" while the other sends,
 * the client rebuilds, signs a second message, and both can land. The wallet then pays twice.
 * The invariant: each message is either sent or refused, and never both.
 * How it is kept: one key for each message holds its decision. The first atomic write to that key (`setIfAbsent`)
 * decides. `rememberRelayed` runs before the first send, and `rememberRefused` runs before the refusal is answered. The
 * key outlives the message's blockhash, so the decision holds for as long as the message could land. The write is
 * replicated, so the decision survives the loss of the store's primary server.
 * Example: instances A and B receive M1. In A the simulation fails and A writes "refused". In B the simulation passes,
 * but B's write finds "refused", so B does not send. Had B written first, A would answer `upstream_unavailable` instead
 * of a refusal, and the client would keep M1.
 */

/** A blockhash expires after about a minute. Ten minutes outlive every retry of a well-behaved client. */
const KEPT_MS = 10 * 60_000;

const heightKey = (blockhash: string) => `valid-until:${blockhash}`;
const foreignKey = (blockhash: string) => `first-posting:${blockhash}`;
/** The key of a message holds this when the message was refused, and `true` when it was sent. */
const REFUSED = "refused";
export const relayedKey = ({ verifier }: Pick<Deps, "verifier">, message: Uint8Array) =>
  `relayed-message:${verifier.digest(message)}`;

/**
 * Last block height for a blockhash. `slot` is the slot of the node that reported it, or null if it came from
 * elsewhere.
 */
export type ValidUntil = { height: number; slot: number | null };
type FirstPosting = { height: number; slot: number; lastValid: number };

/** Reads what the store knows of transactions that are about to be handed out. Makes one store call for all of them. */
export async function buildState(deps: Deps, blockhash: string, messages: Uint8Array[]) {
  const keys = [heightKey(blockhash), ...messages.map((message) => relayedKey(deps, message))];
  const [height, ...relayed] = await deps.kv.getMany<ValidUntil | true | typeof REFUSED>(keys);
  return {
    heightKnown: height !== null,
    /**
     * Whether any message was sent or refused before. The chain takes a message once, so a rebuild needs another
     * blockhash.
     */
    anyRelayed: relayed.some((mark) => mark !== null),
  };
}

/**
 * Stores the last block height at which transactions on this blockhash can land. Their bytes do not contain it.
 * The key is the blockhash, which thousands of transactions share. Most builds therefore write nothing.
 */
export async function rememberHeight({ kv }: Deps, { blockhash, lastValidBlockHeight, slot }: BlockhashInfo) {
  const validUntil: ValidUntil = { height: lastValidBlockHeight, slot: slot ?? null };
  await kv.setIfAbsent(heightKey(blockhash), validUntil, KEPT_MS);
}

/**
 * Returns the stored last block height of a blockhash, or null if this service did not hand it out in the last ten
 * minutes.
 */
export async function validUntil({ kv }: Deps, blockhash: string): Promise<ValidUntil | null> {
  return kv.get<ValidUntil>(heightKey(blockhash));
}

/** `vouched` is true when a node of this service reported the height for exactly this blockhash. */
export type Bound = ExpiryBound & { vouched: boolean };

/**
 * Returns the last block height at which a transaction on this blockhash may land. A blockhash from outside this
 * service is assumed to be as young as possible when it is first posted. That first posting is stored.
 * @param known what `validUntil` returned for the blockhash
 * @param seenSlot the newest slot seen in any answer so far
 * @returns null when no node reports the chain's height; without a bound the transaction never counts as expired
 */
export async function boundOf(
  deps: Deps,
  blockhash: string,
  known: ValidUntil | null,
  seenSlot: number,
): Promise<Bound | null> {
  if (known && known.slot !== null) {
    const frame = { slot: known.slot, height: known.height - BLOCKHASH_BLOCKS };
    return { lastValidBlockHeight: known.height, frame, vouched: true };
  }
  if (known) {
    const frame = await tolerate(deps.rpc.head());
    return frame && { lastValidBlockHeight: known.height, frame, vouched: false };
  }
  const posted =
    (await deps.kv.get<FirstPosting>(foreignKey(blockhash))) ?? (await firstPosting(deps, blockhash, seenSlot));
  if (!posted) return null;
  const { lastValid, slot, height } = posted;
  return { lastValidBlockHeight: lastValid, frame: { slot, height }, vouched: false };
}

/** Like `boundOf`, for a transaction that was posted earlier: reads the stored height and uses the newest slot seen. */
export async function boundNow(deps: Deps, blockhash: string): Promise<Bound | null> {
  return boundOf(deps, blockhash, await validUntil(deps, blockhash), deps.watch.highestSlot());
}

async function firstPosting(deps: Deps, blockhash: string, seenSlot: number): Promise<FirstPosting | null> {
  const head = await tolerate(deps.rpc.head());
  if (!head) return null;
  const { lastValidBlockHeight } = boundAtFirstPosting(head, seenSlot);
  const own: FirstPosting = { ...head, lastValid: lastValidBlockHeight };
  // The earliest posting gives the tightest bound. It is valid for later postings, because the blockhash already
  // existed.
  if (await deps.kv.setIfAbsent(foreignKey(blockhash), own, KEPT_MS)) return own;
  return deps.kv.get<FirstPosting>(foreignKey(blockhash));
}

/** Records, before sending, that a message is sent. @returns false if the message was refused and must not be sent */
export async function rememberRelayed(deps: Deps, message: Uint8Array): Promise<boolean> {
  const key = relayedKey(deps, message);
  if (await deps.kv.setIfAbsent(key, true, KEPT_MS, "replicated")) return true;
  if (!(await wasRelayed(deps, message))) return false;
  await deps.kv.set(key, true, KEPT_MS, "replicated");
  return true;
}

/**
 * Records a refusal before it is answered. The client rebuilds after that answer, so these bytes must never be sent.
 * @returns `first` if this call's write decided, `again` if an earlier call refused the message, `sent` if it was sent
 */
export async function rememberRefused(deps: Deps, message: Uint8Array): Promise<"first" | "again" | "sent"> {
  const key = relayedKey(deps, message);
  if (await deps.kv.setIfAbsent(key, REFUSED, KEPT_MS, "replicated")) return "first";
  if (!(await wasRefused(deps, message))) return "sent";
  // The first write may not have reached the replicas.
  await deps.kv.set(key, REFUSED, KEPT_MS, "replicated");
  return "again";
}

/** Returns whether this service refused a message within the last ten minutes. */
export async function wasRefused(deps: Deps, message: Uint8Array): Promise<boolean> {
  return (await deps.kv.get(relayedKey(deps, message))) === REFUSED;
}

/** Returns whether this service sent a message, or decided to send it, within the last ten minutes. */
export async function wasRelayed(deps: Deps, message: Uint8Array): Promise<boolean> {
  return (await deps.kv.get(relayedKey(deps, message))) === true;
}
