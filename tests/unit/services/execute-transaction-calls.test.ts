import { describe, expect, test } from "vitest";
import { ASSETS } from "../../../lib/domain/assets";
import { AppError } from "../../../lib/errors";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { getSpending } from "../../../lib/services/get-spending";
import { putTokens } from "../../support/chain/sandbox-rig";
import { createFakeDeps, createOutage, listCalls } from "../../support/fakes/fake-deps";
import { createFloodWorld, MERCHANT, toAddressUser } from "../../support/worlds/flood-world";
import { toContext } from "../../support/worlds/keys-rig";
import { user } from "../../support/worlds/relay-rig";
import { stageSpending } from "../../support/worlds/spending-world";
import { countCalls, savings, stageUsdc, toPayTerms, WAYS, type Way } from "../../support/worlds/usdc-world";

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

const SENDS_PER_SECOND = 2;
/** How much longer a merchant's order may take beside a flood, ms. */
const MAX_DELAY_MS = (2 / SENDS_PER_SECOND) * 1_000;

test.each([1, 4, 50, 200])(
  "beside 220 transactions of %i addresses, each of a merchant's orders takes at most the time of two sends longer",
  async (addressCount) => {
    const world = await createFloodWorld(SENDS_PER_SECOND);
    const timeAlone = await world.measureOrder();
    world.flood(220, addressCount);
    const times = [await world.measureOrder()];
    await world.clock.advance(10_000);
    // The pause lets each order begin at another time between two sends.
    for (let order = 0; order < 6; order++, await world.clock.advance(137)) times.push(await world.measureOrder());
    expect(Math.max(...times)).toBeLessThanOrEqual(timeAlone + MAX_DELAY_MS);
  },
  60_000,
);

test("a transaction is checked only when the caller's turn of the CPU has come", async () => {
  const deps = createFakeDeps();
  deps.places.takeTurn = () => Promise.reject(createOutage());
  deps.verifier.verify = () => expect.unreachable("it was checked");
  const context = toContext({ kind: "wallet", wallet: "" });
  await expect(executeTransaction(deps, { signedTransaction: "" }, context)).rejects.toMatchObject(createOutage());
});

describe("transactions without an outcome", () => {
  type World = Awaited<ReturnType<typeof createFloodWorld>>;

  /** Posts transactions at the same time, and waits 2 s. Returns the refusals so far. */
  async function postMany(
    { clock, post }: Pick<World, "clock" | "post">,
    caller: typeof MERCHANT,
    transactions: Uint8Array[],
  ): Promise<AppError[]> {
    const refusals: AppError[] = [];
    for (const transaction of transactions)
      void post(caller, transaction).catch((error) => {
        if (error instanceof AppError) refusals.push(error);
      });
    await clock.advance(2_000);
    return refusals;
  }
  const signMany = ({ signPayment, customer }: World, count: number) =>
    Array.from({ length: count }, () => signPayment(customer));

  test("are 20 of an address: the next one gets 429 with Retry-After, and posted bytes are always taken", async () => {
    // One send in ten seconds: the first transaction lands at once, and the others stay unfinished.
    const world = await createFloodWorld(0.1);
    const caller = toAddressUser("192.0.2.1");
    const transactions = signMany(world, 60);
    const refusals = await postMany(world, caller, transactions);
    expect(refusals).toHaveLength(40);
    expect(refusals[0]).toMatchObject({ code: "rate_limited", status: 429, details: { retryAfterSeconds: 5 } });
    expect(await postMany(world, caller, transactions)).toHaveLength(39);
    expect(await postMany(world, toAddressUser("192.0.2.2"), transactions.slice(30, 40))).toEqual([]);
    // Every caller may post them, because the service knows them now. So does an instance that did not receive them.
    expect(await postMany(world, caller, transactions.slice(30, 40))).toEqual([]);
    const instance = { ...world, post: world.openInstance() };
    expect(await postMany(instance, caller, transactions.slice(40))).toEqual([]);
    expect(await postMany(instance, caller, signMany(world, 2))).toHaveLength(1);
    expect(await postMany(instance, caller, transactions.slice(30, 40))).toEqual([]);
  }, 60_000);

  test("are more of a static key, by its limit", async () => {
    const world = await createFloodWorld(0.1);
    expect(await postMany(world, MERCHANT, signMany(world, 60))).toHaveLength(20);
  }, 60_000);

  test("of a neighbor behind the same address do not stop a wallet's first transaction", async () => {
    const world = await createFloodWorld(0.1);
    const caller = toAddressUser("192.0.2.1");
    await postMany(world, caller, signMany(world, 30));
    expect(await postMany(world, caller, [world.signPayment(world.payee)])).toEqual([]);
    expect(await postMany(world, caller, [world.signPayment(world.payee)])).toHaveLength(1);
  }, 60_000);

  test("leave their place once they have landed or are no longer followed", async () => {
    const world = await createFloodWorld(100);
    const caller = toAddressUser("192.0.2.1");
    for (let round = 0; round < 3; round++) {
      expect(await postMany(world, caller, signMany(world, 20))).toEqual([]);
      await world.clock.advance(2_000);
    }
  }, 60_000);
});
