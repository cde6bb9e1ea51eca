import { beforeEach, describe, expect, test } from "vitest";
import { buildWrapBatchContract } from "../../../../../lib/contracts/build-wrap-batch";
import {
  createThroughMark,
  formatMark,
  type Mark,
  NOTHING_SAVED,
  type SignedMark,
} from "../../../../../lib/domain/marks";
import { DAY_MS } from "../../../../../lib/domain/time";
import { AppError } from "../../../../../lib/errors";
import { buildWrapBatch } from "../../../../../lib/services/build-wrap-batch";
import { readClaim, replaceClaim, type SavedMark, toClaimKey } from "../../../../../lib/services/records/claim-records";
import {
  findSaved,
  readStoredStanding,
  refuseUnlessNext,
  requireNextBatch,
} from "../../../../../lib/services/steps/saving/next-saving";
import { isLaterPayment, readPaymentSlot } from "../../../../../lib/services/steps/saving/payment-slot";
import { buildMemo } from "../../../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../../../lib/solana/system-instructions";
import { parseInput } from "../../../../support/client/contract-input";
import { FEE_COLLECTORS, listArguments, runFor, setPrices, stageOutage } from "../../../../support/fakes/fake-deps";
import { rollBack } from "../../../../support/store/store-snapshot";
import {
  buildTransaction,
  readSignature,
  signBuild,
  startPosting,
  stranger,
  user,
} from "../../../../support/worlds/relay-rig";
import {
  type Batch,
  createTokenPayment,
  type SpendingWorld,
  stageSpending,
} from "../../../../support/worlds/spending-world";

const ALREADY_SAVED = { code: "already_saved" };
const NODE_BEHIND = { code: "upstream_unavailable" };
const STILL_CHECKING = { ...NODE_BEHIND, message: expect.stringContaining("still being checked") };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const advanceSlot = () => world.deps.clock.advance(400);
const readSlot = () => world.deps.chain.slot();
const toUserMark = (mark: Mark): SignedMark => ({ wallet: user.address, mark });
const THROUGH_MARK = toUserMark(createThroughMark("", NOTHING_SAVED));

/** Adds a payment in a new slot. Returns its position. */
async function landPayment(): Promise<{ value: string; slot: number }> {
  await advanceSlot();
  return { value: world.pay(1.37), slot: readSlot() };
}

/** Lands a transaction with this mark in a new slot. Returns its signature. */
async function landMark(mark: Mark): Promise<string> {
  await advanceSlot();
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  return world.addTransaction(
    { movements, marks: [{ wallet: user.address, mark }] },
    { memo: `[1] ${formatMark(mark)}` },
  );
}
const landSaving = ({ value }: { value: string }) => landMark(createThroughMark(value, NOTHING_SAVED));

const findUserSaved = async (signedMark = THROUGH_MARK, minSlot = 0) =>
  findSaved(world.deps, signedMark, await readStoredStanding(world.deps, signedMark), minSlot);
const readRecord = async (signedMark = THROUGH_MARK) => (await readClaim(world.deps, signedMark))?.saved ?? null;
const recordSaved = async (payment: { value: string; slot: number }) => {
  const saved: SavedMark = { ...payment, message: "" };
  await replaceClaim(world.deps, THROUGH_MARK, await readClaim(world.deps, THROUGH_MARK), { saved, held: null });
};
const listRequests = () => listArguments(world.deps, "readSignatures");

