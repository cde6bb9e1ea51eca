import { z } from "zod";
import type { Json } from "../../ports/json";
import type { Durability, KvStore } from "../../ports/kv-store";
import { createJoiner } from "../process/joiner";
import { checkKey, checkTtl, encodeJson, toMemberKey } from "./kv-rules";
import { createStoreError } from "./store-failure";
import type { WriteScript } from "./store-scripts";

/**
 * The commands of a shared store. They return the store's reply unchecked, and reject with an AppError. Writes are
 * never repeated: after upstream_timeout or upstream_unavailable a write may or may not have happened.
 */
export interface StoreCommands {
  waitsForReplicas: boolean;
  getMany(keys: string[]): Promise<unknown>;
  /** Runs a script of lib/clients/store/store-scripts.ts. */
  runScript(
    script: "takeCall" | "reserveCalls" | "readMember" | "listMembers",
    key: string,
    args: string[],
  ): Promise<unknown>;
  /** Runs writes and returns their replies, in order. Each write is atomic; all of them together are not. */
  writeMany(writes: StoreWrite[], durability: Durability | undefined): Promise<unknown>;
  close(): Promise<void>;
}

export interface StoreWrite {
  script: WriteScript;
  key: string;
  args: string[];
}

export function toWriteManyArgs(writes: StoreWrite[]) {
  const args = writes.flatMap(({ script, args }) => [script, String(args.length), ...args]);
  return { keys: writes.map(({ key }) => key), args };
}

const StoredText = z.string().nullable();
const Integer = z.number().int();

/** Creates a KvStore from a shared store's commands. Values are stored as JSON text, and counters as digits. */
export function createSharedStore(commands: StoreCommands): KvStore {
  const readTexts = createReadJoiner(commands);
  const write = createWriteJoiner(commands);
  const writeText = (key: string, value: Json, flags: string[], ttlMs?: number, durability?: Durability) => {
    checkKey(key);
    checkTtl(ttlMs);
    const ttlArgs = ttlMs === undefined ? [] : ["PX", String(ttlMs)];
    return write({ script: "set", key, args: [encodeJson(value), ...flags, ...ttlArgs] }, durability);
  };
  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const [text] = await readTexts([key]);
      return parseText<T>(text!);
    },
    async getMany<T extends Json>(keys: string[]) {
      for (const key of keys) checkKey(key);
      if (keys.length === 0) return [];
      return (await readTexts(keys)).map((text) => parseText<T>(text));
    },
    async set(key, value, ttlMs, durability) {
      checkReply(z.literal("OK"), await writeText(key, value, [], ttlMs, durability));
    },
    async setIfAbsent(key, value, ttlMs, durability) {
      const reply = await writeText(key, value, ["NX"], ttlMs, durability);
      return checkReply(z.literal("OK").nullable(), reply) === "OK";
    },
    async replace(key, expected, value, ttlMs, durability) {
      checkKey(key);
      checkTtl(ttlMs);
      const args = [encodeJson(expected), encodeJson(value), ...(ttlMs === undefined ? [] : [String(ttlMs)])];
      return checkReply(Integer, await write({ script: "replace", key, args }, durability)) === 1;
    },
    async delete(key) {
      checkKey(key);
      return checkReply(Integer, await write({ script: "remove", key, args: [] })) > 0;
    },
    // `toMemberKey` only checks the names of a set and its member, as the embedded store does.
    async addMember(setName, member, value, durability) {
      toMemberKey(setName, member);
      const args = [member, encodeJson(value)];
      return checkReply(Integer, await write({ script: "addMember", key: setName, args }, durability)) === 1;
    },
    async readMember(setName, member) {
      toMemberKey(setName, member);
      return parseText(checkReply(StoredText, await commands.runScript("readMember", setName, [member])));
    },
    async listMembers<T extends Json>(setName: string) {
      toMemberKey(setName);
      const namesAndValues = checkReply(z.array(z.string()), await commands.runScript("listMembers", setName, []));
      const members = new Map<string, T>();
      for (let i = 0; i + 1 < namesAndValues.length; i += 2)
        members.set(namesAndValues[i]!, parseText<T>(namesAndValues[i + 1]!)!);
      return members;
    },
    async removeMember(setName, member) {
      toMemberKey(setName, member);
      return checkReply(Integer, await write({ script: "removeMember", key: setName, args: [member] })) > 0;
    },
    async ping() {
      checkReply(z.literal("OK"), await writeText("probe", true, []));
    },
    close: () => commands.close(),
  };
}

/** Maximum number of keys of a read that several calls share. */
const MAX_JOINED_KEYS = 500;
/** The number of writes that share a command, to stay below the 1 MB that some stores accept. */
const MAX_JOINED_WRITES = 50;

/**
 * Returns a function that reads keys. Reads that begin in one turn of the event loop share one command, because a store
 * is paid and sized by its commands.
 */
function createReadJoiner({ getMany }: Pick<StoreCommands, "getMany">) {
  const runReads = async (reads: string[][]) => {
    const keys = [...new Set(reads.flat())];
    const texts = checkReply(z.array(StoredText).length(keys.length), await getMany(keys));
    const textByKey = new Map(keys.map((key, i) => [key, texts[i]!]));
    return reads.map((read) => read.map((key) => textByKey.get(key)!));
  };
  const getSize = (keys: string[]) => keys.length;
  return createJoiner({ run: runReads, schedule: setImmediate, maxSize: MAX_JOINED_KEYS, getSize });
}

/**
 * Returns a function that writes. Writes that begin in one turn of the event loop share one command, and fail together:
 * a write that a node of a cluster has executed may be reported as failed. Writes that wait for replicas share no
 * command with others, which would fail when too few replicas are up.
 */
function createWriteJoiner({ writeMany, waitsForReplicas }: Pick<StoreCommands, "writeMany" | "waitsForReplicas">) {
  const createWriter = (durability: Durability | undefined) =>
    createJoiner({
      run: async (writes: StoreWrite[]) =>
        checkReply(z.array(z.unknown()).length(writes.length), await writeMany(writes, durability)),
      schedule: setImmediate,
      maxSize: MAX_JOINED_WRITES,
      getSize: () => 1,
    });
  const [writePlain, writeReplicated] = [createWriter(undefined), createWriter("replicated")];
  return (write: StoreWrite, durability?: Durability) =>
    durability && waitsForReplicas ? writeReplicated(write) : writePlain(write);
}

/** Returns the reply. @throws AppError upstream_invalid when it is not of the expected shape */
export function checkReply<T>(shape: z.ZodType<T>, reply: unknown): T {
  const parsed = shape.safeParse(reply);
  if (!parsed.success) throw createShapeError();
  return parsed.data;
}

const createShapeError = () => createStoreError("upstream_invalid", "returned an unexpected answer");

function parseText<T extends Json>(text: string | null): T | null {
  if (text === null) return null;
  try {
    return JSON.parse(text) as T;
  } catch {
    throw createShapeError();
  }
}
