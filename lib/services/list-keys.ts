import type { DataOf } from "../contracts/define";
import type { listKeysContract } from "../contracts/list-keys";
import { toLastUsedKey } from "../domain/api-key-store";
import type { Deps } from "../ports/deps";
import type { RequestContext } from "../ports/request-context";
import { describeKey, readLiveKeys } from "./steps/keys/api-keys";

/** Lists the caller's live API keys and when each was last used. */
export async function listKeys(
  deps: Deps,
  _input: unknown,
  { caller }: RequestContext,
): Promise<DataOf<typeof listKeysContract>> {
  const keys = await readLiveKeys(deps, caller.wallet!);
  const lastUsed = keys.length > 0 ? await deps.kv.getMany<number>(keys.map(({ id }) => toLastUsedKey(id))) : [];
  return {
    keys: keys.map((key, i) => {
      const at = lastUsed[i] ?? null;
      return { ...describeKey(key), lastUsedAt: at === null ? null : new Date(at).toISOString() };
    }),
  };
}
