import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import { getSpendingContract } from "../../../../../lib/contracts/get-spending";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { getSpending } from "../../../../../lib/services/get-spending";
import {
  isNewer,
  readNote,
  readPaymentSlot,
  recordBatch,
  recordBuiltMessage,
  recordSkippedBatch,
  refuseStaleBatch,
} from "../../../../../lib/services/steps/saving/through";
import { createMemo } from "../../../../../lib/solana/memo";
import { createSystemTransfer } from "../../../../../lib/solana/system-instructions";
import { parseInput } from "../../../../support/client/contract-input";
import { FEE_COLLECTORS, pricesAt, runFor } from "../../../../support/fakes/fake-deps";
import { signTransaction, testWallet } from "../../../../support/fixtures/test-wallets";
import { buildTransaction, stranger, user } from "../../../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

const ALREADY_SAVED = { code: "already_saved" };
const BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const callerOf = (wallet: string) => ({ caller: { kind: "wallet", wallet } as const });

async function list(by = user.address, query = {}) {
  world.deps.quoted.current = pricesAt(world.deps.clock.now());
  return getSpending(world.deps, parseInput(getSpendingContract, { address: user.address, ...query }), callerOf(by));
}

async function build(batch: Batch & { after?: string; roundToUsd?: number }, by = user.address) {
  world.deps.quoted.current = pricesAt(world.deps.clock.now());
  const input = { plan: "forest", userPubkey: user.address, serviceWalletPubkey: world.service, ...batch } as const;
  return buildWrapBatch(world.deps, parseInput(buildWrapBatchContract, input), callerOf(by));
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
    const own = buildTransaction(instructions, [user], world.deps.chain.latest().blockhash);
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
    const request = { txValuesUsd: [1.37], through };
    const catchUp = fallBehind();
    await expect(runFor(2_000, world.deps, build(request))).rejects.toMatchObject(BEHIND);
    catchUp();
    expect((await build(request)).transaction).not.toBeNull();
    const unknown = { txValuesUsd: [1.37], through: `${"1".repeat(62)}ZZ` };
    await expect(build(unknown)).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("answers 503 for a mark it does not know yet, and the same bytes land later", async () => {
    const through = world.pay(1.37);
    const own = buildTransaction(
      [
        createSystemTransfer(user.address, world.service, 1_000_000n),
        createSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
        createMemo(`roundup:1:through:${through}`, user.address),
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

describe("the slot of the payment that a mark names", () => {
  const slotOf = (signature: string, newest = 0) => readPaymentSlot(world.deps, user.address, signature, newest);

  test("comes from a listing without asking a node", async () => {
    const batch = { by: null, wallet: user.address, through: "listed", microUsd: [1n] };
    await recordBatch(world.deps, batch, null, 7);
    world.deps.calls.length = 0;
    expect(await slotOf("listed")).toBe(7);
    expect(world.deps.calls.map(({ port }) => port)).toEqual(["kv"]);
    await recordBatch(world.deps, { ...batch, through: "not listed" }, null);
    expect(await slotOf("not listed")).toBeNull();
  });

  test("comes from the chain if the wallet signed the payment, and is unknown otherwise", async () => {
    expect(await slotOf(world.pay(1.37))).toBe(world.deps.chain.slot());
    expect(await slotOf(world.add({ signers: [stranger.address] }))).toBeNull();
    expect(await slotOf("unknown")).toBeNull();
  });

  test("is not known while the node has only a part of the payment's data", async () => {
    const { chain } = world.deps;
    const payment = world.pay(1.37);
    const { status, transactions } = chain;
    chain.status = (...asked) => ({ ...status(...asked)!, confirmation: "processed" });
    await expect(slotOf(payment)).rejects.toMatchObject(BEHIND);
    chain.status = () => null;
    await expect(slotOf(payment)).rejects.toMatchObject(BEHIND);
    Object.assign(chain, { status, transactions: new Map() });
    await expect(slotOf(payment)).rejects.toMatchObject(BEHIND);
    chain.transactions = transactions;
    expect(await slotOf(payment)).toBe(chain.slot());
  });
});

describe("the order of two payments", () => {
  const newer = (one: [string, number], other: [string, number]) => {
    const [a, b] = [one, other].map(([value, slot]) => ({ value, slot }));
    return isNewer(world.deps, user.address, a!, b!);
  };

  test("follows from their slots, and a payment is not newer than itself, without asking a node", async () => {
    const before = world.deps.calls.length;
    expect(await newer(["a", 2], ["b", 1])).toBe(true);
    expect(await newer(["a", 1], ["b", 2])).toBe(false);
    expect(await newer(["a", 1], ["a", 1])).toBe(false);
    expect(world.deps.calls).toHaveLength(before);
  });

  test("follows from the history if they share a slot", async () => {
    const [, first, second] = [world.pay(0.37), world.pay(1.37), world.pay(2.37)];
    expect(await newer([second, 0], [first, 0])).toBe(true);
    expect(await newer([first, 0], [second, 0])).toBe(false);
    await expect(newer([first, 0], ["unknown", 0])).rejects.toMatchObject(BEHIND);
    const asked = world.deps.calls.find(({ method }) => method === "readSignatures");
    expect(asked!.args).toEqual([user.address, { limit: 1_000, before: second }]);
  });
});

describe("the note of a batch", () => {
  const batchOf = (through: string, microUsd = [1_000_000n], by: string | null = user.address) => ({
    by,
    wallet: user.address,
    through,
    microUsd,
  });
  const check = (batch: ReturnType<typeof batchOf>, after?: string) =>
    refuseStaleBatch(world.deps, { ...batch, after });

  test("names what the caller read, and no note is no reason to refuse", async () => {
    const payment = world.pay(1.37);
    expect(await check(batchOf(payment))).toBeNull();
    expect(await check(batchOf(payment), "none")).toBe("none");
    await expect(check(batchOf(payment), "another payment")).rejects.toMatchObject(ALREADY_SAVED);
    await recordBatch(world.deps, batchOf(payment), null);
    expect(await check(batchOf(payment))).toBe("none");
    await recordBatch(world.deps, batchOf(payment), "another payment");
    await expect(check(batchOf(payment))).rejects.toMatchObject(ALREADY_SAVED);
    await world.deps.clock.advance(30 * 86_400_000);
    expect(await check(batchOf(payment))).toBeNull();
  });

  test("does not matter once a newer payment is saved", async () => {
    const [first, second] = [world.pay(1.37), world.pay(2.37)];
    expect(await world.send(await saving({ txValuesUsd: [2.37], through: second }))).toBeNull();
    await expect(check(batchOf(first), second)).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("belongs to exactly these amounts, this wallet and this caller", async () => {
    const payment = world.pay(1.37);
    await recordBatch(world.deps, batchOf(payment, [1n, 23n]), null);
    expect(await check(batchOf(payment, [1n, 23n]))).toBe("none");
    expect(await check(batchOf(payment, [12n, 3n]))).toBeNull();
    expect(await check(batchOf(payment, [1n, 23n], null))).toBeNull();
    expect(await check({ ...batchOf(payment, [1n, 23n]), by: stranger.address })).toBeNull();
  });

  test("continues over batches that have nothing to save, but not without end", async () => {
    const payments = Array.from({ length: 202 }, () => world.pay(1.37));
    for (const [i, payment] of payments.entries()) {
      await recordBatch(world.deps, batchOf(payment), payments[i - 1] ?? null);
      if (i < 200) await recordSkippedBatch(world.deps, batchOf(payment));
    }
    expect(await check(batchOf(payments[0]!))).toBe("none");
    expect(await check(batchOf(payments[199]!))).toBe("none");
    await expect(check(batchOf(payments[200]!))).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("of an unknown batch is not skipped", async () => {
    const [first, second] = [world.pay(1.37), world.pay(2.37)];
    await recordSkippedBatch(world.deps, batchOf(first));
    await recordBatch(world.deps, batchOf(second), first);
    await expect(check(batchOf(second))).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("refuses a payment that the wallet did not sign, and names the field", async () => {
    const message = "names no confirmed transaction that userPubkey signed";
    await expect(check(batchOf("unknown"))).rejects.toMatchObject({
      code: "invalid_request",
      message: `through: ${message}.`,
      details: { issues: [{ path: "through", message }] },
    });
  });
});

describe("the note of a built message", () => {
  const built = (changes = {}) => ({
    wallet: user.address,
    mark: { value: "payment" },
    recentBlockhash: "blockhash",
    saved: 1_000_000n,
    fee: 5_000n,
    ...changes,
  });

  const builtFrom = (by: string) => ({ by, wallet: user.address, through: "payment", microUsd: [1n] });

  test("belongs to exactly this message, and lasts for a day", async () => {
    await recordBuiltMessage(world.deps, builtFrom(stranger.address), built(), "none");
    expect((await readNote(world.deps, built())).after).toBe("none");
    for (const other of [
      { wallet: stranger.address },
      { mark: { value: "another" } },
      { recentBlockhash: "next" },
      { saved: 1n },
      { fee: 1n },
    ]) {
      expect((await readNote(world.deps, built(other))).after).toBeUndefined();
    }
    await world.deps.clock.advance(86_400_000);
    expect((await readNote(world.deps, built())).after).toBeUndefined();
  });

  test("of the wallet's own build also holds for its transfers in another transaction, for 30 days", async () => {
    await recordBuiltMessage(world.deps, builtFrom(user.address), built(), "none");
    expect((await readNote(world.deps, built({ recentBlockhash: "next" }))).after).toBe("none");
    for (const other of [{ wallet: stranger.address }, { mark: { value: "another" } }, { saved: 1n }, { fee: 1n }]) {
      expect((await readNote(world.deps, built({ recentBlockhash: "next", ...other }))).after).toBeUndefined();
    }
    await world.deps.kv.set(
      `spending-attached:${[user.address, "older", 1, 2].join(":")}`,
      "a payment",
      30 * 86_400_000,
    );
    expect((await readNote(world.deps, built())).keys.map((key) => key.split(":")[0])).toEqual([
      ...["spending-built", "spending-attached", "spending-batch"],
    ]);
    const older = await readNote(world.deps, built({ mark: { value: "older" }, saved: 1n, fee: 2n }));
    expect([older.after, older.keys.length]).toEqual(["a payment", 2]);
    await world.deps.clock.advance(30 * 86_400_000 - 1);
    expect((await readNote(world.deps, built())).after).toBe("none");
    await world.deps.clock.advance(1);
    expect((await readNote(world.deps, built())).after).toBeUndefined();
  });

  test("does not change, and an identical build after another saving is answered 503", async () => {
    await recordBuiltMessage(world.deps, builtFrom(user.address), built(), "none");
    await recordBuiltMessage(world.deps, builtFrom(user.address), built(), "none");
    const again = recordBuiltMessage(world.deps, builtFrom(user.address), built(), "payment before");
    await expect(again).rejects.toMatchObject({ ...BEHIND, details: { retryAfterSeconds: 1 } });
    expect((await readNote(world.deps, built())).after).toBe("none");
    expect((await readNote(world.deps, built({ recentBlockhash: "next" }))).after).toBe("payment before");
  });
});
