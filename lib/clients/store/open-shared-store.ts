import type { SharedStore } from "../../domain/shared-store-settings";
import { STORE_KEYS } from "../../domain/store-keys";
import type { Clock } from "../../ports/clock";
import type { Random } from "../../ports/random";
import { createBreaker } from "../http/breaker";
import { createCallReserver } from "../quota/tokens";
import { createRedisCommands, findEvictingPolicy } from "./kv-redis";
import { createSharedStore, type StoreCommands } from "./kv-shared";
import { createVercelCommands } from "./kv-vercel";
import { createKvRateLimiter } from "./rate-limiter";
import { connectRedis } from "./redis-connection";

/**
 * Opens the shared store. `probe` and `findEvictingPolicy` throw AppError when it does not answer or refuses a right.
 */
export function openSharedStore(store: SharedStore, { clock, random }: { clock: Clock; random: Random }) {
  const createStoreBreaker = () => createBreaker("store", clock);
  if (store.kind === "rest") {
    const commands = createVercelCommands({ ...store, breaker: createStoreBreaker() });
    return {
      commands,
      // A token has all rights or may only read.
      probe: () => createSharedStore(commands).ping(),
      // The REST protocol does not report this policy.
      findEvictingPolicy: async () => null,
    };
  }
  const { servers, prefix, waitReplicas, timeoutMs } = store;
  const connectStore = () => connectRedis({ servers, timeoutMs, random, breaker: createStoreBreaker() });
  const connection = connectStore();
  const replicaOptions = { count: waitReplicas, timeoutMs: Math.floor(timeoutMs / 2) };
  const replicas = waitReplicas > 0 ? { ...replicaOptions, connection: connectStore() } : undefined;
  const commands = createRedisCommands({ connection, replicas, prefix });
  return {
    commands,
    probe: () => probeCommands(commands),
    findEvictingPolicy: () => findEvictingPolicy(connection),
  };
}

/** Runs every command on test keys, or a right that is missing would show only during a payment. @throws AppError */
async function probeCommands(commands: StoreCommands): Promise<void> {
  const kv = createSharedStore(commands);
  const { toKey, ttlMs } = STORE_KEYS.probe;
  const [key, otherKey, set] = [toKey("a"), toKey("b"), toKey("set")];
  await Promise.all([kv.set(key, 1, ttlMs), kv.delete(otherKey)]);
  await kv.get(key);
  // A replacement writes, reads or deletes, depending on the stored value.
  await kv.replace(key, 1, 2, ttlMs);
  await kv.replace(key, 1, 3, ttlMs);
  await kv.replace(key, 2, null);
  await kv.addMember(set, "member", 1);
  await kv.readMember(set, "member");
  await kv.listMembers(set);
  await kv.removeMember(set, "member");
  await createKvRateLimiter(commands).take("probe");
  await createCallReserver(commands)("probe", { count: 1, gapMs: 1, burstMs: 1 });
}
