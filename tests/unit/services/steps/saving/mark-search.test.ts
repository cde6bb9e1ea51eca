import { beforeEach, describe, expect, test } from "vitest";
import { formatMark, type Mark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { DAY_MS } from "../../../../../lib/domain/time";
import { readSearchProgress, searchForMark } from "../../../../../lib/services/steps/saving/mark-search";
import type { HistoryPosition } from "../../../../../lib/services/steps/saving/mark-span";
import {
  createConfirmedState,
  FEE_COLLECTORS,
  listArguments,
  listCalls,
  runFor,
} from "../../../../support/fakes/fake-deps";
import { stranger, user } from "../../../../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

/** The transactions on one page of a node's listing. */
const PAGE_TRANSACTIONS = 1_000;
const COMPLETE_WITHOUT_MARK = { isComplete: true, found: null };
const INCOMPLETE_WITHOUT_MARK = { isComplete: false, found: null };
const NODE_BEHIND = { code: "upstream_unavailable" };

/** The payments that marks name, oldest first. */
const PAYMENTS = ["below", "first", "known", "older", "old", "own", "payment", "new", "newer", "newest", "same slot"];

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
  const { getStatus } = world.deps.chain;
  world.deps.chain.getStatus = (signature) => {
    const slot = PAYMENTS.indexOf(signature);
    return slot < 0 ? getStatus(signature, true) : createConfirmedState(slot);
  };
});

const formatMemo = (mark: Mark) => `[1] ${formatMark(mark)}`;
const createThroughMark = (value: string): Mark => ({ kind: "through", value, after: "none" });
const createTopupMark = (value: string): Mark => ({ kind: "topup", value });

/** Adds a transaction that sets a mark. Returns its signature. */
const addMark = (mark: Mark, error?: string) => addMarks([mark], error);

/** Adds one transaction that sets several marks. Returns its signature. */
function addMarks(marks: Mark[], error?: string, signers = [user.address]): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  const figures = { signers, movements, marks: marks.map((mark) => ({ wallet: user.address, mark })) };
  return world.addTransaction(figures, { memo: marks.map(formatMemo).join("; "), ...(error && { error }) });
}

/** Adds a stranger's transaction whose memo looks like a mark of the wallet. */
const addForgedMark = (mark: Mark) => world.addTransaction({ signers: [stranger.address] }, { memo: formatMemo(mark) });

function addOtherTransactions(count: number): void {
  for (let i = 0; i < count; i++) world.addTransaction({});
}

async function runSearch(
  mark = createThroughMark(""),
  isTooOld: (position: HistoryPosition) => boolean = () => false,
  minSlot = 0,
) {
  const query = { wallet: user.address, mark };
  return searchForMark(world.deps, query, await readSearchProgress(world.deps, query), isTooOld, minSlot);
}

const advanceSlot = () => world.deps.clock.advance(400);
const getHistory = () => world.deps.chain.history.get(user.address)!;
const listRequests = () => listArguments(world.deps, "readSignatures");

