import { z } from "zod";
import type { Json } from "../../ports/json";
import type { Durability, KvStore } from "../../ports/kv-store";
import { checkKey, checkStep, checkTtl, encodeJson, memberKey } from "./kv-rules";
import { storeFailure } from "./store-failure";
import type { StoreScript } from "./store-scripts";

export interface SetOptions {
  ifAbsent?: boolean;
  /** Time to live, ms. */
  ttlMs: number | undefined;
  durability: Durability | undefined;
}

/**
 * The commands of a shared store. They return the store's reply unchecked, and reject with an AppError. Writes are
 * never repeated: after upstream_timeout or upstream_unavailable a write may or may not have happened.
 */
export interface StoreCommands {
  get(key: string): Promise<unknown>;
  getMany(keys: string[]): Promise<unknown>;
  set(key: string, text: string, options: SetOptions): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Runs a script of lib/clients/store/store-scripts.ts. */
  run(script: StoreScript, key: string, args: string[], durability?: Durability): Promise<unknown>;
  close(): Promise<void>;
}

const Text = z.string().nullable();
const Integer = z.number().int();

/** Makes a KvStore of a shared store's commands. Values are stored as JSON text, and counters as digits. */
export function createSharedStore(commands: StoreCommands): KvStore {
  const readAll = joinReads(commands);
  const set = (key: string, value: Json, options: SetOptions) => {
    checkKey(key);
    checkTtl(options.ttlMs);
    return commands.set(key, encodeJson(value), options);
  };
  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const [text] = await readAll([key]);
      return decode<T>(text!);
    },
    async getMany<T extends Json>(keys: string[]) {
      for (const key of keys) checkKey(key);
      if (keys.length === 0) return [];
      return (await readAll(keys)).map((text) => decode<T>(text));
    },
    async set(key, value, ttlMs, durability) {
      checkReply(z.literal("OK"), await set(key, value, { ttlMs, durability }));
    },
    async setIfAbsent(key, value, ttlMs, durability) {
      const reply = await set(key, value, { ifAbsent: true, ttlMs, durability });
      return checkReply(z.literal("OK").nullable(), reply) === "OK";
    },
    async replace(key, expected, value, ttlMs, durability) {
      checkKey(key);
      checkTtl(ttlMs);
      const args = [encodeJson(expected), encodeJson(value), ...(ttlMs === undefined ? [] : [String(ttlMs)])];
      return checkReply(Integer, await commands.run("replace", key, args, durability)) === 1;
    },
    async delete(key) {
      checkKey(key);
      return checkReply(Integer, await commands.delete(key)) > 0;
    },
    async increment(key, by, ttlMs) {
      checkKey(key);
      checkStep(by);
      checkTtl(ttlMs);
      const args = ttlMs === undefined ? [String(by)] : [String(by), String(ttlMs)];
      return checkReply(Integer, await commands.run("increment", key, args));
    },
    ...setsOf(commands),
    async ping() {
      checkReply(z.literal("OK"), await commands.set("probe", "true", { ttlMs: undefined, durability: undefined }));
    },
    close: () => commands.close(),
  };
}

interface WaitingRead {
  keys: string[];
  resolve(texts: (string | null)[]): void;
  reject(error: unknown): void;
}

/** Above this number of keys, no further reads join a command. */
const MAX_JOINED = 500;

/**
 * Returns a function that reads keys. Reads that begin in one turn of the event loop share one command, because a store
 * is paid and sized by its commands.
 */
function joinReads({ get, getMany }: Pick<StoreCommands, "get" | "getMany">) {
  let waiting: WaitingRead[] = [];

  const readTexts = async (keys: string[]): Promise<(string | null)[]> => {
    const [first, ...more] = keys;
    if (more.length === 0) return [checkReply(Text, await get(first!))];
    return checkReply(z.array(Text).length(keys.length), await getMany(keys));
  };
  const flush = async () => {
    const joined = waiting;
    waiting = [];
    if (joined.length === 0) return;
    const keys = [...new Set(joined.flatMap((read) => read.keys))];
    try {
      const texts = await readTexts(keys);
      const byKey = new Map(keys.map((key, i) => [key, texts[i]!]));
      for (const read of joined) read.resolve(read.keys.map((key) => byKey.get(key)!));
    } catch (error) {
      for (const read of joined) read.reject(error);
    }
  };

  return (keys: string[]) =>
    new Promise<(string | null)[]>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ keys, resolve, reject });
      if (waiting.reduce((sum, read) => sum + read.keys.length, 0) >= MAX_JOINED) void flush();
    });
}

function setsOf(commands: StoreCommands): Pick<KvStore, "addMember" | "member" | "members" | "removeMember"> {
  return {
    async addMember(set, name, value, durability) {
      memberKey(set, name);
      return checkReply(Integer, await commands.run("addMember", set, [name, encodeJson(value)], durability)) === 1;
    },
    async member(set, name) {
      memberKey(set, name);
      return decode(checkReply(Text, await commands.run("member", set, [name])));
    },
    async members<T extends Json>(set: string) {
      memberKey(set);
      const parts = checkReply(z.array(z.string()), await commands.run("members", set, []));
      const found = new Map<string, T>();
      for (let i = 0; i + 1 < parts.length; i += 2) found.set(parts[i]!, decode<T>(parts[i + 1]!)!);
      return found;
    },
    async removeMember(set, name) {
      memberKey(set, name);
      return checkReply(Integer, await commands.run("removeMember", set, [name])) > 0;
    },
  };
}

/** Returns the reply. @throws AppError upstream_invalid when it is not of the expected shape */
export function checkReply<T>(shape: z.ZodType<T>, reply: unknown): T {
  const checked = shape.safeParse(reply);
  if (!checked.success) throw createShapeError();
  return checked.data;
}

const createShapeError = () => storeFailure("upstream_invalid", "returned an unexpected answer");

function decode<T extends Json>(text: string | null): T | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw createShapeError();
  }
}
