import { expect, test } from "vitest";
import { createSharedStore, type StoreCommands } from "../../../../lib/clients/store/kv-shared";

/** Opens a store whose commands answer reads, or fail them. `sentKeys` lists the keys of each command. */
function openReadStore({ isFailing = false } = {}) {
  const sentKeys: string[][] = [];
  const readTexts = async (keys: string[]) => {
    sentKeys.push(keys);
    if (isFailing) throw new Error("the store fails");
    return keys.map((key) => (key === "none" ? null : JSON.stringify(`value of ${key}`)));
  };
  const commands = { get: async (key) => (await readTexts([key]))[0], getMany: readTexts } as Partial<StoreCommands>;
  return { sentKeys, kv: createSharedStore(commands as StoreCommands) };
}

test("a failed command fails every read that it answers", async () => {
  const { kv } = openReadStore({ isFailing: true });
  const outcomes = await Promise.allSettled([kv.get("a"), kv.getMany(["b"])]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

/** Opens a store whose writes succeed only if they wait for replicas, and makes four writes in one turn. */
async function writeInOneTurn({ waitsForReplicas }: { waitsForReplicas: boolean }) {
  const sentCommands: string[] = [];
  const commands: Partial<StoreCommands> = {
    waitsForReplicas,
    async set(key) {
      sentCommands.push(`set ${key}`);
      return "OK";
    },
    async writeMany(writes, durability) {
      sentCommands.push([durability ?? "plain", ...writes.map(({ script, key }) => `${script} ${key}`)].join(", "));
      const [setReply, otherReply] = durability ? ["OK", 1] : [null, 0];
      return writes.map(({ script }) => (script === "set" ? setReply : otherReply));
    },
  };
  const kv = createSharedStore(commands as StoreCommands);
  const plainWrites = [kv.setIfAbsent("a", 1), kv.replace("b", 1, 2)];
  const replicatedWrites = [kv.setIfAbsent("c", 1, 9, "replicated"), kv.addMember("d", "e", 1, "replicated")];
  const answers = await Promise.all([...plainWrites, ...replicatedWrites]);
  await kv.set("f", 1);
  return { answers, sentCommands };
}

test("writes that wait for replicas share no command with other writes of the turn", async () => {
  const { answers, sentCommands } = await writeInOneTurn({ waitsForReplicas: true });
  expect(answers).toEqual([false, false, true, true]);
  expect(sentCommands).toEqual(["plain, set a, replace b", "replicated, set c, addMember d", "set f"]);
});