describe("the search for a reference", () => {
  const order = createReferenceMark(user.address, "order 1");
  /** Adds a transaction with the reference in the current slot. Returns how the search lists it. */
  function addListed(error?: string) {
    return {
      value: order.value,
      txSignature: addMark(order, error),
      slot: world.deps.chain.slot(),
      hasFailed: error !== undefined,
    };
  }

  /** Lets the node list the wallet's transactions under the key of the reference. */
  const listUnderKey = () => world.deps.chain.history.set(order.key, getHistory());

  test("lists the wallet's transactions under the reference's key, newest first, failed ones included", async () => {
    const failedMark = addListed("InstructionError");
    await advanceSlot();
    const landedMark = addListed();
    await advanceSlot();
    addForgedMark(order);
    world.addTransaction({}, { memo: formatMemo(order) });
    // A stranger can copy all instructions, but not sign for the wallet. Such a transaction fails.
    addMarks([order], "MissingRequiredSignature", [stranger.address]);
    listUnderKey();
    const listing = { isComplete: true, found: landedMark, listedMarks: [landedMark, failedMark] };
    expect(await runSearch(order)).toEqual({ ...listing, callCount: 6 });
    expect(listRequests()[0]![0]).toBe(order.key);
    expect(await runSearch(order)).toEqual({ ...listing, callCount: 1 });
    await advanceSlot();
    const laterMark = addListed();
    expect(await runSearch(order)).toMatchObject({
      found: laterMark,
      listedMarks: [laterMark, landedMark, failedMark],
    });
  });

  test("finds no landed mark if every transaction failed", async () => {
    const failedMark = addListed("InstructionError");
    addMark(createTopupMark("w1"));
    listUnderKey();
    expect(await runSearch(order)).toMatchObject({ ...COMPLETE_WITHOUT_MARK, listedMarks: [failedMark] });
    const otherMark = createReferenceMark(user.address, "order 2");
    world.deps.chain.history.set(otherMark.key, getHistory());
    expect(await runSearch(otherMark)).toMatchObject({ ...COMPLETE_WITHOUT_MARK, listedMarks: [] });
    expect(await runSearch(createTopupMark("w1"))).not.toHaveProperty("listedMarks");
  });

  test("reads the wallet's own history if the transfer carries no key", async () => {
    const keylessMark: Mark = { kind: "ref", value: order.value, key: null };
    addMark(keylessMark);
    expect(await runSearch(keylessMark)).toMatchObject({ isComplete: true, found: { value: order.value } });
    expect(listRequests()[0]![0]).toBe(user.address);
  });
});

describe("the search for the newest mark", () => {
  test("returns the mark of the newest payment with its transaction and slot, whichever payment the caller names", async () => {
    addMark(createThroughMark("old"));
    await advanceSlot();
    const txSignature = addMark(createThroughMark("new"));
    const found = { value: "new", txSignature, slot: PAYMENTS.indexOf("new") };
    await advanceSlot();
    addMark(createTopupMark("w1"));
    expect(await runSearch(createThroughMark("another"))).toEqual({ isComplete: true, found, callCount: 4 });
  });

  test("takes the slot of the mark if no node knows its payment, or if the payment landed after it", async () => {
    await advanceSlot();
    for (const payment of ["unknown", "later"]) {
      addMark(createThroughMark(payment));
      const slot = world.deps.chain.slot();
      if (payment === "later") world.deps.chain.getStatus = () => createConfirmedState(slot + 1);
      expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: payment, slot } });
      await advanceSlot();
    }
  });

  test("does not pass a mark while the node that is asked for its payment lags", async () => {
    await advanceSlot();
    addMark(createThroughMark("new"));
    const { readSignatureStates } = world.deps.rpc;
    const slot = world.deps.chain.slot() - 1;
    world.deps.rpc.readSignatureStates = async (signatures) => ({ slot, states: signatures.map(() => null) });
    await expect(runFor(2_000, world.deps, runSearch())).rejects.toMatchObject(NODE_BEHIND);
    world.deps.rpc.readSignatureStates = readSignatureStates;
    expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });

  test("finds the mark of exactly the requested period", async () => {
    const txSignature = addMark(createTopupMark("w1"));
    addMark(createTopupMark("w2"));
    addMark(createThroughMark("payment"));
    const found = { value: "w1", txSignature };
    expect(await runSearch(createTopupMark("w1"))).toMatchObject({ isComplete: true, found });
    expect(await runSearch(createTopupMark("w3"))).toMatchObject(COMPLETE_WITHOUT_MARK);
    expect(await runSearch(createTopupMark("w"))).toMatchObject(COMPLETE_WITHOUT_MARK);
  });

  test("ignores a transaction that failed or paid no fee to a collector", async () => {
    addMark(createThroughMark("failed"), "InstructionError");
    expect(await runSearch()).toMatchObject({ ...COMPLETE_WITHOUT_MARK, callCount: 1 });
    addForgedMark(createThroughMark("forged"));
    expect(await runSearch()).toMatchObject({ ...COMPLETE_WITHOUT_MARK, callCount: 2 });
  });

  test("finds the first mark of a history that was empty before", async () => {
    expect(await runSearch()).toEqual({ ...COMPLETE_WITHOUT_MARK, callCount: 1 });
    addMark(createThroughMark("first"));
    for (const callCount of [3, 1]) expect(await runSearch()).toMatchObject({ found: { value: "first" }, callCount });
  });

  test.each([
    [PAGE_TRANSACTIONS - 2, 1],
    [PAGE_TRANSACTIONS - 1, 2],
    [PAGE_TRANSACTIONS, 2],
  ])("reads %i transactions above a mark in %i pages", async (count, pages) => {
    addMark(createThroughMark("below"));
    await advanceSlot();
    addOtherTransactions(count);
    expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "below" } });
    expect(listRequests()).toHaveLength(pages);
  });
});

