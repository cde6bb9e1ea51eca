import { expect, test } from "vitest";
import { createSharedStore, type StoreCommands } from "../../../../lib/clients/store/kv-shared";

const openStore = (commands: Partial<StoreCommands>) => createSharedStore(commands as StoreCommands);

test("a failed command fails every read that it answers", async () => {
  const kv = openStore({ getMany: () => Promise.reject(new Error("the store fails")) });
  const outcomes = await Promise.allSettled([kv.get("a"), kv.getMany(["b"])]);
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
});

test("writes that wait for replicas share no command with other writes of the turn", async () => {
  const sentCommands: string[] = [];
  const kv = openStore({
    waitsForReplicas: true,
    async writeMany(writes, durability) {
      sentCommands.push([durability ?? "plain", ...writes.map(({ script, key }) => `${script} ${key}`)].join(", "));
      const [setReply, otherReply] = durability ? ["OK", 1] : [null, 0];
      return writes.map(({ script }) => (script === "set" ? setReply : otherReply));
    },
  });
  const plainWrites = [kv.setIfAbsent("a", 1), kv.replace("b", 1, 2)];
  const replicatedWrites = [kv.setIfAbsent("c", 1, 9, "replicated"), kv.addMember("d", "e", 1, "replicated")];
  expect(await Promise.all([...plainWrites, ...replicatedWrites])).toEqual([false, false, true, true]);
  expect(sentCommands).toEqual(["plain, set a, replace b", "replicated, set c, addMember d"]);
});
