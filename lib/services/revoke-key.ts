import type { DataOf, InputOf } from "../contracts/define";
import type { revokeKeyContract } from "../contracts/revoke-key";
import { keyPlace, keyRecord, type StoredKey } from "../domain/api-key-store";
import { AppError } from "../errors";
import type { Deps, RequestContext } from "../ports";

export async function revokeKey(
  { kv }: Deps,
  { id }: InputOf<typeof revokeKeyContract>,
  { caller }: RequestContext,
): Promise<DataOf<typeof revokeKeyContract>> {
  const key = await kv.get<StoredKey>(keyRecord(id));
  const unknown = new AppError("not_found", { message: "This wallet has no live key with that id." });
  if (key?.wallet !== caller.wallet) throw unknown;
  // Only the call that deletes the record frees its place: a second one could free a successor's.
  if (!(await kv.delete(keyRecord(id)))) throw unknown;
  await kv.delete(keyPlace(key.wallet, key.place));
  return { id, revoked: true };
}
