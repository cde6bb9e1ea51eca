import { type KeyRecord, type StoredKey, toKeyRecordKey, toLiveKey } from "../../../domain/api-key-store";
import type { Deps } from "../../../ports/deps";
import { readPlaces } from "./key-places";

/** Reads a wallet's live keys, oldest first. */
export async function readLiveKeys(deps: Deps, wallet: string): Promise<StoredKey[]> {
  const { kv, clock } = deps;
  const ids = (await readPlaces(deps, wallet)).flatMap((held) => (held ? [held.id] : []));
  if (ids.length === 0) return [];
  const keys = (await kv.getMany<KeyRecord>(ids.map(toKeyRecordKey))).map(toLiveKey);
  return keys
    .filter((key) => key !== null && key.expiresAt > clock.now())
    .sort((a, b) => a!.createdAt - b!.createdAt) as StoredKey[];
}

/** Returns the public fields of a key. */
export function describeKey({ id, wallet, name, createdAt, expiresAt }: StoredKey) {
  return {
    id,
    wallet,
    name,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
