import { MAX_KEYS_PER_WALLET } from "../../../lib/domain/api-key";
import { type KeyRecord, toKeyRecordKey, toLiveKey } from "../../../lib/domain/api-key-store";
import { ApiError } from "../../../lib/sdk";
import type { Operation, Work } from "./fault-operations";
import type { FaultWorld } from "./fault-world";

/** A wallet makes and revokes API keys while calls fail. */

interface Key {
  id: string;
  apiKey: string;
}

/** After this time a reserved place whose key was never written is free again. */
const PLACES_FREE_MS = 130_000;

async function keysOf({ roundup, credentials }: FaultWorld) {
  const calls = await roundup.calls();
  return {
    make: (): Promise<Key> => calls.post("/api/keys/generate", {}),
    list: async () => (await calls.get("/api/keys", { credentials })).keys.map(({ id }) => id),
    revoke: (id: string) => calls.delete(`/api/keys/${id}`),
    /** Returns whether the service accepts the key. @throws {ApiError} when an upstream failed */
    async works({ apiKey }: Key): Promise<boolean> {
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

type Keys = Awaited<ReturnType<typeof keysOf>>;

/** Revokes all keys and makes `count` new ones. */
async function startWith(keys: Keys, count: number): Promise<Key[]> {
  for (const id of await keys.list()) await keys.revoke(id);
  const made: Key[] = [];
  while (made.length < count) made.push(await keys.make());
  return made;
}

async function recordsOf({ store, written }: FaultWorld): Promise<string[]> {
  const records = [...written].filter((key) => key.startsWith(toKeyRecordKey("")));
  const found = await store.getMany<KeyRecord>(records);
  return records.filter((_, i) => toLiveKey(found[i]!) !== null).map((key) => key.slice(toKeyRecordKey("").length));
}

/** Checks that every live key is listed, that at most ten are live, and that the wallet can have exactly ten again. */
async function wrongPlaces(world: FaultWorld, keys: Keys): Promise<string[]> {
  const [live, listed] = [await recordsOf(world), await keys.list()];
  const hidden = live.filter((id) => !listed.includes(id));
  await world.sandbox.deps.clock.advance(PLACES_FREE_MS);
  let made = 0;
  const refused = async () => {
    while (made <= MAX_KEYS_PER_WALLET) {
      await keys.make();
      made++;
    }
    return null;
  };
  const code = await refused().catch((error) => error.code);
  const total = (await recordsOf(world)).length;
  return [
    ...hidden.map((id) => `key ${id} is live and not listed`),
    ...(live.length > MAX_KEYS_PER_WALLET ? [`${live.length} keys are live`] : []),
    ...(total === MAX_KEYS_PER_WALLET && code === "too_many_keys" ? [] : [`${total} places can be used: ${code}`]),
  ];
}

/** Makes the tenth key. The client revokes keys whose answer was lost, because it does not know their text. */
const generation: Operation = async (world): Promise<Work> => {
  const keys = await keysOf(world);
  const known = await startWith(keys, MAX_KEYS_PER_WALLET - 1);
  let tenth: Key | null = null;
  return {
    async attempt() {
      const all = [...known, ...(tenth ? [tenth] : [])].map(({ id }) => id);
      for (const id of await keys.list()) if (!all.includes(id)) await keys.revoke(id);
      tenth ??= await keys.make();
      return keys.works(tenth);
    },
    async wrong() {
      const works = tenth !== null && (await keys.works(tenth));
      return [...(works ? [] : ["the key that was answered is dead"]), ...(await wrongPlaces(world, keys))];
    },
  };
};

const revocation: Operation = async (world): Promise<Work> => {
  const keys = await keysOf(world);
  const [lost] = await startWith(keys, MAX_KEYS_PER_WALLET);
  const wrong: string[] = [];
  let isRevoked = false;
  return {
    async attempt() {
      if (!isRevoked && (await keys.list()).includes(lost!.id)) await keys.revoke(lost!.id);
      isRevoked = true;
      if (await keys.works(lost!)) wrong.push("a revoked key works");
      return true;
    },
    async wrong() {
      if (await keys.works(lost!)) wrong.push("a revoked key works again");
      return [...wrong, ...(await wrongPlaces(world, keys))];
    },
  };
};

export const KEYS: Record<string, Operation> = { "key generation": generation, "key revocation": revocation };
