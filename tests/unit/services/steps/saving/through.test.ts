import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import { getSpendingContract } from "../../../../../lib/contracts/get-spending";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { getSpending } from "../../../../../lib/services/get-spending";
import { memo } from "../../../../../lib/solana/memo";
import { systemTransfer } from "../../../../../lib/solana/system-instructions";
import { inputOf } from "../../../../support/client/contract-input";
import { FEE_COLLECTORS, over, pricesAt } from "../../../../support/fakes/fake-deps";
import { signTransaction, testWallet } from "../../../../support/fixtures/test-wallets";
import { ownTransaction, stranger, user } from "../../../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, spendingWorld } from "../../../../support/worlds/spending-world";

const ALREADY_SAVED = { code: "already_saved" };
const BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await spendingWorld();
});

const callerOf = (wallet: string) => ({ caller: { kind: "wallet", wallet } as const });

async function list(by = user.address, query = {}) {
  world.deps.quoted.current = pricesAt(world.deps.clock.now());
  return getSpending(world.deps, inputOf(getSpendingContract, { address: user.address, ...query }), callerOf(by));
}

async function build(batch: Batch & { after?: string; roundToUsd?: number }, by = user.address) {
  world.deps.quoted.current = pricesAt(world.deps.clock.now());
  const input = { plan: "forest", userPubkey: user.address, serviceWalletPubkey: world.service, ...batch } as const;
  return buildWrapBatch(world.deps, inputOf(buildWrapBatchContract, input), callerOf(by));
}

async function saving(batch: Batch & { after?: string }, by = user.address): Promise<Uint8Array> {
  const { transaction } = await build(batch, by);
  return signTransaction(Buffer.from(transaction!.base64, "base64"), user);
}

/** Time for the next slot, and so for the next blockhash. */
const nextSlot = () => world.deps.clock.advance(400);

/** A device has read both payments and built nothing; another device has saved the first one since. */
async function staleBatch(): Promise<{ stale: Batch; saved: string }> {
  const saved = world.pay(1.37);
  const [first] = (await list()).batches;
  await nextSlot();
  world.pay(2.37);
  const [stale] = (await list()).batches;
  expect(await world.send(await saving(first!))).toBeNull();
  await nextSlot();
  return { stale: stale!, saved };
}

