import { sha256 } from "@noble/hashes/sha2";
import type { BlockhashInfo, Deps } from "../../ports";
import { toHex } from "../../solana/bytes";

/** A blockhash lives about a minute at most; ten outlive every honest retry. */
const KEPT_MS = 10 * 60_000;

const heightKey = (blockhash: string) => `blockhash:${blockhash}`;
const relayedKey = (message: Uint8Array) => `relayed-message:${toHex(sha256(message))}`;

/** What is known of transactions about to be handed out: one read of the store, whatever their number. */
export async function buildState({ kv }: Deps, blockhash: string, messages: Uint8Array[]) {
  const [height, ...relayed] = await kv.getMany<number | true>([heightKey(blockhash), ...messages.map(relayedKey)]);
  return {
    heightKnown: height !== null,
    /** One of them went out before: the chain takes it only once, so building it again would save nothing. */
    anyRelayed: relayed.some((mark) => mark !== null),
  };
}

/**
 * Keeps until which height a transaction on this blockhash can land, which is not in its bytes. By blockhash and not by
 * transaction: thousands share one, so handing out a transaction writes nothing.
 */
export async function rememberHeight({ kv }: Deps, { blockhash, lastValidBlockHeight }: BlockhashInfo): Promise<void> {
  await kv.setIfAbsent(heightKey(blockhash), lastValidBlockHeight, KEPT_MS);
}

/** Null for a blockhash that was not handed out here, or long ago. */
export async function lastValidHeight({ kv }: Deps, blockhash: string): Promise<number | null> {
  return kv.get<number>(heightKey(blockhash));
}

/** Notes, before it is sent, that a message goes out. */
export async function rememberRelayed({ kv }: Deps, message: Uint8Array): Promise<void> {
  await kv.set(relayedKey(message), true, KEPT_MS);
}

/** Whether a message went out through here within the last minutes. */
export async function wasRelayed({ kv }: Deps, message: Uint8Array): Promise<boolean> {
  return (await kv.get<true>(relayedKey(message))) !== null;
}
