import { MAX_KEYS_PER_WALLET } from "../../../lib/domain/api-key";
import { type KeyRecord, toKeyRecordKey, toLiveKey } from "../../../lib/domain/api-key-store";
import { ApiError } from "../../../lib/sdk";
import type { Operation, Work } from "./fault-operations";
import type { FaultWorld } from "./fault-world";

/* Makes and revokes API keys of a wallet while calls fail. */

interface Key {
  id: string;
  apiKey: string;
}

/** After this time, ms, a reserved place whose key was never written is free again. */
const PLACES_FREE_MS = 130_000;

async function createKeyClient({ roundup, credentials }: FaultWorld) {
  const calls = await roundup.calls();
  return {
    make: (): Promise<Key> => calls.post("/api/keys/generate", {}),
    list: async () => (await calls.get("/api/keys", { credentials })).keys.map(({ id }) => id),
    revoke: (id: string) => calls.delete(`/api/keys/${id}`),
    /** Returns whether the service accepts the key. @throws {ApiError} when an upstream failed */
    async isAccepted({ apiKey }: Key): Promise<boolean> {
      try {
        await calls.post("/api/roundup", { txValueUsd: 1 }, { credentials: { "x-api-key": apiKey } });
        return true;
      } catch (error) {
        if (error instanceof ApiError && error.code === "credentials_invalid") return false;
        throw error;
      }
    },
  };
}

type KeyClient = Awaited<ReturnType<typeof createKeyClient>>;

/** Revokes all keys and makes `count` new keys. */
async function resetKeys(keys: KeyClient, count: number): Promise<Key[]> {
  for (const id of await keys.list()) await keys.revoke(id);
  const createdKeys: Key[] = [];
  while (createdKeys.length < count) createdKeys.push(await keys.make());
  return createdKeys;
}

async function listLiveKeys({ store, writtenKeys }: FaultWorld): Promise<string[]> {
  const recordKeys = [...writtenKeys].filter((key) => key.startsWith(toKeyRecordKey("")));
  const storedRecords = await store.getMany<KeyRecord>(recordKeys);
  return recordKeys
    .filter((_, i) => toLiveKey(storedRecords[i]!) !== null)
    .map((key) => key.slice(toKeyRecordKey("").length));
}

/** Reports live keys that are not listed, more than ten live keys, and a number of usable places other than ten. */
async function findPlaceViolations(world: FaultWorld, keys: KeyClient): Promise<string[]> {
  const [liveIds, listedIds] = [await listLiveKeys(world), await keys.list()];
  const hiddenIds = liveIds.filter((id) => !listedIds.includes(id));
  await world.sandbox.deps.clock.advance(PLACES_FREE_MS);
  let createdCount = 0;
  const makeUntilRefused = async () => {
    while (createdCount <= MAX_KEYS_PER_WALLET) {
      await keys.make();
      createdCount++;
    }
    return null;
  };
  const code = await makeUntilRefused().catch((error) => error.code);
  const liveCount = (await listLiveKeys(world)).length;
  return [
    ...hiddenIds.map((id) => `key ${id} is live and not listed`),
    ...(liveIds.length > MAX_KEYS_PER_WALLET ? [`${liveIds.length} keys are live`] : []),
    ...(liveCount === MAX_KEYS_PER_WALLET && code === "too_many_keys"
      ? []
      : [`${liveCount} places can be used: ${code}`]),
  ];
}

/** Makes the tenth key. The client revokes keys whose answer was lost, because it does not know their text. */
const generateTenthKey: Operation = async (world): Promise<Work> => {
  const keys = await createKeyClient(world);
  const knownKeys = await resetKeys(keys, MAX_KEYS_PER_WALLET - 1);
  let tenthKey: Key | null = null;
  return {
    async attempt() {
      const knownIds = [...knownKeys, ...(tenthKey ? [tenthKey] : [])].map(({ id }) => id);
      for (const id of await keys.list()) if (!knownIds.includes(id)) await keys.revoke(id);
      tenthKey ??= await keys.make();
      return keys.isAccepted(tenthKey);
    },
    async findViolations() {
      const isAccepted = tenthKey !== null && (await keys.isAccepted(tenthKey));
      return [...(isAccepted ? [] : ["the returned key is not accepted"]), ...(await findPlaceViolations(world, keys))];
    },
  };
};

/** Revokes one of ten keys. */
const revokeKey: Operation = async (world): Promise<Work> => {
  const keys = await createKeyClient(world);
  const [revokedKey] = await resetKeys(keys, MAX_KEYS_PER_WALLET);
  const violations: string[] = [];
  let isRevoked = false;
  return {
    async attempt() {
      if (!isRevoked && (await keys.list()).includes(revokedKey!.id)) await keys.revoke(revokedKey!.id);
      isRevoked = true;
      if (await keys.isAccepted(revokedKey!)) violations.push("a revoked key is accepted");
      return true;
    },
    async findViolations() {
      if (await keys.isAccepted(revokedKey!)) violations.push("a revoked key is accepted again");
      return [...violations, ...(await findPlaceViolations(world, keys))];
    },
  };
};

export const KEY_OPERATIONS: Record<string, Operation> = {
  "key generation": generateTenthKey,
  "key revocation": revokeKey,
};
