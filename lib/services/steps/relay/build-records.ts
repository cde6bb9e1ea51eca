import { BLOCKHASH_BLOCKS, boundAtFirstPosting, type ExpiryBound } from "../../../domain/expiry";
import type { Deps } from "../../../ports/deps";
import type { BlockhashInfo } from "../../../ports/solana-rpc";
import { tolerate } from "../tolerate";

/** A blockhash lives about a minute at most; ten outlive every honest retry. */
const KEPT_MS = 10 * 60_000;

const heightKey = (blockhash: string) => `valid-until:${blockhash}`;
const foreignKey = (blockhash: string) => `first-posting:${blockhash}`;
/** In the place of `true`, which says that it went out. */
const REFUSED = "refused";
const relayedKey = ({ verifier }: Pick<Deps, "verifier">, message: Uint8Array) =>
  `relayed-message:${verifier.digest(message)}`;

/** `slot`: of the node that said it; null where somebody else did. */
export type ValidUntil = { height: number; slot: number | null };
type FirstPosting = { height: number; slot: number; lastValid: number };

/** What is known of transactions about to be handed out: one read of the store, whatever their number. */
export async function buildState(deps: Deps, blockhash: string, messages: Uint8Array[]) {
  const keys = [heightKey(blockhash), ...messages.map((message) => relayedKey(deps, message))];
  const [height, ...relayed] = await deps.kv.getMany<ValidUntil | true | typeof REFUSED>(keys);
  return {
    heightKnown: height !== null,
    /** One of them went out or was refused before: it is taken only once, so building it again would save nothing. */
    anyRelayed: relayed.some((mark) => mark !== null),
  };
}

/**
 * Keeps until which height a transaction on this blockhash can land, which is not in its bytes. By blockhash and not by
 * transaction: thousands share one, so handing out a transaction writes nothing.
 */
export async function rememberHeight({ kv }: Deps, { blockhash, lastValidBlockHeight, slot }: BlockhashInfo) {
  const validUntil: ValidUntil = { height: lastValidBlockHeight, slot: slot ?? null };
  await kv.setIfAbsent(heightKey(blockhash), validUntil, KEPT_MS);
}

/** Null for a blockhash that was not handed out here, or long ago. */
export async function validUntil({ kv }: Deps, blockhash: string): Promise<ValidUntil | null> {
  return kv.get<ValidUntil>(heightKey(blockhash));
}

/** `vouched`: our own node said it of this very blockhash. */
export type Bound = ExpiryBound & { vouched: boolean };

/**
 * Until when a transaction on this blockhash may land. One that was not handed out here is as young as can be at its
 * first posting, which is kept. Null when no node tells where the chain stands: then nothing is known to expire.
 * @param seenSlot the newest slot seen in any answer so far
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

/** As `boundOf`, for one that was posted some time ago. */
export async function boundNow(deps: Deps, blockhash: string): Promise<Bound | null> {
  return boundOf(deps, blockhash, await validUntil(deps, blockhash), deps.watch.highestSlot());
}

async function firstPosting(deps: Deps, blockhash: string, seenSlot: number): Promise<FirstPosting | null> {
  const head = await tolerate(deps.rpc.head());
  if (!head) return null;
  const { lastValidBlockHeight } = boundAtFirstPosting(head, seenSlot);
  const own: FirstPosting = { ...head, lastValid: lastValidBlockHeight };
  // Whoever was first is right for all: the blockhash was there before either.
  if (await deps.kv.setIfAbsent(foreignKey(blockhash), own, KEPT_MS)) return own;
  return deps.kv.get<FirstPosting>(foreignKey(blockhash));
}

/*
 * Each message has one word, sent or refused, which the first atomic write decides. A word outlives its message's blockhash,
 * so no instance sends what was refused, and none refuses what was sent.
 */

/** Notes, before it is sent, that a message goes out. @returns whether it may: what was refused may not */
export async function rememberRelayed(deps: Deps, message: Uint8Array): Promise<boolean> {
  const key = relayedKey(deps, message);
  if (await deps.kv.setIfAbsent(key, true, KEPT_MS)) return true;
  if (!(await wasRelayed(deps, message))) return false;
  await deps.kv.set(key, true, KEPT_MS);
  return true;
}

/**
 * Records a refusal before it is answered. The caller rebuilds on that answer, so these bytes must never go out.
 * @returns `first`: this call's write is the one that decided; `again`: an earlier call refused the message; `sent`: it went out
 */
export async function rememberRefused(deps: Deps, message: Uint8Array): Promise<"first" | "again" | "sent"> {
  if (await deps.kv.setIfAbsent(relayedKey(deps, message), REFUSED, KEPT_MS)) return "first";
  return (await wasRefused(deps, message)) ? "again" : "sent";
}

/** Whether a message was refused here within the last minutes. */
export async function wasRefused(deps: Deps, message: Uint8Array): Promise<boolean> {
  return (await deps.kv.get(relayedKey(deps, message))) === REFUSED;
}

/** Whether a message went out through here within the last minutes. */
export async function wasRelayed(deps: Deps, message: Uint8Array): Promise<boolean> {
  return (await deps.kv.get(relayedKey(deps, message))) === true;
}