describe("a later search", () => {
  test("makes one short listing and reads no known memo again if nothing is new", async () => {
    addMark(createThroughMark("known"));
    for (let i = 0; i < 3; i++) addForgedMark(createThroughMark("forged"));
    await runSearch();
    const newest = getHistory()[0]!.signature;
    world.deps.calls.length = 0;
    expect(await runSearch()).toMatchObject({ found: { value: "known" }, callCount: 1 });
    expect(listRequests()).toMatchObject([[user.address, { limit: PAGE_TRANSACTIONS, until: newest }]]);
    expect(listCalls(world.deps)).toEqual(["kv.get", "rpc.readSignatures"]);
  });

  test.each([0, 1])(
    "finds a mark that was set since the last search, behind %i newer transactions",
    async (newerCount) => {
      addMark(createThroughMark("old"));
      await runSearch();
      await advanceSlot();
      const txSignature = addMark(createThroughMark("new"));
      addOtherTransactions(newerCount);
      expect(await runSearch()).toMatchObject({ found: { value: "new", txSignature } });
      expect(await runSearch()).toMatchObject({ found: { value: "new", txSignature }, callCount: 1 });
    },
  );

  test("keeps its progress for 30 days for payments, and for one day for a period", async () => {
    addOtherTransactions(PAGE_TRANSACTIONS);
    const countCalls = async () => [(await runSearch()).callCount, (await runSearch(createTopupMark("w1"))).callCount];
    expect(await countCalls()).toEqual([2, 2]);
    await world.deps.clock.advance(DAY_MS - 1);
    expect(await countCalls()).toEqual([1, 1]);
    await world.deps.clock.advance(1);
    expect(await countCalls()).toEqual([1, 2]);
    await world.deps.clock.advance(29 * DAY_MS - 1);
    expect(await countCalls()).toEqual([1, 2]);
    await world.deps.clock.advance(1);
    expect(await countCalls()).toEqual([2, 1]);
  });

  test.each([
    { between: [], after: [], found: "old" },
    { between: ["new"], after: [], found: "new" },
    { between: [], after: ["newest"], found: "newest" },
  ])(
    "finds $found behind eight pages, with the marks $between below and $after above the newer transactions",
    async ({ between, after, found }) => {
      addMark(createThroughMark("old"));
      expect(await runSearch()).toMatchObject({ found: { value: "old" } });
      await advanceSlot();
      for (const mark of between) addMark(createThroughMark(mark));
      addOtherTransactions(9 * PAGE_TRANSACTIONS);
      expect(await runSearch()).toEqual({ ...INCOMPLETE_WITHOUT_MARK, callCount: 8 });
      await advanceSlot();
      for (const mark of after) addMark(createThroughMark(mark));
      addOtherTransactions(5);
      expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: found } });
      expect(await runSearch()).toMatchObject({ callCount: 1 });
    },
  );

  test("continues after 24 memos, unless it finds a mark that is newer than the unread memos", async () => {
    addMark(createThroughMark("old"));
    for (let i = 0; i < 30; i++) addForgedMark(createThroughMark("forged"));
    expect(await runSearch()).toEqual({ ...INCOMPLETE_WITHOUT_MARK, callCount: 25 });
    expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "old" } });
    const period = createTopupMark("w1");
    for (let i = 0; i < 24; i++) addForgedMark(period);
    addMark(period);
    for (let i = 0; i < 23; i++) addForgedMark(period);
    expect(await runSearch(period)).toMatchObject({ isComplete: true, found: { value: "w1" } });
  });
});

