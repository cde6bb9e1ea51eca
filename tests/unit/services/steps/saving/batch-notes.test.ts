import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import { getSpendingContract } from "../../../../../lib/contracts/get-spending";
import { DAY_MS } from "../../../../../lib/domain/time";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { getSpending } from "../../../../../lib/services/get-spending";
import {
  isNewerPayment,
  readMessageNote,
  readPaymentSlot,
  recordBatch,
  recordBuiltMessage,
  recordSkippedBatch,
  refuseStaleBatch,
} from "../../../../../lib/services/steps/saving/batch-notes";
import { buildMemo } from "../../../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../../../lib/solana/system-instructions";
import { parseInput } from "../../../../support/client/contract-input";
import { FEE_COLLECTORS, runFor, setPrices } from "../../../../support/fakes/fake-deps";
import { toTestWallet } from "../../../../support/fixtures/test-wallets";
import { buildTransaction, signBuild, stranger, user } from "../../../../support/worlds/relay-rig";
import { type Batch, type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

const ALREADY_SAVED = { code: "already_saved" };
const NODE_BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const toContext = (wallet: string) => ({ caller: { kind: "wallet", wallet } as const });

async function listSpending(callerWallet = user.address, query = {}) {
  setPrices(world.deps);
  const input = parseInput(getSpendingContract, { address: user.address, ...query });
  return getSpending(world.deps, input, toContext(callerWallet));
}

async function buildSaving(batch: Batch & { after?: string; roundToUsd?: number }, callerWallet = user.address) {
  setPrices(world.deps);
  const input = {
    plan: "forest",
    userPubkey: user.address,
    serviceWalletPubkey: world.serviceWallet,
    ...batch,
  } as const;
  return buildWrapBatch(world.deps, parseInput(buildWrapBatchContract, input), toContext(callerWallet));
}

const createSaving = async (batch: Batch & { after?: string }) => signBuild(await buildSaving(batch));

/** Advances the clock by one slot, so that the next build gets another blockhash. */
const advanceSlot = () => world.deps.clock.advance(400);

/** Pays twice. Returns the batch that a device reads after the first payment, and the batch of both payments. */
async function readOverlappingBatches(): Promise<[earlyBatch: Batch, staleBatch: Batch]> {
  world.pay(1.37);
  const [earlyBatch] = (await listSpending()).batches;
  await advanceSlot();
  world.pay(2.37);
  const [staleBatch] = (await listSpending()).batches;
  return [earlyBatch!, staleBatch!];
}

describe("calls of a stranger", () => {
  test("do not let a stale batch pass through a build that starts after the last saved payment", async () => {
    const [earlyBatch, staleBatch] = await readOverlappingBatches();
    const [earlyBytes, staleBytes] = [await createSaving(earlyBatch), await createSaving(staleBatch)];
    expect(await world.postAndFindError(earlyBytes)).toBeNull();
    // The first build is in the same slot and has the same message. The second has a different message.
    for (let slots = 0; slots < 2; slots++) {
      await buildSaving({ ...staleBatch, after: earlyBatch.through }, stranger.address).catch(() => {});
      await advanceSlot();
    }
    expect(await world.postAndFindError(staleBytes)).toBe("already_saved");
    await expect(buildSaving(staleBatch)).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("do not let stale transfers in an app's own transaction pass", async () => {
    const [earlyBatch, staleBatch] = await readOverlappingBatches();
    const { instructions } = await buildSaving(staleBatch);
    expect(await world.postAndFindError(await createSaving(earlyBatch))).toBeNull();
    await advanceSlot();
    await buildSaving({ ...staleBatch, after: earlyBatch.through }, stranger.address);
    await advanceSlot();
    const ownTransaction = buildTransaction(instructions, [user], world.deps.chain.getLatestBlockhash().blockhash);
    expect(await world.postAndFindError(ownTransaction)).toBe("already_saved");
  });

  test("do not let a stale batch pass through a listing", async () => {
    const [earlyBatch, staleBatch] = await readOverlappingBatches();
    expect(await world.postAndFindError(await createSaving(earlyBatch))).toBeNull();
    await advanceSlot();
    // The service wallet that the stranger names changes which payments are listed, and so which batches are equal.
    const shopQuery = { serviceWallet: toTestWallet("shop").address };
    for (const query of [{}, shopQuery]) await listSpending(stranger.address, query);
    await buildSaving({ ...staleBatch, after: earlyBatch.through }, stranger.address);
    await advanceSlot();
    await expect(buildSaving(staleBatch)).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("do not block the wallet's saving through a build of the same batch", async () => {
    const firstPayment = world.pay(1.37);
    const [earlyBatch] = (await listSpending(stranger.address)).batches;
    await buildSaving(earlyBatch!, stranger.address);
    const [batch] = (await listSpending()).batches;
    const bytes = await createSaving(batch!);
    await buildSaving(batch!, stranger.address);
    expect(await world.postAndFindError(bytes)).toBeNull();
    expect((await listSpending()).savedThrough).toBe(firstPayment);
    world.pay(2.37);
    await advanceSlot();
    const [nextBatch] = (await listSpending()).batches;
    await buildSaving(nextBatch!, stranger.address);
    expect(await world.postAndFindError(await createSaving(nextBatch!))).toBeNull();
  });

  test("do not make the wallet skip a batch: only the wallet's own build without change does", async () => {
    for (let i = 0; i < 501; i++) world.pay(1.37);
    let batches: Batch[] = [];
    while (batches.length < 2) ({ batches } = await listSpending());
    while ((await listSpending(stranger.address)).batches.length < 2);
    const skippedBuild = await buildSaving({ ...batches[0]!, roundToUsd: 0.01 }, stranger.address);
    expect(skippedBuild.transaction).toBeNull();
    await expect(buildSaving(batches[1]!)).rejects.toMatchObject(ALREADY_SAVED);
    await buildSaving({ ...batches[0]!, roundToUsd: 0.01 });
    expect((await buildSaving(batches[1]!)).transaction).not.toBeNull();
    expect(await world.postAndFindError(await createSaving(batches[0]!))).toBeNull();
    await advanceSlot();
    expect(await world.postAndFindError(await createSaving(batches[1]!))).toBeNull();
  });
});

describe("a lagging node", () => {
  /** Freezes every answer of the node except the blockhash and the simulation. Returns a function that ends the lag. */
  function makeNodeLag() {
    const { chain } = world.deps;
    const { getStatus, slot, transactions, getLatestBlockhash, simulate } = chain;
    const [laggingSlot, currentSlot] = [slot() - 10, slot()];
    chain.slot = () => laggingSlot;
    chain.getStatus = () => null;
    chain.transactions = new Map();
    chain.getLatestBlockhash = () => ({ ...getLatestBlockhash(), slot: currentSlot });
    chain.simulate = (...args) => ({ slot: currentSlot, ...simulate(...args) });
    return () => Object.assign(chain, { getStatus, slot, transactions, getLatestBlockhash, simulate });
  }

  test("does not prevent the saving of payments that were just listed", async () => {
    world.pay(1.37);
    const [batch] = (await listSpending()).batches;
    const catchUp = makeNodeLag();
    const bytes = await createSaving(batch!);
    const pendingPost = world.postAndFindError(bytes);
    catchUp();
    expect(await pendingPost).toBeNull();
  });

  test("fails as upstream_unavailable for a payment that it does not know yet, and as invalid_request once a current node lacks it", async () => {
    const through = world.pay(1.37);
    const request = { txValuesUsd: [1.37], through };
    const catchUp = makeNodeLag();
    await expect(runFor(2_000, world.deps, buildSaving(request))).rejects.toMatchObject(NODE_BEHIND);
    catchUp();
    expect((await buildSaving(request)).transaction).not.toBeNull();
    const unknownBatch = { txValuesUsd: [1.37], through: `${"1".repeat(62)}ZZ` };
    await expect(buildSaving(unknownBatch)).rejects.toMatchObject({ code: "invalid_request" });
  });

  test("fails as upstream_unavailable for a mark that it does not know yet, and the same bytes land later", async () => {
    const through = world.pay(1.37);
    const ownTransaction = buildTransaction(
      [
        buildSystemTransfer(user.address, world.serviceWallet, 1_000_000n),
        buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
        buildMemo(`roundup:1:through:${through}`, user.address),
      ],
      [user],
      world.deps.chain.getLatestBlockhash().blockhash,
    );
    const catchUp = makeNodeLag();
    expect(await world.postAndFindError(ownTransaction)).toBe("upstream_unavailable");
    catchUp();
    expect(await world.postAndFindError(ownTransaction)).toBeNull();
  });

  test("does not report a payment as saved when it lacks one of two payments in the same slot", async () => {
    const [firstPayment, secondPayment] = [world.pay(1.37), world.pay(2.37)];
    expect(await world.postAndFindError(await createSaving({ txValuesUsd: [1.37], through: firstPayment }))).toBeNull();
    const { history } = world.deps.chain;
    const entries = history.get(user.address)!;
    history.set(user.address, []);
    await expect(buildSaving({ txValuesUsd: [2.37], through: secondPayment })).rejects.toMatchObject(NODE_BEHIND);
    history.set(user.address, entries);
    expect((await buildSaving({ txValuesUsd: [2.37], through: secondPayment })).transaction).not.toBeNull();
  });
});

test("a build fails with status 503 instead of returning a message that was built before the latest saving", async () => {
  const [firstPayment, secondPayment] = [world.pay(1.37), world.pay(2.37)];
  const { getLatestBlockhash } = world.deps.chain;
  const unchangedBlockhash = getLatestBlockhash();
  world.deps.chain.getLatestBlockhash = () => unchangedBlockhash;
  const batch = { txValuesUsd: [2.37], through: secondPayment };
  await buildSaving({ ...batch, after: "none" }, stranger.address);
  expect(await world.postAndFindError(await createSaving({ txValuesUsd: [1.37], through: firstPayment }))).toBeNull();
  await expect(buildSaving({ ...batch, after: firstPayment })).rejects.toMatchObject(NODE_BEHIND);
  world.deps.chain.getLatestBlockhash = getLatestBlockhash;
  expect(await world.postAndFindError(await createSaving({ ...batch, after: firstPayment }))).toBeNull();
});

describe("the slot of the payment that a mark names", () => {
  const findSlot = (signature: string, newest = 0) => readPaymentSlot(world.deps, user.address, signature, newest);

  test("comes from a listing without asking a node", async () => {
    const batch = { callerWallet: null, wallet: user.address, through: "listed", microUsd: [1n] };
    await recordBatch(world.deps, batch, null, 7);
    world.deps.calls.length = 0;
    expect(await findSlot("listed")).toBe(7);
    expect(world.deps.calls.map(({ port }) => port)).toEqual(["kv"]);
    await recordBatch(world.deps, { ...batch, through: "not listed" }, null);
    expect(await findSlot("not listed")).toBeNull();
  });

  test("comes from the chain if the wallet signed the payment, and is unknown otherwise", async () => {
    expect(await findSlot(world.pay(1.37))).toBe(world.deps.chain.slot());
    expect(await findSlot(world.addTransaction({ signers: [stranger.address] }))).toBeNull();
    expect(await findSlot("unknown")).toBeNull();
  });

  test("fails with status 503 while the node has only a part of the payment's data", async () => {
    const { chain } = world.deps;
    const payment = world.pay(1.37);
    const { getStatus, transactions } = chain;
    chain.getStatus = (...args) => ({ ...getStatus(...args)!, confirmation: "processed" });
    await expect(findSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
    chain.getStatus = () => null;
    await expect(findSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
    Object.assign(chain, { getStatus, transactions: new Map() });
    await expect(findSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
    chain.transactions = transactions;
    expect(await findSlot(payment)).toBe(chain.slot());
  });
});

describe("the order of two payments", () => {
  const checkNewer = (left: [string, number], right: [string, number]) => {
    const [leftPayment, rightPayment] = [left, right].map(([value, slot]) => ({ value, slot }));
    return isNewerPayment(world.deps, user.address, leftPayment!, rightPayment!);
  };

  test("follows from their slots without a node call", async () => {
    const callsBefore = world.deps.calls.length;
    expect(await checkNewer(["a", 2], ["b", 1])).toBe(true);
    expect(await checkNewer(["a", 1], ["b", 2])).toBe(false);
    expect(await checkNewer(["a", 1], ["a", 1])).toBe(false);
    expect(world.deps.calls).toHaveLength(callsBefore);
  });

  test("follows from the wallet's history if they share a slot", async () => {
    const [, firstPayment, secondPayment] = [world.pay(0.37), world.pay(1.37), world.pay(2.37)];
    expect(await checkNewer([secondPayment, 0], [firstPayment, 0])).toBe(true);
    expect(await checkNewer([firstPayment, 0], [secondPayment, 0])).toBe(false);
    await expect(checkNewer([firstPayment, 0], ["unknown", 0])).rejects.toMatchObject(NODE_BEHIND);
    const listingCall = world.deps.calls.find(({ method }) => method === "readSignatures");
    expect(listingCall!.args).toEqual([user.address, { limit: 1_000, before: secondPayment }]);
  });
});

describe("the note of a batch", () => {
  const createBatch = (through: string, microUsd = [1_000_000n], callerWallet: string | null = user.address) => ({
    callerWallet,
    wallet: user.address,
    through,
    microUsd,
  });
  const checkBatch = (batch: ReturnType<typeof createBatch>, after?: string) =>
    refuseStaleBatch(world.deps, { ...batch, after });

  test("names the saved payment that the caller read, and a batch without a note is allowed", async () => {
    const payment = world.pay(1.37);
    expect(await checkBatch(createBatch(payment))).toBeNull();
    expect(await checkBatch(createBatch(payment), "none")).toBe("none");
    await expect(checkBatch(createBatch(payment), "another payment")).rejects.toMatchObject(ALREADY_SAVED);
    await recordBatch(world.deps, createBatch(payment), null);
    expect(await checkBatch(createBatch(payment))).toBe("none");
    await recordBatch(world.deps, createBatch(payment), "another payment");
    await expect(checkBatch(createBatch(payment))).rejects.toMatchObject(ALREADY_SAVED);
    expect(await checkBatch(createBatch(payment), "none")).toBe("none");
    await world.deps.clock.advance(30 * DAY_MS);
    expect(await checkBatch(createBatch(payment))).toBeNull();
  });

  test("does not matter once a newer payment is saved", async () => {
    const [firstPayment, secondPayment] = [world.pay(1.37), world.pay(2.37)];
    const saving = await createSaving({ txValuesUsd: [2.37], through: secondPayment });
    expect(await world.postAndFindError(saving)).toBeNull();
    await expect(checkBatch(createBatch(firstPayment), secondPayment)).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("belongs to exactly these amounts, this wallet and this caller", async () => {
    const payment = world.pay(1.37);
    await recordBatch(world.deps, createBatch(payment, [1n, 23n]), null);
    expect(await checkBatch(createBatch(payment, [1n, 23n]))).toBe("none");
    expect(await checkBatch(createBatch(payment, [12n, 3n]))).toBeNull();
    expect(await checkBatch(createBatch(payment, [1n, 23n], null))).toBeNull();
    expect(await checkBatch({ ...createBatch(payment, [1n, 23n]), callerWallet: stranger.address })).toBeNull();
  });

  test("is followed back over at most 200 batches that have nothing to save", async () => {
    const payments = Array.from({ length: 202 }, () => world.pay(1.37));
    for (const [i, payment] of payments.entries()) {
      await recordBatch(world.deps, createBatch(payment), payments[i - 1] ?? null);
      if (i < 200) await recordSkippedBatch(world.deps, createBatch(payment));
    }
    expect(await checkBatch(createBatch(payments[0]!))).toBe("none");
    expect(await checkBatch(createBatch(payments[199]!))).toBe("none");
    await expect(checkBatch(createBatch(payments[200]!))).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("is not followed over an unlisted batch", async () => {
    const [firstPayment, secondPayment] = [world.pay(1.37), world.pay(2.37)];
    await recordSkippedBatch(world.deps, createBatch(firstPayment));
    await recordBatch(world.deps, createBatch(secondPayment), firstPayment);
    await expect(checkBatch(createBatch(secondPayment))).rejects.toMatchObject(ALREADY_SAVED);
  });

  test("is refused for a payment that the wallet did not sign, in an error that names the field", async () => {
    const message = "names no confirmed transaction that userPubkey signed";
    await expect(checkBatch(createBatch("unknown"))).rejects.toMatchObject({
      code: "invalid_request",
      message: `through: ${message}.`,
      details: { issues: [{ path: "through", message }] },
    });
  });
});

describe("the note of a built message", () => {
  const createMessage = (overrides = {}) => ({
    wallet: user.address,
    mark: { value: "payment" },
    recentBlockhash: "blockhash",
    savedLamports: 1_000_000n,
    feeLamports: 5_000n,
    ...overrides,
  });

  const recordMessage = (callerWallet: string, lastSaved = "none") => {
    const batch = { callerWallet, wallet: user.address, through: "payment", microUsd: [1n] };
    return recordBuiltMessage(world.deps, batch, createMessage(), lastSaved);
  };
  const readNotedAfter = async (overrides = {}) => (await readMessageNote(world.deps, createMessage(overrides))).after;
  const NEXT_BLOCKHASH = { recentBlockhash: "next" };
  const OTHER_TRANSFERS = [
    { wallet: stranger.address },
    { mark: { value: "another" } },
    { savedLamports: 1n },
    { feeLamports: 1n },
  ];

  test("belongs to exactly this message for a day", async () => {
    await recordMessage(stranger.address);
    expect(await readNotedAfter()).toBe("none");
    for (const overrides of [NEXT_BLOCKHASH, ...OTHER_TRANSFERS])
      expect(await readNotedAfter(overrides)).toBeUndefined();
    await world.deps.clock.advance(DAY_MS);
    expect(await readNotedAfter()).toBeUndefined();
  });

  test("also covers its transfers in the wallet's own transaction for 30 days", async () => {
    await recordMessage(user.address);
    expect(await readNotedAfter(NEXT_BLOCKHASH)).toBe("none");
    for (const overrides of OTHER_TRANSFERS)
      expect(await readNotedAfter({ ...NEXT_BLOCKHASH, ...overrides })).toBeUndefined();
    const { keys } = await readMessageNote(world.deps, createMessage());
    expect(keys.map((key) => key.split(":")[0])).toEqual(["spending-built", "spending-attached", "spending-batch"]);
    await world.deps.clock.advance(30 * DAY_MS - 1);
    expect(await readNotedAfter()).toBe("none");
    await world.deps.clock.advance(1);
    expect(await readNotedAfter()).toBeUndefined();
  });

  test("is not replaced by an identical build after another saving, which fails as upstream_unavailable", async () => {
    for (let attempt = 0; attempt < 2; attempt++) await recordMessage(user.address);
    const rebuiltMessage = recordMessage(user.address, "payment before");
    await expect(rebuiltMessage).rejects.toMatchObject({ ...NODE_BEHIND, details: { retryAfterSeconds: 1 } });
    expect(await readNotedAfter()).toBe("none");
    expect(await readNotedAfter(NEXT_BLOCKHASH)).toBe("payment before");
  });
});
