import { MAX_KEYS_PER_WALLET } from "../../domain/api-key";
import {
  type HeldPlace,
  keyPlace,
  keyPlaceLock,
  keyRecord,
  PLACE_GRACE_MS,
  type StoredKey,
} from "../../domain/api-key-store";
import { AppError } from "../../errors";
import type { Deps } from "../../ports";

/**
 * Who holds each of the wallet's ten places. A place is taken before its key's record is written and given back after
 * the record is gone, so whatever is lost in between leaves a place without a record, never a key without a place.
 */
export async function readPlaces({ kv }: Deps, wallet: string): Promise<(HeldPlace | null)[]> {
  const places = Array.from({ length: MAX_KEYS_PER_WALLET }, (_, place) => keyPlace(wallet, place));
  return (await kv.getMany<HeldPlace | string>(places)).map(toHeld);
}

/** Places taken by an earlier version say only by which key. */
const toHeld = (held: HeldPlace | string | null) => (typeof held === "string" ? { id: held, since: 0 } : held);

/**
 * One of the wallet's places: a free one, or one whose key has had no record for a minute.
 * @throws AppError too_many_keys
 */
export async function takePlace(deps: Deps, wallet: string, id: string, lifetimeMs: number): Promise<number> {
  const mine: HeldPlace = { id, since: deps.clock.now() };
  const keptMs = lifetimeMs + PLACE_GRACE_MS;
  for (const [place, holder] of (await readPlaces(deps, wallet)).entries()) {
    if (holder === null && (await deps.kv.setIfAbsent(keyPlace(wallet, place), mine, keptMs))) return place;
  }
  for (const [place, holder] of (await readPlaces(deps, wallet)).entries()) {
    if (holder === null || mine.since - holder.since < PLACE_GRACE_MS) continue;
    const takesOver = await changeHeld(deps, wallet, place, holder.id, (key) => deps.kv.set(key, mine, keptMs));
    if (takesOver) return place;
  }
  throw new AppError("too_many_keys");
}

/** Gives the place of a key back whose record is gone. */
export async function freePlace(deps: Deps, { wallet, place, id }: Pick<StoredKey, "wallet" | "place" | "id">) {
  await changeHeld(deps, wallet, place, id, (key) => deps.kv.delete(key));
}

/**
 * Changes a place that this key holds without a record. Under a lock of the key's own, which never holds a place again:
 * so a place is changed once for each key, and never its successor's.
 * @returns whether it was changed
 */
async function changeHeld(
  { kv }: Deps,
  wallet: string,
  place: number,
  id: string,
  change: (key: string) => Promise<unknown>,
): Promise<boolean> {
  const key = keyPlace(wallet, place);
  if ((await kv.get(keyRecord(id))) !== null) return false;
  if (!(await kv.setIfAbsent(keyPlaceLock(id), true, PLACE_GRACE_MS))) return false;
  if (toHeld(await kv.get<HeldPlace | string>(key))?.id !== id) return false;
  await change(key);
  return true;
}
