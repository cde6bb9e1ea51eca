import type { Cluster, Redis } from "ioredis";
import { type StoreCommands, toWriteManyArgs } from "./kv-shared";
import type { RedisConnection } from "./redis-connection";
import { createStoreError } from "./store-failure";
import { STORE_SCRIPTS } from "./store-scripts";

interface RedisStoreOptions {
  connection: RedisConnection;
  /**
   * Writes that ask for `replicated` wait until `count` replicas have them, for at most `timeoutMs`. The commands of a
   * connection wait for each other, so these writes have a separate one. Absent: no write waits for replicas.
   */
  replicas?: { count: number; timeoutMs: number; connection: RedisConnection };
  prefix: string;
}

/** Creates the commands of a Redis or Valkey server, version 6.2 or newer. */
export function createRedisCommands({ connection, replicas, prefix }: RedisStoreOptions): StoreCommands {
  const runScript = (script: keyof typeof STORE_SCRIPTS, names: string[], args: string[] = []) =>
    connection.runCommand((client) => getScriptMethod(client, script)(names.length, ...names, ...args));
  /** Writes through a pipeline. It uses EVAL: after EVALSHA, a missing script would be loaded and run after the WAIT. */
  const writeReplicated = async (keys: string[], args: string[]) => {
    const { count, timeoutMs } = replicas!;
    const replies = await replicas!.connection.runCommand(async (client) => {
      const pipeline = client.pipeline().eval(STORE_SCRIPTS.writeMany, keys.length, ...keys, ...args);
      return readReplies(await pipeline.wait(count, timeoutMs).exec());
    });
    if (Number(replies[1]) < count) throw createStoreError("upstream_unavailable", "has too few replicas");
    return replies[0];
  };
  /** Runs a command for the items of each hash tag, because a command of a cluster may only have names of one tag. */
  const runByTag = async <T extends { key: string }>(items: T[], run: (group: T[]) => Promise<unknown>) => {
    const namedItems = items.map((item) => ({ ...item, key: toRedisName(prefix, item.key) }));
    const replies = new Map<T, unknown>();
    const runGroup = async (group: T[]) => {
      const groupReplies = (await run(group)) as unknown[];
      group.forEach((item, i) => void replies.set(item, groupReplies[i]));
    };
    await Promise.all((connection.isCluster ? groupByHashTag(namedItems) : [namedItems]).map(runGroup));
    return namedItems.map((item) => replies.get(item));
  };
  return {
    waitsForReplicas: replicas !== undefined,
    getMany: (keys) =>
      runByTag(
        keys.map((key) => ({ key })),
        (group) =>
          runScript(
            "getMany",
            group.map(({ key }) => key),
          ),
      ),
    runScript: (script, key, args) => runScript(script, [toRedisName(prefix, key)], args),
    writeMany: (writes, durability) =>
      runByTag(writes, (group) => {
        const { keys, args } = toWriteManyArgs(group);
        return durability && replicas ? writeReplicated(keys, args) : runScript("writeMany", keys, args);
      }),
    async close() {
      connection.close();
      replicas?.connection.close();
    },
  };
}

/** Returns the first `maxmemory-policy` other than `noeviction`; null if no server reports one. */
export async function findEvictingPolicy({ runCommand, listPrimaries }: RedisConnection): Promise<string | null> {
  const reports = await runCommand(() => Promise.all(listPrimaries().map((server) => server.info("memory"))));
  const policies = reports.map((report) => /^maxmemory_policy:(\S+)/m.exec(report)?.[1]);
  return policies.find((policy) => policy !== undefined && policy !== "noeviction") ?? null;
}

/** A part of a key that looks like a wallet address. */
const WALLET_PATTERN = /(?<=^|:)[1-9A-HJ-NP-Za-km-z]{32,44}(?=:|$)/;

/**
 * The first wallet address of a key becomes the hash tag, so a cluster keeps the keys of one wallet on one node.
 * Different keys have different names: an empty tag stands before a key that has a brace itself.
 */
function toRedisName(prefix: string, key: string): string {
  return prefix + (key.includes("{") ? `{}${key}` : key.replace(WALLET_PATTERN, "{$&}"));
}

function groupByHashTag<T extends { key: string }>(items: T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const tag = /\{([^}]+)\}/.exec(item.key)?.[1] ?? item.key;
    groups.set(tag, [...(groups.get(tag) ?? []), item]);
  }
  return [...groups.values()];
}

function getScriptMethod(client: Redis | Cluster, script: keyof typeof STORE_SCRIPTS) {
  type Script = (...args: (string | number)[]) => Promise<unknown>;
  return (client as unknown as Record<string, Script>)[script]!.bind(client);
}

function readReplies(results: [Error | null, unknown][] | null): unknown[] {
  return (results ?? []).map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
