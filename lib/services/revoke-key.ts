import type { DataOf, InputOf } from "../contracts/define";
import type { revokeKeyContract } from "../contracts/revoke-key";
import { type KeyRecord, type RevokedKey, toKeyUnlessBlocked } from "../domain/api-key-store";
import { STORE_KEYS } from "../domain/store-keys";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { freeKeyPlace } from "./records/key-places";

/** Revokes a live key of the caller. Idempotent. */
export async function revokeKey(
  deps: Deps,
  { id }: InputOf<typeof revokeKeyContract>,
  { caller }: RequestContext,
): Promise<DataOf<typeof revokeKeyContract>> {
  const { kv, clock } = deps;
  const liveKey = toKeyUnlessBlocked(await kv.get<KeyRecord>(STORE_KEYS.apiKey.toKey(id)));
  const key = liveKey ?? (await kv.get<RevokedKey>(STORE_KEYS.revokedKey.toKey(id)));
  if (key?.wallet !== caller.wallet) {
    throw new AppError("not_found", { message: "This wallet has no live key with that id." });
  }
  if (liveKey) {
    const { wallet, place, expiresAt } = liveKey;
    // Store the revocation before the key is deleted, so that a retry can finish an interrupted revocation.
    await kv.set(STORE_KEYS.revokedKey.toKey(id), { id, wallet, place }, Math.max(1, expiresAt - clock.now()));
    await kv.delete(STORE_KEYS.apiKey.toKey(id));
  }
  await freeKeyPlace(deps, key);
  return { id, revoked: true };
}
