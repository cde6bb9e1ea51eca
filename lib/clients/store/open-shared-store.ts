import type { SharedStore } from "../../domain/shared-store-settings";
import type { Clock } from "../../ports/clock";
import type { Random } from "../../ports/random";
import { createBreaker } from "../http/breaker";
import { createRedisCommands, findEvictingPolicy } from "./kv-redis";
import { createVercelCommands } from "./kv-vercel";
import { connectRedis } from "./redis-connection";

/**
 * Opens the shared store of the settings. Calls that find it down fail within the time limit. `findEvictingPolicy`
 * throws AppError when the store does not answer.
 */
export function openSharedStore(store: SharedStore, { clock, random }: { clock: Clock; random: Random }) {
  const createStoreBreaker = () => createBreaker("store", clock);
  if (store.kind === "rest") {
    return {
      commands: createVercelCommands({ ...store, breaker: createStoreBreaker() }),
      // The REST protocol does not report this policy.
      findEvictingPolicy: async () => null,
    };
  }
  const { servers, prefix, waitReplicas, timeoutMs } = store;
  const connectStore = () => connectRedis({ servers, timeoutMs, random, breaker: createStoreBreaker() });
  const connection = connectStore();
  const replicaOptions = { count: waitReplicas, timeoutMs: Math.floor(timeoutMs / 2) };
  const replicas = waitReplicas > 0 ? { ...replicaOptions, connection: connectStore() } : undefined;
  return {
    commands: createRedisCommands({ connection, replicas, prefix }),
    findEvictingPolicy: () => findEvictingPolicy(connection),
  };
}
