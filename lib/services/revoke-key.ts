import type { DataOf, InputOf } from "../contracts/define";
import type { revokeKeyContract } from "../contracts/revoke-key";
import {
  type KeyRecord,
  type RevokedKey,
  toKeyRecordKey,
  toKeyUnlessBlocked,
  toRevocationKey,
} from "../domain/api-key-store";
import { AppError } from "../errors";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { freeKeyPlace } from "./records/key-places";

/** Revokes a live key of the caller. Idempotent. @throws AppError not_found */
export async function revokeKey(
  deps: Deps,
  { id }: InputOf<typeof revokeKeyContract>,
  { caller }: RequestContext,
): Promise<DataOf<typeof revokeKeyContract>> {
  const { kv, clock } = deps;
  const liveKey = toKeyUnlessBlocked(await kv.get<KeyRecord>(toKeyRecordKey(id)));
  const key = liveKey ?? (await kv.get<RevokedKey>(toRevocationKey(id)));
  if (key?.wallet !== caller.wallet) {
    throw new AppError("not_found", { message: "This wallet has no live key with that id." });
  }
  if (liveKey) {
    const { wallet, place, expiresAt } = liveKey;
    // Store the revocation before the key is deleted, so that a retry can finish an interrupted revocation.
    await kv.set(toRevocationKey(id), { id, wallet, place }, Math.max(1, expiresAt - clock.now()));
    await kv.delete(toKeyRecordKey(id));
  }
  await freeKeyPlace(deps, key);
  return { id, revoked: true };
}
