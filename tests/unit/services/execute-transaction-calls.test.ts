import { expect, test } from "vitest";
import { listCalls } from "../../support/fakes/fake-deps";
import { stageSpending } from "../../support/worlds/spending-world";

test("posting a saving with a mark makes five node calls and ten store commands", async () => {
  const world = await stageSpending();
  const saveChange = async (usd: number) => {
    world.pay(usd);
    await world.deps.clock.advance(60_000);
    const { batches } = await world.readSpending();
    const bytes = await world.buildSaving(batches[0]!);
    world.deps.calls.length = 0;
    expect(await world.postAndFindError(bytes!)).toBeNull();
    return listCalls(world.deps);
  };
  // The first saving also makes the record of the service wallet permanent.
  await saveChange(27.63);
  const calls = await saveChange(4.2);
  // Each line is one command of a shared store. The rate limit and the lease of the sending instance add one each.
  expect(calls.filter((name) => name.startsWith("kv."))).toEqual([
    // What the store knows of the message, and which payees are service wallets.
    ...["kv.getMany", "kv.getMany"],
    // One command, because they start together: the decision, the payees, the claim and the search's progress.
    ...["kv.get", "kv.getMany", "kv.getMany", "kv.get", "kv.get"],
    // The pending entry and the claim.
    ...["kv.addMember", "kv.replace"],
    // The decision to send.
    "kv.setIfAbsent",
    // The claim says that its message was sent.
    "kv.replace",
    // The page of the feed.
    "kv.getMany",
    // The record, the event, and the claim's end.
    ...["kv.setIfAbsent", "kv.replace", "kv.replace"],
    // The feed's head, and the end of the pending entry.
    ...["kv.replace", "kv.removeMember"],
  ]);
  // `invalidate` only drops cached reads, and the transaction of the newest payment is cached since the build.
  const CACHED_CALLS = ["rpc.invalidate", "rpc.readTransaction"];
  expect(calls.filter((name) => name.startsWith("rpc.") && !CACHED_CALLS.includes(name))).toEqual([
    ...["rpc.readRentExemptMinimum", "rpc.simulate", "rpc.readSignatures", "rpc.send", "rpc.readSignatureStates"],
  ]);
});
