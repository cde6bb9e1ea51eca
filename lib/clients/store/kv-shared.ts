import { z } from "zod";
import type { Json } from "../../ports/json";
import type { Durability, KvStore } from "../../ports/kv-store";
import { checkKey, checkTtl, encodeJson, toMemberKey } from "./kv-rules";
import { createStoreError } from "./store-failure";
import type { JoinedScript, StoreScript } from "./store-scripts";

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
  /** Whether writes that ask for `replicated` wait for replicas. */
  waitsForReplicas: boolean;
  get(key: string): Promise<unknown>;
  getMany(keys: string[]): Promise<unknown>;
  set(key: string, text: string, options: SetOptions): Promise<unknown>;
  delete(key: string): Promise<unknown>;
  /** Runs a script of lib/clients/store/store-scripts.ts. */
  runScript(script: StoreScript, key: string, args: string[], durability?: Durability): Promise<unknown>;
  /** Runs several writes and returns their replies, in order. Each write is atomic; all of them together are not. */
  writeMany(writes: StoreWrite[], durability: Durability | undefined): Promise<unknown>;
  close(): Promise<void>;
}

/** A write that may share a command with others. */
export interface StoreWrite {
  script: JoinedScript;
  key: string;
  args: string[];
}

/** Returns the arguments that follow the key of a SET. */
export function toSetArgs(text: string, { ifAbsent, ttlMs }: SetOptions): string[] {
  return [text, ...(ifAbsent ? ["NX"] : []), ...(ttlMs === undefined ? [] : ["PX", String(ttlMs)])];
}

export function toWriteManyArgs(writes: StoreWrite[]) {
  const args = writes.flatMap(({ script, args }) => [script, String(args.length), ...args]);
  return { keys: writes.map(({ key }) => key), args };
}

const StoredText = z.string().nullable();
const Integer = z.number().int();

/** Creates a KvStore from a shared store's commands. Values are stored as JSON text, and counters as digits. */
export function createSharedStore(commands: StoreCommands): KvStore {
  const readJoined = createReadJoiner(commands);
  const write = createWriteJoiner(commands);
  const writeText = (key: string, value: Json, options: SetOptions) => {
    checkKey(key);
    checkTtl(options.ttlMs);
    const text = encodeJson(value);
    const runAlone = () => commands.set(key, text, options);
    return write({ script: "set", key, args: toSetArgs(text, options), runAlone }, options.durability);
  };
  const runWriteScript: RunWriteScript = (script, key, args, durability) =>
    write({ script, key, args, runAlone: () => commands.runScript(script, key, args, durability) }, durability);
  return {
    async get<T extends Json>(key: string) {
      checkKey(key);
      const [text] = await readJoined([key]);
      return parseText<T>(text!);
    },
    async getMany<T extends Json>(keys: string[]) {
      for (const key of keys) checkKey(key);
      if (keys.length === 0) return [];
      return (await readJoined(keys)).map((text) => parseText<T>(text));
    },
    async set(key, value, ttlMs, durability) {
      checkReply(z.literal("OK"), await writeText(key, value, { ttlMs, durability }));
    },
    async setIfAbsent(key, value, ttlMs, durability) {
      const reply = await writeText(key, value, { ifAbsent: true, ttlMs, durability });
      return checkReply(z.literal("OK").nullable(), reply) === "OK";
    },
    async replace(key, expected, value, ttlMs, durability) {
      checkKey(key);
      checkTtl(ttlMs);
      const args = [encodeJson(expected), encodeJson(value), ...(ttlMs === undefined ? [] : [String(ttlMs)])];
      return checkReply(Integer, await runWriteScript("replace", key, args, durability)) === 1;
    },
    async delete(key) {
      checkKey(key);
      const runAlone = () => commands.delete(key);
      return checkReply(Integer, await write({ script: "remove", key, args: [], runAlone }, undefined)) > 0;
    },
    ...createSetMethods(commands, runWriteScript),
    async ping() {
      checkReply(z.literal("OK"), await commands.set("probe", "true", { ttlMs: undefined, durability: undefined }));
    },
    close: () => commands.close(),
  };
}

/** When waiting reads have this many keys, their joined command is sent at once. */
const MAX_JOINED_KEYS = 500;
/** When this many writes wait, their joined command is sent at once, to stay below the 1 MB that some stores accept. */
const MAX_JOINED_WRITES = 50;