describe("the newest saved payment", () => {
  test("comes from the chain if the record has none or an older one, and is recorded", async () => {
    const payments = [await landPayment(), await landPayment()];
    for (const payment of payments) {
      const saved = { ...payment, message: "", txSignature: await landSaving(payment) };
      expect(await findUserSaved()).toMatchObject({ saved, isComplete: true, isUpdated: true });
      expect(await readRecord()).toEqual({ ...payment, message: "" });
      expect(await findUserSaved()).toEqual({ saved, isComplete: true, callCount: 1, isUpdated: false });
    }
  });

  test("comes from the record if the record is newer", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    await landSaving(firstPayment);
    await recordSaved(secondPayment);
    expect(await findUserSaved()).toMatchObject({ saved: secondPayment, isUpdated: false });
  });

  test.each([false, true])(
    "is the newest that any mark names, whatever the order of landing (a search in between: %s)",
    async (isSearchedBetween) => {
      const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
      await landSaving(secondPayment);
      if (isSearchedBetween) await findUserSaved();
      await landSaving(firstPayment);
      expect(await findUserSaved()).toMatchObject({ saved: secondPayment });
      await world.deps.kv.delete(toClaimKey(THROUGH_MARK));
      expect(await findUserSaved()).toMatchObject({ saved: secondPayment });
    },
  );

  test("is the same for all if two marks name payments of one slot", async () => {
    await advanceSlot();
    const payments = [world.addTransaction({}), world.addTransaction({})].map((value) => ({ value, slot: readSlot() }));
    for (const payment of payments) await landSaving(payment);
    const { saved } = await findUserSaved();
    for (const payment of payments.reverse()) {
      await recordSaved(payment);
      expect((await findUserSaved()).saved?.value).toBe(saved!.value);
    }
  });

  test("is searched for back to the first release, or to the recorded payment", async () => {
    const monthsAgoMs = 90 * DAY_MS;
    for (let i = 0; i < 1_500; i++) world.addTransaction({}, { ageMs: monthsAgoMs });
    await findUserSaved();
    expect(listRequests()).toHaveLength(1);
    await advanceSlot();
    for (let i = 0; i < 1_500; i++) world.addTransaction({});
    await recordSaved(await landPayment());
    await world.deps.kv.delete(`mark-look:through:${user.address}`);
    await findUserSaved();
    expect(listRequests()).toHaveLength(2);
  });

  test("fails as upstream_unavailable if the node is behind the caller's slot or the record", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    world.deps.chain.slot = () => firstPayment.slot;
    await expect(findUserSaved(THROUGH_MARK, secondPayment.slot)).rejects.toMatchObject(NODE_BEHIND);
    await recordSaved(secondPayment);
    await expect(findUserSaved()).rejects.toMatchObject(NODE_BEHIND);
  });
});

describe("a saving is the next one", () => {
  const saved = { value: "P2", slot: 20, message: "", txSignature: "saving" };
  const checkThrough = (after: string, slot: number, newestSaved: SavedMark | null) =>
    refuseUnlessNext(toUserMark(createThroughMark("P3", after)), slot, newestSaved);

  test.each<[string, number, SavedMark | null]>([
    [NOTHING_SAVED, 1, null],
    ["P2", 21, saved],
  ])("after %s, with a payment of slot %i", (after, slot, newestSaved) => {
    expect(() => checkThrough(after, slot, newestSaved)).not.toThrow();
  });

  test.each<[string, number, SavedMark | null]>([
    ["P2", 30, null],
    ["P1", 30, saved],
    [NOTHING_SAVED, 30, saved],
    ["P2", 20, saved],
    ["P2", 19, saved],
  ])("but not after %s, with a payment of slot %i", (after, slot, newestSaved) => {
    expect(() => checkThrough(after, slot, newestSaved)).toThrow(expect.objectContaining(ALREADY_SAVED));
  });

  test("if its period is not saved; the refusal names the saving", () => {
    const period = toUserMark({ kind: "topup", value: "2026-W47" });
    expect(() => refuseUnlessNext(period, 0, null)).not.toThrow();
    const refusal = { ...ALREADY_SAVED, details: { txSignature: "saving", message: "Made." } };
    expect(() => refuseUnlessNext(period, 0, saved, "Made.")).toThrow(expect.objectContaining(refusal));
  });
});

