import type { ChainableCommander, Cluster, Redis } from "ioredis";
import { type StoreCommands, toSetArgs, toWriteManyArgs } from "./kv-shared";
import type { RedisConnection } from "./redis-connection";
import { createStoreError } from "./store-failure";
import { STORE_SCRIPTS } from "./store-scripts";

interface RedisStoreOptions {
  connection: RedisConnection;
  /**
   * Writes that ask for `replicated` wait until `count` replicas have them, for at most `timeoutMs`. The commands of a
   * connection wait for each other, so these writes have a connection of their own. Without this member no write waits.
   */
  replicas?: { count: number; timeoutMs: number; connection: RedisConnection };
  /** Put before every key. */
  prefix: string;
}

/** Creates the commands of a Redis or Valkey server, version 6.2 or newer. */
export function createRedisCommands({ connection, replicas, prefix }: RedisStoreOptions): StoreCommands {
  const { runCommand } = connection;
  const toName = (key: string) => toRedisName(prefix, key);
  const runReplicated = async (addWrite: (pipeline: ChainableCommander) => void) => {
    const { count, timeoutMs } = replicas!;
    const replies = await replicas!.connection.runCommand(async (client) => {
      const pipeline = client.pipeline();
      addWrite(pipeline);
      return readReplies(await pipeline.wait(count, timeoutMs).exec());
    });
    if (Number(replies[1]) < count) throw createStoreError("upstream_unavailable", "has too few replicas");
    return replies[0];
  };
  return {
    waitsForReplicas: replicas !== undefined,
    // GETEX counts as a write, so a server that has become a replica refuses it and never returns a stale value.
    get: (key) => runCommand((client) => client.getex(toName(key))),
    async getMany(keys) {
      const names = keys.map(toName);
      const valuesByName = new Map<string, unknown>();
      const readGroup = async (group: string[]) => {
        const values = await runCommand((client) => getScriptMethod(client, "getMany")(group.length, ...group));
        group.forEach((name, index) => void valuesByName.set(name, (values as unknown[])[index]));
      };
      await Promise.all((connection.isCluster ? groupByHashTag(names, (name) => name) : [names]).map(readGroup));
      return names.map((name) => valuesByName.get(name));
    },
    set(key, text, options) {
      const args = [toName(key), ...toSetArgs(text, options)];
      if (options.durability && replicas) return runReplicated((pipeline) => void pipeline.call("set", ...args));
      return runCommand((client) => client.call("set", ...args));
    },
    delete: (key) => runCommand((client) => client.del(toName(key))),
    runScript(script, key, args, durability) {
      // EVAL rather than EVALSHA: a missing script would be loaded and run again after the WAIT command.
      if (durability && replicas)
        return runReplicated((pipeline) => void pipeline.eval(STORE_SCRIPTS[script], 1, toName(key), ...args));
      return runCommand((client) => getScriptMethod(client, script)(toName(key), ...args));
    },
    async writeMany(writes, durability) {
      const prefixedWrites = writes.map((write) => ({ ...write, key: toName(write.key) }));
      const replies = new Map<object, unknown>();
      const writeGroup = async (group: typeof prefixedWrites) => {
        const { keys, args } = toWriteManyArgs(group);
        const groupReplies =
          durability && replicas
            ? await runReplicated(
                (pipeline) => void pipeline.eval(STORE_SCRIPTS.writeMany, keys.length, ...keys, ...args),
              )
            : await runCommand((client) => getScriptMethod(client, "writeMany")(keys.length, ...keys, ...args));
        group.forEach((write, index) => void replies.set(write, (groupReplies as unknown[])[index]));
      };
      const groups = connection.isCluster ? groupByHashTag(prefixedWrites, ({ key }) => key) : [prefixedWrites];
      await Promise.all(groups.map(writeGroup));
      return prefixedWrites.map((write) => replies.get(write));
    },
    async close() {
      connection.close();
      replicas?.connection.close();
    },
  };
}

/**
 * Returns the `maxmemory-policy` of the first server whose policy is not `noeviction`, or null if there is none. A
 * server that does not report its policy is skipped.
 */
export async function findEvictingPolicy({ runCommand, listPrimaries }: RedisConnection): Promise<string | null> {
  const reports = await runCommand(() => Promise.all(listPrimaries().map((server) => server.info("memory"))));
  const policies = reports.map((report) => /^maxmemory_policy:(\S+)/m.exec(report)?.[1]);
  return policies.find((policy) => policy !== undefined && policy !== "noeviction") ?? null;
}

/** A part of a key that looks like a wallet address. */
const WALLET_PATTERN = /(?<=^|:)[1-9A-HJ-NP-Za-km-z]{32,44}(?=:|$)/;

/**
 * Returns the name of a key in Redis. Its first wallet address becomes the hash tag, so a cluster keeps the keys of one
 * wallet on one node. Different keys have different names: an empty tag stands before a key that has a brace itself.
 */
function toRedisName(prefix: string, key: string): string {
  return prefix + (key.includes("{") ? `{}${key}` : key.replace(WALLET_PATTERN, "{$&}"));
}

/** Groups items by the hash tags of their names: one command of a cluster may only contain names of one tag. */
function groupByHashTag<T>(items: T[], getName: (item: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const name = getName(item);
    const tag = /\{([^}]+)\}/.exec(name)?.[1] ?? name;
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
