import { expect, test } from "vitest";
import { createSharedStore, type StoreCommands } from "../../../../lib/clients/store/kv-shared";

function stage(fail = false) {
  const sentCommands: string[][] = [];
  const readTexts = async (keys: string[]) => {
    sentCommands.push(keys);
    if (fail) throw new Error("the store fails");
    return keys.map((key) => (key === "none" ? null : JSON.stringify(`value of ${key}`)));
  };
  const commands = { get: async (key) => (await readTexts([key]))[0], getMany: readTexts } as Partial<StoreCommands>;
  return { sentCommands, kv: createSharedStore(commands as StoreCommands) };
}

test("reads that begin in one turn of the event loop share one command", async () => {
  const { sentCommands, kv } = stage();
  const answers = await Promise.all([kv.get("a"), kv.getMany(["b", "a", "none"]), kv.get("a")]);
  expect(answers).toEqual(["value of a", ["value of b", "value of a", null], "value of a"]);
  expect(sentCommands).toEqual([["a", "b", "none"]]);
  expect(await kv.get("b")).toBe("value of b");
  expect(sentCommands[1]).toEqual(["b"]);
});

test("a failed command fails every read that it answers", async () => {
  const { kv } = stage(true);
  const outcomes = await Promise.allSettled([kv.get("a"), kv.getMany(["b"])]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

/** Stages a store that answers the first write of a joined command with "OK" if it waits for replicas, else with null. */
function stageWrites(waitsForReplicas: boolean) {
  const sentCommands: unknown[] = [];
  const commands: Partial<StoreCommands> = {
    waitsForReplicas,
    async set(key) {
      sentCommands.push(key);
      return "OK";
    },
    async writeMany(writes, durability) {
      sentCommands.push([durability, ...writes.map(({ script, key }) => `${script} ${key}`)]);
      return writes.map(({ script }) =>
        script === "set" ? (durability ? "OK" : null) : Number(durability !== undefined),
      );
    },
  };
  return { sentCommands, kv: createSharedStore(commands as StoreCommands) };
}

const writeFour = ({ kv }: ReturnType<typeof stageWrites>) =>
  Promise.all([
    ...[kv.setIfAbsent("a", 1), kv.replace("b", 1, 2)],
    ...[kv.setIfAbsent("c", 1, 9, "replicated"), kv.addMember("d", "e", 1, "replicated")],
  ]);

test("writes that wait for replicas share no command with other writes of the turn", async () => {
  const staged = stageWrites(true);
  expect(await writeFour(staged)).toEqual([false, false, true, true]);
  await staged.kv.set("f", 1);
  const [plainStore, replicatedStore] = [
    ["set a", "replace b"],
    ["set c", "addMember d"],
  ];
  expect(staged.sentCommands).toEqual([[undefined, ...plainStore], ["replicated", ...replicatedStore], "f"]);
});

test("all writes of one turn share a command when no write waits for replicas", async () => {
  const staged = stageWrites(false);
  await writeFour(staged);
  expect(staged.sentCommands).toEqual([[undefined, "set a", "replace b", "set c", "addMember d"]]);
});
