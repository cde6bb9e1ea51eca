import { STORE_KEYS } from "../../domain/store-keys";
import type { Deps } from "../../ports/deps";

const { toKey, ttlMs } = STORE_KEYS.referenceText;

/** Records the text of a reference for which a saving is built. */
export async function recordReferenceText({ kv }: Deps, wallet: string, hash: string, text: string): Promise<void> {
  await kv.set(toKey(wallet, hash), text, ttlMs);
}

/** Reads the text of a reference, or null if no saving was built for it here in the last 30 days. */
export async function readReferenceText({ kv }: Deps, wallet: string, hash: string): Promise<string | null> {
  return kv.get<string>(toKey(wallet, hash));
}