/** Returns a function that reads keys. Reads that begin in one turn of the event loop share one command. */
function createReadJoiner({ get, getMany }: Pick<StoreCommands, "get" | "getMany">) {
  const readTexts = async (keys: string[]): Promise<(string | null)[]> => {
    const [firstKey, ...otherKeys] = keys;
    if (otherKeys.length === 0) return [checkReply(StoredText, await get(firstKey!))];
    return checkReply(z.array(StoredText).length(keys.length), await getMany(keys));
  };
  const runReads = async (reads: string[][]) => {
    const keys = [...new Set(reads.flat())];
    const texts = await readTexts(keys);
    const textByKey = new Map(keys.map((key, i) => [key, texts[i]!]));
    return reads.map((read) => read.map((key) => textByKey.get(key)!));
  };
  return createTurnJoiner(MAX_JOINED_KEYS, runReads, (keys) => keys.length);
}

/** A write, and the command that runs it when no other write joins it. */
type Write = StoreWrite & { runAlone: () => Promise<unknown> };

/**
 * Returns a function that writes. Writes that begin in one turn of the event loop share one command, as reads do, and
 * fail together: a write that a node of a cluster has executed may be reported as failed.
 * Writes that wait for replicas share no command with others, which would fail when too few replicas are up.
 */
function createWriteJoiner({ writeMany, waitsForReplicas }: Pick<StoreCommands, "writeMany" | "waitsForReplicas">) {
  const createJoiner = (durability: Durability | undefined) =>
    createTurnJoiner(MAX_JOINED_WRITES, async (writes: Write[]): Promise<unknown[]> => {
      if (writes.length === 1) return [await writes[0]!.runAlone()];
      return checkReply(z.array(z.unknown()).length(writes.length), await writeMany(writes, durability));
    });
  const [writePlain, writeReplicated] = [createJoiner(undefined), createJoiner("replicated")];
  return (write: Write, durability: Durability | undefined) =>
    durability && waitsForReplicas ? writeReplicated(write) : writePlain(write);
}

/**
 * Returns a function that passes an item to `runJoined` and returns the item's reply. Items of one turn of the event
 * loop are passed together, because a store is paid and sized by its commands.
 * @param maxSize the total size of waiting items that are passed without waiting for the turn to end
 * @param runJoined returns a reply for each item, in order
 */
function createTurnJoiner<Item, Reply>(
  maxSize: number,
  runJoined: (items: Item[]) => Promise<Reply[]>,
  getSize: (item: Item) => number = () => 1,
) {
  let waitingItems: { item: Item; resolve(reply: Reply): void; reject(error: unknown): void }[] = [];

  const flush = async () => {
    const joinedItems = waitingItems;
    waitingItems = [];
    if (joinedItems.length === 0) return;
    try {
      const replies = await runJoined(joinedItems.map(({ item }) => item));
      joinedItems.forEach(({ resolve }, i) => void resolve(replies[i]!));
    } catch (error) {
      for (const { reject } of joinedItems) reject(error);
    }
  };

  return (item: Item) =>
    new Promise<Reply>((resolve, reject) => {
      if (waitingItems.length === 0) setImmediate(flush);
      waitingItems.push({ item, resolve, reject });
      if (waitingItems.reduce((sum, { item }) => sum + getSize(item), 0) >= maxSize) void flush();
    });
}

type RunWriteScript = (
  script: Exclude<JoinedScript, "set" | "remove">,
  key: string,
  args: string[],
  durability?: Durability,
) => Promise<unknown>;

/** Creates the methods of a KvStore's sets. `toMemberKey` only checks the names here, as the embedded store does. */
function createSetMethods(
  commands: StoreCommands,
  runWriteScript: RunWriteScript,
): Pick<KvStore, "addMember" | "readMember" | "listMembers" | "removeMember"> {
  return {
    async addMember(setName, member, value, durability) {
      toMemberKey(setName, member);
      const reply = await runWriteScript("addMember", setName, [member, encodeJson(value)], durability);
      return checkReply(Integer, reply) === 1;
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
      return checkReply(Integer, await runWriteScript("removeMember", setName, [member])) > 0;
    },
  };
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