describe("a stranger's call does not affect the wallet", () => {
  test("a stranger's build on the current saved payment does not let a stale batch pass", async () => {
    const first = world.pay(1.37);
    const [early] = (await list()).batches;
    await nextSlot();
    world.pay(2.37);
    const [stale] = (await list()).batches;
    const [one, other] = [await saving(early!), await saving(stale!)];
    expect(await world.send(one)).toBeNull();
    // The same slot, and so the same message; then another one.
    for (let slots = 0; slots < 2; slots++) {
      await build({ ...stale!, after: first }, stranger.address).catch(() => {});
      await nextSlot();
    }
    expect(await world.send(other)).toBe("already_saved");
    await expect(build(stale!)).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("a stranger's build does not let stale transfers in an app's own transaction pass", async () => {
    world.pay(1.37);
    const [early] = (await list()).batches;
    await nextSlot();
    world.pay(2.37);
    const [stale] = (await list()).batches;
    const { instructions } = await build(stale!);
    expect(await world.send(await saving(early!))).toBeNull();
    await nextSlot();
    await build({ ...stale!, after: early!.through }, stranger.address);
    await nextSlot();
    const own = ownTransaction(instructions, [user], world.deps.chain.latest().blockhash);
    expect(await world.send(own)).toBe("already_saved");
  });

  test("a stranger's listing, in any terms, does not let a stale batch pass", async () => {
    const { stale, saved } = await staleBatch();
    // What the stranger names as a service wallet changes which payments are listed, and so which batches look alike.
    const shop = { serviceWallet: testWallet("shop").address };
    for (const query of [{}, shop]) await list(stranger.address, query);
    await build({ ...stale, after: saved }, stranger.address);
    await nextSlot();
    await expect(build(stale)).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("a stranger's build of the same batch does not block the wallet's saving", async () => {
    const first = world.pay(1.37);
    const [early] = (await list(stranger.address)).batches;
    await build(early!, stranger.address);
    const [batch] = (await list()).batches;
    const bytes = await saving(batch!);
    await build(batch!, stranger.address);
    expect(await world.send(bytes)).toBeNull();
    expect((await list()).savedThrough).toBe(first);
    world.pay(2.37);
    await nextSlot();
    const [next] = (await list()).batches;
    await build(next!, stranger.address);
    expect(await world.send(await saving(next!))).toBeNull();
  });

  test("a stranger's build without change does not let the wallet skip a batch with change", async () => {
    for (let i = 0; i < 501; i++) world.pay(1.37);
    let batches: Batch[] = [];
    while (batches.length < 2) ({ batches } = await list());
    while ((await list(stranger.address)).batches.length < 2);
    const skipped = await build({ ...batches[0]!, roundToUsd: 0.01 }, stranger.address);
    expect(skipped.transaction).toBeNull();
    await expect(build(batches[1]!)).rejects.toMatchObject(ALREADY_SAVED);
    expect(await world.send(await saving(batches[0]!))).toBeNull();
    await nextSlot();
    expect(await world.send(await saving(batches[1]!))).toBeNull();
  });
});

describe("a node that lags", () => {
  /** It knows nothing newer than this moment, in no answer but the blockhash and the simulation. */
  function fallBehind() {
    const { chain } = world.deps;
    const { status, slot } = chain;
    const kept = { status, slot, transactions: chain.transactions, latest: chain.latest };
    const [then, now] = [slot() - 10, slot()];
    chain.slot = () => then;
    chain.status = () => null;
    chain.transactions = new Map();
    chain.latest = () => ({ ...kept.latest(), slot: now });
    const { simulation } = chain;
    chain.simulation = (...args) => ({ slot: now, ...simulation(...args) });
    return () => Object.assign(chain, kept, { simulation });
  }

  test("builds and sends spending that was listed a moment ago", async () => {
    world.pay(1.37);
    const [batch] = (await list()).batches;
    const catchUp = fallBehind();
    const bytes = await saving(batch!);
    const posted = world.send(bytes);
    catchUp();
    expect(await posted).toBeNull();
  });

  test("answers 503 for a payment it does not know yet, and 400 once a current node lacks it", async () => {
    const through = world.pay(1.37);
    const asked = { txValuesUsd: [1.37], through };
    const catchUp = fallBehind();
    await expect(over(2_000, world.deps, build(asked))).rejects.toMatchObject(BEHIND);
    catchUp();
    expect((await build(asked)).transaction).not.toBeNull();
    const unknown = { txValuesUsd: [1.37], through: `${"1".repeat(62)}ZZ` };
    await expect(build(unknown)).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("answers 503 for a mark it does not know yet, and the same bytes land later", async () => {
    const through = world.pay(1.37);
    const own = ownTransaction(
      [
        systemTransfer(user.address, world.service, 1_000_000n),
        systemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
        memo(`roundup:1:through:${through}`, user.address),
      ],
      [user],
      world.deps.chain.latest().blockhash,
    );
    const catchUp = fallBehind();
    expect(await world.send(own)).toBe("upstream_unavailable");
    catchUp();
    expect(await world.send(own)).toBeNull();
  });

  test("does not report a payment as saved when it lacks one of two payments in the same slot", async () => {
    const [first, second] = [world.pay(1.37), world.pay(2.37)];
    expect(await world.send(await saving({ txValuesUsd: [1.37], through: first }))).toBeNull();
    const { history } = world.deps.chain;
    const entries = history.get(user.address)!;
    history.set(user.address, []);
    await expect(build({ txValuesUsd: [2.37], through: second })).rejects.toMatchObject(BEHIND);
    history.set(user.address, entries);
    expect((await build({ txValuesUsd: [2.37], through: second })).transaction).not.toBeNull();
  });
});

test("answers 503 instead of returning a message that was built before the latest saving", async () => {
  const [first, second] = [world.pay(1.37), world.pay(2.37)];
  const { latest } = world.deps.chain;
  const same = latest();
  world.deps.chain.latest = () => same;
  const batch = { txValuesUsd: [2.37], through: second };
  await build({ ...batch, after: "none" }, stranger.address);
  expect(await world.send(await saving({ txValuesUsd: [1.37], through: first }))).toBeNull();
  await expect(build({ ...batch, after: first })).rejects.toMatchObject(BEHIND);
  world.deps.chain.latest = latest;
  expect(await world.send(await saving({ ...batch, after: first }))).toBeNull();
});
