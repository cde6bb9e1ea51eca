import { sha256 } from "@noble/hashes/sha2";
import { toHex } from "../domain/bytes";
import type { Deps } from "../ports";

/** A blockhash lives about a minute at most; ten outlive every honest retry. */
const KEPT_MS = 10 * 60_000;

/** What is kept of a message we built. The height until which it can land is not in its bytes. */
export type BuildRecord = {
  lastValidBlockHeight: number;
  /** It has been relayed: the chain takes it only once, so building it again would save nothing. */
  submitted: boolean;
};

const keyOf = (message: Uint8Array) => `build:${toHex(sha256(message))}`;

export async function rememberBuild({ kv }: Deps, message: Uint8Array, record: BuildRecord): Promise<void> {
  await kv.set(keyOf(message), record, KEPT_MS);
}

/** Null for a message that was not built here, or long ago. */
export async function buildRecord({ kv }: Deps, message: Uint8Array): Promise<BuildRecord | null> {
  return kv.get<BuildRecord>(keyOf(message));
}
