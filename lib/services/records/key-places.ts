import { MAX_KEYS_PER_WALLET } from "../../domain/api-key";
import {
  BLOCKED_RECORD,
  type KeyPlace,
  type KeyRecord,
  PLACE_GRACE_MS,
  type StoredKey,
} from "../../domain/api-key-store";
import { STORE_KEYS } from "../../domain/store-keys";
import { DAY_MS } from "../../domain/time";
import { AppError } from "../../errors";
import type { Deps } from "../../ports/deps";

/** For this time a removed record stays blocked, so that a write that arrives late has no effect. */
const BLOCKED_TTL_MS = DAY_MS;

/**
 * Reads the holder of each of the wallet's ten places. A place is taken before its key's record is written and freed
 * after the record is gone. A failure in between leaves a place without a record, never a key without a place.
 */
export async function readKeyPlaces({ kv }: Deps, wallet: string): Promise<(KeyPlace | null)[]> {
  const placeKeys = Array.from({ length: MAX_KEYS_PER_WALLET }, (_, place) => STORE_KEYS.keyPlace.toKey(wallet, place));
  return kv.getMany<KeyPlace>(placeKeys);
}

/**
 * Takes one of the wallet's places. It is free, or was taken at least a minute ago by a key that has no record.
 * @throws AppError too_many_keys
 */
export async function takeKeyPlace(deps: Deps, wallet: string, id: string, lifetimeMs: number): Promise<number> {
  const { kv, clock } = deps;
  const newHolder: KeyPlace = { id, since: clock.now() };
  const ttlMs = lifetimeMs + PLACE_GRACE_MS;
  for (const [place, holder] of (await readKeyPlaces(deps, wallet)).entries()) {
    if (holder === null && (await kv.setIfAbsent(STORE_KEYS.keyPlace.toKey(wallet, place), newHolder, ttlMs)))
      return place;
  }
  for (const [place, holder] of (await readKeyPlaces(deps, wallet)).entries()) {
    if (holder === null || newHolder.since - holder.since < PLACE_GRACE_MS) continue;
    if (await changePlace(deps, STORE_KEYS.keyPlace.toKey(wallet, place), holder, newHolder, ttlMs)) return place;
  }
  throw new AppError("too_many_keys");
}

/** Frees the place of a key. Does nothing if the key still has a record, or if another key has taken the place. */
export async function freeKeyPlace(deps: Deps, { wallet, place, id }: Pick<StoredKey, "wallet" | "place" | "id">) {
  const holder = await deps.kv.get<KeyPlace>(STORE_KEYS.keyPlace.toKey(wallet, place));
  if (holder?.id === id) await changePlace(deps, STORE_KEYS.keyPlace.toKey(wallet, place), holder, null);
}

/** Writes a key's record. @returns false if the record was blocked, because the key took too long and lost its place */
export async function writeKeyRecord({ kv }: Deps, key: StoredKey, lifetimeMs: number): Promise<boolean> {
  return kv.setIfAbsent(STORE_KEYS.apiKey.toKey(key.id), key, lifetimeMs);
}

/** Removes a key's record and blocks it, so that a write still in flight has no effect. */
export async function blockKeyRecord({ kv }: Deps, id: string): Promise<void> {
  await kv.set(STORE_KEYS.apiKey.toKey(id), BLOCKED_RECORD, BLOCKED_TTL_MS);
}

/**
 * Gives the place of a key without a record to `newHolder`, or frees it if that is null. Blocks the old key first, so
 * that its record cannot appear later.
 * @returns false if the old key has a record, or if another call has changed the place
 */
async function changePlace(
  { kv }: Deps,
  placeKey: string,
  holder: KeyPlace,
  newHolder: KeyPlace | null,
  ttlMs?: number,
): Promise<boolean> {
  const { id } = holder;
  const isBlocked =
    (await kv.setIfAbsent(STORE_KEYS.apiKey.toKey(id), BLOCKED_RECORD, BLOCKED_TTL_MS)) ||
    (await kv.get<KeyRecord>(STORE_KEYS.apiKey.toKey(id))) === BLOCKED_RECORD;
  return isBlocked && (await kv.replace(placeKey, holder, newHolder, ttlMs));
}
