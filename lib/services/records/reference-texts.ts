import { DAY_MS } from "../../domain/time";
import type { Deps } from "../../ports/deps";

/** The text of a reference is stored this long for the event, because the chain shows only the reference's hash. */
const TEXT_TTL_MS = 30 * DAY_MS;

const toReferenceTextKey = (wallet: string, hash: string) => `reference-text:${wallet}:${hash}`;

/** Records the text of a reference for which a saving is built. */
export async function recordReferenceText({ kv }: Deps, wallet: string, hash: string, text: string): Promise<void> {
  await kv.set(toReferenceTextKey(wallet, hash), text, TEXT_TTL_MS);
}

/** Reads the text of a reference, or null if no saving was built for it here in the last 30 days. */
export async function readReferenceText({ kv }: Deps, wallet: string, hash: string): Promise<string | null> {
  return kv.get<string>(toReferenceTextKey(wallet, hash));
}