describe("a gap in the history is not taken for its end", () => {
  test("if the node lists a transaction with a memo but does not have its data yet", async () => {
    const mark = addMark(createThroughMark("new"));
    const { transactions } = world.deps.chain;
    const figures = transactions.get(mark)!;
    transactions.delete(mark);
    addOtherTransactions(2);
    expect(await runSearch()).toMatchObject(INCOMPLETE_WITHOUT_MARK);
    transactions.set(mark, figures);
    expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });

  test("unless the transaction has a format that this service never relays", async () => {
    addMark(createThroughMark("older"));
    const unsupported = addMark(createThroughMark("newer"));
    const { readTransaction } = world.deps.rpc;
    world.deps.rpc.readTransaction = async (signature) =>
      signature === unsupported ? "unsupported" : readTransaction(signature);
    expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "older" } });
  });

  test("if the node lacks a transaction that an earlier search has read", async () => {
    addOtherTransactions(9 * PAGE_TRANSACTIONS);
    await runSearch();
    const wholeHistory = getHistory();
    world.deps.chain.history.set(user.address, wholeHistory.slice(0, 5_000));
    await expect(runSearch()).rejects.toMatchObject(NODE_BEHIND);
    // The search starts over, because the transaction may be pruned for good.
    expect(await runSearch()).toMatchObject(COMPLETE_WITHOUT_MARK);
    world.deps.chain.history.set(user.address, wholeHistory);
    expect(await runSearch()).toMatchObject(COMPLETE_WITHOUT_MARK);
  });

  test("if the node is behind the newest transaction that was read, or behind the caller's slot", async () => {
    await advanceSlot();
    const slot = world.deps.chain.slot();
    await expect(runSearch(createThroughMark(""), undefined, slot + 1)).rejects.toMatchObject(NODE_BEHIND);
    addOtherTransactions(1);
    expect(await runSearch(createThroughMark(""), undefined, slot)).toMatchObject(COMPLETE_WITHOUT_MARK);
    world.deps.chain.slot = () => slot - 1;
    await expect(runSearch()).rejects.toMatchObject(NODE_BEHIND);
  });

  test("if a dropped fork held the newest transaction, and the other fork has a mark in the same slot", async () => {
    await advanceSlot();
    addOtherTransactions(1);
    expect(await runSearch()).toMatchObject(COMPLETE_WITHOUT_MARK);
    getHistory().shift();
    addMark(createThroughMark("same slot"));
    addOtherTransactions(PAGE_TRANSACTIONS);
    expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "same slot" } });
  });

  test.each([1, 2 * PAGE_TRANSACTIONS + 1])(
    "if a dropped fork held the newest of %i transactions above the mark, and one page is read again",
    async (count) => {
      addMark(createThroughMark("old"));
      addOtherTransactions(count - 1);
      await advanceSlot();
      addOtherTransactions(1);
      expect(await runSearch()).toMatchObject({ found: { value: "old" } });
      getHistory().shift();
      await advanceSlot();
      addOtherTransactions(2);
      const pagesBefore = listRequests().length;
      expect(await runSearch()).toMatchObject({ isComplete: true, found: { value: "old" } });
      expect(listRequests()).toHaveLength(pagesBefore + 1);
    },
  );

  test("if the node is behind a transaction that an incomplete search has read", async () => {
    addOtherTransactions(1);
    await runSearch();
    const addUnreadMark = () => world.deps.chain.transactions.delete(addMark(createThroughMark("unread")));
    await advanceSlot();
    addUnreadMark();
    await advanceSlot();
    addOtherTransactions(1);
    const slot = world.deps.chain.slot();
    expect(await runSearch()).toMatchObject(INCOMPLETE_WITHOUT_MARK);
    await advanceSlot();
    addUnreadMark();
    expect(await runSearch()).toMatchObject(INCOMPLETE_WITHOUT_MARK);
    world.deps.chain.slot = () => slot - 1;
    await expect(runSearch()).rejects.toMatchObject(NODE_BEHIND);
  });
});
