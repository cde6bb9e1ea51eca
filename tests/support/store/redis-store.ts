import { createRedisCommands } from "../../../lib/clients/store/kv-redis";
import { createSharedStore } from "../../../lib/clients/store/kv-shared";
import { connectRedis } from "../../../lib/clients/store/redis-connection";
import type { RedisServers } from "../../../lib/domain/shared-store-settings";

export type RedisStore = ReturnType<typeof openRedisStore>;

interface Options extends Partial<RedisServers> {
  timeoutMs?: number;
  replicas?: { count: number; timeoutMs: number };
}

const random = { bytes: (length: number) => new Uint8Array(length) };

/** Opens a store on a Redis server of this machine, as the service does. */
export function openRedisStore(port: number, options: Options = {}) {
  const { timeoutMs = 20_000, replicas, ...servers } = options;
  const url = { host: "127.0.0.1", port, db: 0, tls: false };
  const connect = () =>
    connectRedis({ servers: { address: url, sentinels: [], cluster: [], ...servers }, timeoutMs, random });
  const commands = createRedisCommands({
    connection: connect(),
    prefix: "roundup:",
    ...(replicas && { replicas: { ...replicas, connection: connect() } }),
  });
  return { commands, kv: createSharedStore(commands) };
}