describe("a period and a reference", () => {
  const PERIOD = toUserMark({ kind: "topup", value: "2026-W47" });

  test("are found on the chain and recorded, and from then on take no call", async () => {
    expect(await findUserSaved(PERIOD)).toMatchObject({ saved: null, isComplete: true });
    const txSignature = await landMark(PERIOD.mark);
    const saved = { value: "2026-W47", slot: readSlot(), message: "", txSignature };
    expect(await findUserSaved(PERIOD)).toMatchObject({ saved, isUpdated: true });
    expect(await readRecord(PERIOD)).toEqual(saved);
    expect(await findUserSaved(PERIOD)).toEqual({ saved, isComplete: true, callCount: 0, isUpdated: false });
    expect(await findUserSaved(toUserMark({ kind: "topup", value: "2026-W48" }))).toMatchObject({ saved: null });
  });

  test.each(["2026-W47", "2028-W10", "a name"])("of %s are searched for in the whole history", async (value) => {
    for (let i = 0; i < 1_500; i++) world.addTransaction({});
    for (const entry of world.deps.chain.history.get(user.address)!) entry.blockTime = null;
    await findUserSaved(toUserMark({ kind: "topup", value }));
    expect(listRequests()).toHaveLength(2);
  });
});

async function buildSaving(batch: Batch) {
  setPrices(world.deps);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: world.serviceWallet };
  return buildWrapBatch(world.deps, parseInput(buildWrapBatchContract, { plan: "forest", ...wallets, ...batch }));
}

describe("a build of a batch", () => {
  test("searches the whole history before the wallet signs, so forged memos cost no signature", async () => {
    const { value: through } = await landPayment();
    for (let i = 0; i < 60; i++)
      world.addTransaction({}, { memo: `[1] ${formatMark(createThroughMark(through, NOTHING_SAVED))}` });
    for (let i = 0; i < 2; i++)
      await expect(requireNextBatch(world.deps, user.address, through, NOTHING_SAVED)).rejects.toMatchObject(
        STILL_CHECKING,
      );
    const batch = { txValuesUsd: [1.37], small: { count: 0, sumUsd: 0 }, through, after: NOTHING_SAVED };
    const bytes = signBuild(await buildSaving(batch));
    world.deps.calls.length = 0;
    expect(await world.postAndFindError(bytes)).toBeNull();
    expect(listRequests()).toHaveLength(1);
  });

  test("is refused for a payment that the wallet did not sign, in an error that names the field", async () => {
    const message = "names no confirmed payment of userPubkey";
    await expect(requireNextBatch(world.deps, user.address, "unknown", NOTHING_SAVED)).rejects.toMatchObject({
      code: "invalid_request",
      message: `through ${message}.`,
      details: { issues: [{ path: "through", message }] },
    });
  });

  test("that overlaps a saved one is refused, also if it was built and signed before", async () => {
    await landPayment();
    const [earlyBatch] = (await world.readSpending()).batches;
    await landPayment();
    const [staleBatch] = (await world.readSpending()).batches;
    expect(staleBatch!.txValuesUsd).toHaveLength(2);
    const { instructions, transaction } = await buildSaving(staleBatch!);
    expect(await world.postAndFindError(signBuild(await buildSaving(earlyBatch!)))).toBeNull();
    const staleBytes = [
      signBuild({ transaction }),
      buildTransaction(instructions, [user], world.deps.chain.getLatestBlockhash().blockhash),
    ];
    for (const bytes of staleBytes) expect(await world.postAndFindError(bytes)).toBe("already_saved");
    await expect(buildSaving(staleBatch!)).rejects.toMatchObject(ALREADY_SAVED);
    const [nextBatch] = (await world.readSpending()).batches;
    expect(nextBatch).toMatchObject({ txValuesUsd: [1.37], after: earlyBatch!.through });
    expect(await world.postAndFindError(signBuild(await buildSaving(nextBatch!)))).toBeNull();
  });

  test("fails as upstream_unavailable while the node lags, and works once it has caught up", async () => {
    const { value: through } = await landPayment();
    const batch = { txValuesUsd: [1.37], small: { count: 0, sumUsd: 0 }, through, after: NOTHING_SAVED };
    const { chain } = world.deps;
    const { getStatus, slot, transactions, getLatestBlockhash } = chain;
    const [laggingSlot, currentSlot] = [slot() - 10, slot()];
    Object.assign(chain, { slot: () => laggingSlot, getStatus: () => null, transactions: new Map() });
    chain.getLatestBlockhash = () => ({ ...getLatestBlockhash(), slot: currentSlot });
    await expect(runFor(2_000, world.deps, buildSaving(batch))).rejects.toMatchObject(NODE_BEHIND);
    Object.assign(chain, { getStatus, slot, transactions, getLatestBlockhash });
    expect((await buildSaving(batch)).transaction).not.toBeNull();
  });

  test("is not needed: a message that an app composes itself is checked at execute", async () => {
    const { value: through } = await landPayment();
    const compose = (after: string) =>
      buildTransaction(
        [
          buildSystemTransfer(user.address, world.serviceWallet, 1_000_000n),
          buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 100_000n),
          buildMemo(formatMark(createThroughMark(through, after)), user.address),
        ],
        [user],
        world.deps.chain.getLatestBlockhash().blockhash,
      );
    expect(await world.postAndFindError(compose("another payment"))).toBe("already_saved");
    expect(await world.postAndFindError(compose(NOTHING_SAVED))).toBeNull();
    expect(await world.postAndFindError(compose(through))).toBe("already_saved");
  });
});

