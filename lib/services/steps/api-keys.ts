import { MAX_KEYS_PER_WALLET } from "../../domain/api-key";
import { keyPlace, keyRecord, type StoredKey } from "../../domain/api-key-store";
import type { Deps } from "../../ports";

/** A wallet's live keys, oldest first. */
export async function liveKeysOf({ kv, clock }: Deps, wallet: string): Promise<StoredKey[]> {
  const places = Array.from({ length: MAX_KEYS_PER_WALLET }, (_, place) => keyPlace(wallet, place));
  const ids = (await kv.getMany<string>(places)).filter((id) => id !== null);
  if (ids.length === 0) return [];
  const keys = await kv.getMany<StoredKey>(ids.map(keyRecord));
  return keys
    .filter((key) => key !== null && key.expiresAt > clock.now())
    .sort((a, b) => a!.createdAt - b!.createdAt) as StoredKey[];
}

/** What may be shown of a key. */
export function describeKey({ id, wallet, name, createdAt, expiresAt }: StoredKey) {
  return {
    id,
    wallet,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
