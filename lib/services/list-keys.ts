import type { DataOf } from "../contracts/define";
import type { listKeysContract } from "../contracts/list-keys";
import { type KeyRecord, type StoredKey, toKeyUnlessBlocked, toVisibleFields } from "../domain/api-key-store";
import { STORE_KEYS } from "../domain/store-keys";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { readKeyPlaces } from "./records/key-places";

export async function listKeys(
  deps: Deps,
  _input: unknown,
  { caller }: RequestContext,
): Promise<DataOf<typeof listKeysContract>> {
  const keys = await readLiveKeys(deps, caller.wallet!);
  const lastUseTimes = await deps.kv.getMany<number>(keys.map(({ id }) => STORE_KEYS.keyLastUsed.toKey(id)));
  return {
    keys: keys.map((key, i) => {
      const lastUseMs = lastUseTimes[i] ?? null;
      return { ...toVisibleFields(key), lastUsedAt: lastUseMs === null ? null : new Date(lastUseMs).toISOString() };
    }),
  };
}

async function readLiveKeys(deps: Deps, wallet: string): Promise<StoredKey[]> {
  const { kv, clock } = deps;
  const ids = (await readKeyPlaces(deps, wallet)).flatMap((holder) => (holder ? [holder.id] : []));
  const keys = (await kv.getMany<KeyRecord>(ids.map((id) => STORE_KEYS.apiKey.toKey(id)))).map(toKeyUnlessBlocked);
  return keys
    .filter((key) => key !== null)
    .filter(({ expiresAt }) => expiresAt > clock.now())
    .sort((left, right) => left.createdAt - right.createdAt);
}