describe("a saving whose record the store has lost", () => {
  /** Posts within 10 s, so that the blockhash of a saving that is posted later stays valid. */
  const postNow = (bytes: Uint8Array) => runFor(10_000, world.deps, startPosting(world.deps, bytes));

  /** Signs two savings of one payment and lands the second. The store then loses all but the service wallets. */
  async function landAndLose(): Promise<[stale: Uint8Array, landed: Uint8Array]> {
    await landPayment();
    const savings: Uint8Array[] = [];
    for (let i = 0; i < 2; i++) {
      await world.deps.clock.advance(2_000);
      savings.push(signBuild(await buildSaving((await world.readSpending()).batches[0]!)));
    }
    await postNow(savings[1]!);
    await rollBack(world.deps, new Map(), (key) => !/^(service-wallet|marked-into):/.test(key));
    return savings as [Uint8Array, Uint8Array];
  }

  /** Stages a node that lists the history without its newest transaction and reports an older slot. */
  function stageLag(): () => void {
    const { rpc, chain } = world.deps;
    const [markSlot, entries, { readSignatures }] = [readSlot(), chain.history.get(user.address)!, rpc];
    chain.history.set(user.address, entries.slice(1));
    rpc.readSignatures = async (address, page) => {
      if ((page.minSlot ?? 0) >= markSlot - 100) throw new AppError("upstream_unavailable");
      return readSignatures(address, page);
    };
    return () => {
      chain.history.set(user.address, entries);
      rpc.readSignatures = readSignatures;
    };
  }

  function stageMissingData(): () => void {
    const { transactions } = world.deps.chain;
    const [signature, figures] = [...transactions].at(-1)!;
    transactions.delete(signature);
    return () => void transactions.set(signature, figures);
  }

  test.each<[string, () => () => void]>([
    ["fails", () => stageOutage(world.deps, ({ method }) => method === "readSignatures")],
    ["lags", stageLag],
    ["lists the mark's transaction but does not have its data", stageMissingData],
  ])(
    "keeps another from being sent: 503 while a node %s, then 409 with its signature",
    async (_caseName, stageFault) => {
      const [stale, landed] = await landAndLose();
      const endFault = stageFault();
      await expect(postNow(stale)).rejects.toMatchObject(NODE_BEHIND);
      endFault();
      const details = { txSignature: readSignature(landed) };
      await expect(postNow(stale)).rejects.toMatchObject({ ...ALREADY_SAVED, details });
      expect(world.landedSignatures).toEqual([readSignature(landed)]);
    },
  );

  test("503, not 409, when it is posted again and a node lacks its state", async () => {
    const [, landed] = await landAndLose();
    const { getStatus } = world.deps.chain;
    world.deps.chain.getStatus = (signature, searchesHistory) =>
      signature === readSignature(landed) ? null : getStatus(signature, searchesHistory);
    await expect(postNow(landed)).rejects.toMatchObject(NODE_BEHIND);
  });
});

