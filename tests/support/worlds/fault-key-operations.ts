import { MAX_KEYS_PER_WALLET } from "../../../lib/domain/api-key";
import { type KeyRecord, toKeyUnlessBlocked } from "../../../lib/domain/api-key-store";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import { ApiError } from "../../../lib/sdk";
import type { RunningOperation, StartOperation } from "./fault-operations";
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
    makeKey: (): Promise<Key> => calls.post("/api/keys/generate", {}),
    listKeyIds: async () => (await calls.get("/api/keys", { credentials })).keys.map(({ id }) => id),
    revokeKey: (id: string) => calls.delete(`/api/keys/${id}`),
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
async function resetKeys(client: KeyClient, count: number): Promise<Key[]> {
  for (const id of await client.listKeyIds()) await client.revokeKey(id);
  const createdKeys: Key[] = [];
  while (createdKeys.length < count) createdKeys.push(await client.makeKey());
  return createdKeys;
}

async function listLiveKeys({ store, writtenKeys }: FaultWorld): Promise<string[]> {
  const recordKeys = [...writtenKeys].filter((key) => key.startsWith(STORE_KEYS.apiKey.toKey("")));
  const storedRecords = await store.getMany<KeyRecord>(recordKeys);
  return recordKeys
    .filter((_, i) => toKeyUnlessBlocked(storedRecords[i]!) !== null)
    .map((key) => key.slice(STORE_KEYS.apiKey.toKey("").length));
}

/** Reports live keys that are not listed, more than ten live keys, and a number of usable places other than ten. */
async function findPlaceViolations(world: FaultWorld, client: KeyClient): Promise<string[]> {
  const [liveIds, listedIds] = [await listLiveKeys(world), await client.listKeyIds()];
  const hiddenIds = liveIds.filter((id) => !listedIds.includes(id));
  await world.sandbox.deps.clock.advance(PLACES_FREE_MS);
  let createdCount = 0;
  const makeUntilRefused = async () => {
    while (createdCount <= MAX_KEYS_PER_WALLET) {
      await client.makeKey();
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
const generateTenthKey: StartOperation = async (world): Promise<RunningOperation> => {
  const client = await createKeyClient(world);
  const knownKeys = await resetKeys(client, MAX_KEYS_PER_WALLET - 1);
  let tenthKey: Key | null = null;
  return {
    async attempt() {
      const knownIds = [...knownKeys, ...(tenthKey ? [tenthKey] : [])].map(({ id }) => id);
      for (const id of await client.listKeyIds()) if (!knownIds.includes(id)) await client.revokeKey(id);
      tenthKey ??= await client.makeKey();
      return client.isAccepted(tenthKey);
    },
    async findViolations() {
      const isAccepted = tenthKey !== null && (await client.isAccepted(tenthKey));
      return [
        ...(isAccepted ? [] : ["the returned key is not accepted"]),
        ...(await findPlaceViolations(world, client)),
      ];
    },
  };
};

/** Revokes one of ten keys. */
const revokeOneKey: StartOperation = async (world): Promise<RunningOperation> => {
  const client = await createKeyClient(world);
  const [revokedKey] = await resetKeys(client, MAX_KEYS_PER_WALLET);
  const violations: string[] = [];
  let isRevoked = false;
  return {
    async attempt() {
      if (!isRevoked && (await client.listKeyIds()).includes(revokedKey!.id)) await client.revokeKey(revokedKey!.id);
      isRevoked = true;
      if (await client.isAccepted(revokedKey!)) violations.push("a revoked key is accepted");
      return true;
    },
    async findViolations() {
      if (await client.isAccepted(revokedKey!)) violations.push("a revoked key is accepted again");
      return [...violations, ...(await findPlaceViolations(world, client))];
    },
  };
};

export const KEY_OPERATIONS: Record<string, StartOperation> = {
  "key generation": generateTenthKey,
  "key revocation": revokeOneKey,
};
