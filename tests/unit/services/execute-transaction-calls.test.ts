import { expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { getSpending } from "../../../lib/services/get-spending";
import { putTokens } from "../../support/chain/sandbox-rig";
import { listCalls } from "../../support/fakes/fake-deps";
import { countCalls } from "../../support/worlds/pull-world";
import { user } from "../../support/worlds/relay-rig";
import { stageSpending } from "../../support/worlds/spending-world";
import { savings, stageUsdc, toPayTerms, WAYS, type Way } from "../../support/worlds/usdc-world";

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

test("a saving in USDC, by allowance too, makes the node calls of one in SOL", async () => {
  const world = await stageUsdc();
  putTokens(world.chain, savings.address, ASSETS.USDC.mint, 0n);
  await world.approve(user, savings.address);
  const saveChange = async (way: Way | null) => {
    await world.pay(4.63);
    const { batches } = await getSpending(world.deps, { address: user.address });
    const input = { ...batches[0]!, plan: "forest", ...world.wallets, ...(way && toPayTerms(way)) } as const;
    return countCalls(world.deps, async () => {
      const build = await buildWrapBatch(world.deps, input);
      expect(await world.post(world.signBuilt(build, way ?? "signature"))).toMatchObject({ confirmed: true });
    });
  };
  // The first saving of each kind also measures what it costs.
  for (const way of [null, ...WAYS]) await saveChange(way);
  const { readRentExemptMinimum: _, ...callsInSol } = await saveChange(null);
  for (const way of WAYS) {
    // The rent of both kinds of accounts is cached for minutes.
    const { readRentExemptMinimum: _cached, ...calls } = await saveChange(way);
    expect(calls).toEqual(callsInSol);
  }
});