const findPaymentSlot = (signature: string) => readPaymentSlot(world.deps, user.address, signature, 0);

test("a payment's slot comes from its transaction, without a second call", async () => {
  const payment = world.addTransaction({ slot: 7 });
  world.deps.calls.length = 0;
  expect(await findPaymentSlot(payment)).toBe(7);
  expect(world.deps.calls.map(({ method }) => method)).toEqual(["readTransaction"]);
});

/** Adds a payment whose transaction does not tell its slot. */
function payWithoutSlot(): string {
  const payment = world.pay(1.37);
  delete world.deps.chain.transactions.get(payment)!.slot;
  return payment;
}

test("a payment's slot comes from its state if the transaction lacks it", async () => {
  expect(await findPaymentSlot(payWithoutSlot())).toBe(world.deps.chain.slot());
});

test("a transaction that the wallet did not sign, that is in a newer format or that no node knows, has no slot", async () => {
  expect(await findPaymentSlot(world.addTransaction({ signers: [stranger.address], slot: 7 }))).toBeNull();
  expect(await findPaymentSlot("unknown")).toBeNull();
  world.deps.rpc.readTransaction = async () => "unsupported";
  expect(await findPaymentSlot("newer")).toBeNull();
});

test("a transaction in which a delegate moved the wallet's dollars has a slot", async () => {
  const transfer = { ...createTokenPayment(3_000_000n), signers: [stranger.address], slot: 7 };
  const pull = {
    ...transfer,
    tokenMovements: [{ source: "own account", destination: "shop", authority: stranger.address, amount: 1n }],
  };
  expect(await findPaymentSlot(world.addTransaction(pull))).toBe(7);
  expect(await findPaymentSlot(world.addTransaction(transfer))).toBeNull();
  const failedPull = { ...pull, postTokenBalances: pull.preTokenBalances! };
  expect(await findPaymentSlot(world.addTransaction(failedPull))).toBeNull();
});

test("reading a slot fails with status 503 while the node has only a part of the payment's data", async () => {
  const { chain } = world.deps;
  const payment = payWithoutSlot();
  const { getStatus, transactions } = chain;
  chain.getStatus = (...args) => ({ ...getStatus(...args)!, confirmation: "processed" });
  await expect(findPaymentSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
  chain.getStatus = () => null;
  await expect(findPaymentSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
  Object.assign(chain, { getStatus, transactions: new Map() });
  await expect(findPaymentSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
  chain.transactions = transactions;
  expect(await findPaymentSlot(payment)).toBe(chain.slot());
});

test("payments are ordered by slot, then by the bytes of their signatures", () => {
  // In base58, Z is 32 and a is 33. A text of 65 characters has more bytes than these have in 64.
  const [smaller, larger] = [`${"1".repeat(63)}Z`, `${"1".repeat(63)}a`];
  expect(isLaterPayment({ value: smaller, slot: 2 }, { value: larger, slot: 1 })).toBe(true);
  expect(isLaterPayment({ value: larger, slot: 1 }, { value: smaller, slot: 2 })).toBe(false);
  expect(isLaterPayment({ value: larger, slot: 1 }, { value: smaller, slot: 1 })).toBe(true);
  expect(isLaterPayment({ value: smaller, slot: 1 }, { value: larger, slot: 1 })).toBe(false);
  expect(isLaterPayment({ value: larger, slot: 1 }, { value: larger, slot: 1 })).toBe(false);
});
