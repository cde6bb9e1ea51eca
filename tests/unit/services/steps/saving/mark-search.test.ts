import { beforeEach, describe, expect, test } from "vitest";
import type { Mark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { type HistoryPosition, searchForMark } from "../../../../../lib/services/steps/saving/mark-search";
import { FEE_COLLECTORS, listArguments, listCalls } from "../../../../support/fakes/fake-deps";
import { stranger, user } from "../../../../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

/** The transactions on one page of a node's listing. */
const PAGE = 1_000;
const COMPLETE_WITHOUT_MARK = { isComplete: true, found: null };
const INCOMPLETE_WITHOUT_MARK = { isComplete: false, found: null };
const BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const formatMemo = ({ kind, value }: Mark) => `[1] roundup:1:${kind}:${value}`;
const through = (value: string): Mark => ({ kind: "through", value });
const createTopupMark = (value: string): Mark => ({ kind: "topup", value });

/** Adds a transaction that sets a mark. Returns its signature. */
const addMark = (mark: Mark, error?: string) => addMarks([mark], error);

/** Adds one transaction that sets several marks. Returns its signature. */
function addMarks(marks: Mark[], error?: string): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  const figures = { movements, marks: marks.map((mark) => ({ wallet: user.address, mark })) };
  return world.add(figures, { memo: marks.map(formatMemo).join("; "), ...(error && { error }) });
}

/** Adds a stranger's transaction whose memo looks like a mark of the wallet. */
const addForgery = (mark: Mark) => world.add({ signers: [stranger.address] }, { memo: formatMemo(mark) });

function addOthers(count: number): void {
  for (let i = 0; i < count; i++) world.add({});
}

const search = (mark = through(""), isTooOld: (position: HistoryPosition) => boolean = () => false, minSlot = 0) =>
  searchForMark(world.deps, { wallet: user.address, mark }, isTooOld, minSlot);

const advanceSlot = () => world.deps.clock.advance(400);
const history = () => world.deps.chain.history.get(user.address)!;
const listRequests = () => listArguments(world.deps, "readSignatures");

describe("the search for a reference", () => {
  const order = createReferenceMark(user.address, "order 1");
  /** Adds a transaction with the reference in the current slot. Returns how the search lists it. */
  function addListed(error?: string) {
    const [txSignature, slot] = [addMark(order, error), world.deps.chain.slot()];
    return { value: order.value, txSignature, slot, hasFailed: error !== undefined };
  }

  /** Lets the node list the wallet's transactions under the key of the reference. */
  const listUnderKey = () => world.deps.chain.history.set(order.key, history());

  test("lists the wallet's transactions under the reference's key, newest first and including failed ones", async () => {
    const failed = addListed("InstructionError");
    await advanceSlot();
    const landedMark = addListed();
    await advanceSlot();
    addForgery(order);
    world.add({}, { memo: formatMemo(order) });
    listUnderKey();
    const listing = { isComplete: true, found: landedMark, listedMarks: [landedMark, failed] };
    expect(await search(order)).toEqual({ ...listing, calls: 5 });
    expect(listRequests()[0]![0]).toBe(order.key);
    expect(await search(order)).toEqual({ ...listing, calls: 1 });
    await advanceSlot();
    const later = addListed();
    expect(await search(order)).toMatchObject({ found: later, listedMarks: [later, landedMark, failed] });
  });

  test("finds no landed transaction if all failed", async () => {
    const failed = addListed("InstructionError");
    addMark(createTopupMark("w1"));
    listUnderKey();
    expect(await search(order)).toMatchObject({ ...COMPLETE_WITHOUT_MARK, listedMarks: [failed] });
    const otherMark = createReferenceMark(user.address, "order 2");
    world.deps.chain.history.set(otherMark.key, history());
    expect(await search(otherMark)).toMatchObject({ ...COMPLETE_WITHOUT_MARK, listedMarks: [] });
    expect(await search(createTopupMark("w1"))).not.toHaveProperty("listedMarks");
  });

  test("reads the wallet's own history if the transfer carries no key", async () => {
    const keyless: Mark = { kind: "ref", value: order.value, key: null };
    addMark(keyless);
    expect(await search(keyless)).toMatchObject({ isComplete: true, found: { value: order.value } });
    expect(listRequests()[0]![0]).toBe(user.address);
  });
});

describe("the search for the newest mark", () => {
  test("returns the newest mark of any payment with its transaction and slot", async () => {
    addMark(through("old"));
    await advanceSlot();
    const txSignature = addMark(through("new"));
    const slot = world.deps.chain.slot();
    await advanceSlot();
    addOthers(3);
    expect(await search()).toEqual({ isComplete: true, found: { value: "new", txSignature, slot }, calls: 3 });
  });

  test("finds the mark of exactly the requested period", async () => {
    const txSignature = addMark(createTopupMark("w1"));
    addMark(createTopupMark("w2"));
    addMark(through("payment"));
    const found = { value: "w1", txSignature };
    expect(await search(createTopupMark("w1"))).toMatchObject({ isComplete: true, found });
    expect(await search(createTopupMark("w3"))).toMatchObject(COMPLETE_WITHOUT_MARK);
    expect(await search(createTopupMark("w"))).toMatchObject(COMPLETE_WITHOUT_MARK);
  });

  test("returns the newest mark of any payment, whichever payment the caller names", async () => {
    addMark(through("saved"));
    addMark(createTopupMark("w1"));
    expect(await search(through("another"))).toMatchObject({ found: { value: "saved" }, calls: 2 });
  });

  test("finds a mark among several of one transaction", async () => {
    addMarks([createTopupMark("w2"), through("payment"), createTopupMark("w1")]);
    expect(await search(createTopupMark("w1"))).toMatchObject({ found: { value: "w1" } });
    expect(await search()).toMatchObject({ found: { value: "payment" } });
  });

  test("ignores a transaction that failed or paid no fee to a collector", async () => {
    addMark(through("failed"), "InstructionError");
    expect(await search()).toMatchObject({ ...COMPLETE_WITHOUT_MARK, calls: 1 });
    addForgery(through("forged"));
    expect(await search()).toMatchObject({ ...COMPLETE_WITHOUT_MARK, calls: 2 });
  });

  test("ignores a mark that belongs to another wallet", async () => {
    const txSignature = addMark(through("own"));
    const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
    const marks = [{ wallet: stranger.address, mark: through("another") }];
    world.add({ movements, marks }, { memo: formatMemo(through("another")) });
    expect(await search()).toMatchObject({ found: { value: "own", txSignature } });
  });

  test("finds the first mark of a history that was empty before", async () => {
    expect(await search()).toEqual({ ...COMPLETE_WITHOUT_MARK, calls: 1 });
    addMark(through("first"));
    for (const calls of [2, 1]) expect(await search()).toMatchObject({ found: { value: "first" }, calls });
  });

  test("reads nine forged memos in one search", async () => {
    for (let i = 0; i < 9; i++) addForgery(through("forged"));
    expect(await search()).toEqual({ ...COMPLETE_WITHOUT_MARK, calls: 10 });
  });

  test.each([PAGE - 1, PAGE, PAGE + 1])("finds a mark below %i other transactions", async (count) => {
    addMark(through("below"));
    addOthers(count);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "below" } });
  });

  test.each([
    [PAGE - 1, 1],
    [PAGE, 2],
  ])("reads a history of %i transactions in %i pages", async (count, pages) => {
    addOthers(count);
    expect(await search()).toEqual({ ...COMPLETE_WITHOUT_MARK, calls: pages });
  });
});

describe("a later search", () => {
  test("makes one short listing and reads no known memo again if nothing is new", async () => {
    addMark(through("known"));
    for (let i = 0; i < 3; i++) addForgery(through("forged"));
    await search();
    const newest = history()[0]!.signature;
    world.deps.calls.length = 0;
    expect(await search()).toMatchObject({ found: { value: "known" }, calls: 1 });
    expect(listRequests()).toMatchObject([[user.address, { limit: PAGE, until: newest }]]);
    expect(listCalls(world.deps)).toEqual(["kv.get", "rpc.readSignatures"]);
    await world.deps.kv.delete(`mark-look:through:${user.address}`);
    expect(await search()).toMatchObject({ found: { value: "known" }, calls: 2 });
  });

  test.each([0, 1])(
    "finds a mark that was set since the last search, below %i newer transactions",
    async (newerCount) => {
      addMark(through("old"));
      await search();
      await advanceSlot();
      const txSignature = addMark(through("new"));
      addOthers(newerCount);
      expect(await search()).toMatchObject({ found: { value: "new", txSignature } });
      expect(await search()).toMatchObject({ found: { value: "new", txSignature }, calls: 1 });
    },
  );

  test("continues below the position where the last search stopped early", async () => {
    addMark(through("old"));
    addOthers(PAGE);
    await advanceSlot();
    addOthers(PAGE);
    const { slot } = history()[0]!;
    const shortSearch = search(through(""), (position) => position.slot < slot);
    expect(await shortSearch).toMatchObject({ ...COMPLETE_WITHOUT_MARK, calls: 2 });
    expect(await search()).toMatchObject({ found: { value: "old" } });
  });

  test("continues after eight pages while new transactions arrive", async () => {
    addMark(through("old"));
    addOthers(9 * PAGE);
    expect(await search()).toEqual({ ...INCOMPLETE_WITHOUT_MARK, calls: 8 });
    await advanceSlot();
    addOthers(2 * PAGE);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" } });
  });

  test.each([
    { between: [], after: [], found: "old" },
    { between: ["new"], after: [], found: "new" },
    { between: [], after: ["newest"], found: "newest" },
  ])(
    "finds $found behind eight pages, with the marks $between below and $after above the newer transactions",
    async ({ between, after, found }) => {
      addMark(through("old"));
      expect(await search()).toMatchObject({ found: { value: "old" } });
      await advanceSlot();
      for (const mark of between) addMark(through(mark));
      addOthers(9 * PAGE);
      expect(await search()).toEqual({ ...INCOMPLETE_WITHOUT_MARK, calls: 8 });
      await advanceSlot();
      for (const mark of after) addMark(through(mark));
      addOthers(5);
      expect(await search()).toMatchObject({ isComplete: true, found: { value: found } });
      expect(await search()).toMatchObject({ calls: 1 });
    },
  );

  test("continues after 24 memos, unless it finds a mark above the unread ones", async () => {
    addMark(through("old"));
    for (let i = 0; i < 30; i++) addForgery(through("forged"));
    expect(await search()).toEqual({ ...INCOMPLETE_WITHOUT_MARK, calls: 25 });
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" } });
    for (let i = 0; i < 24; i++) addForgery(through("forged"));
    addMark(through("new"));
    for (let i = 0; i < 23; i++) addForgery(through("forged"));
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });
});

describe("a gap in the history is not taken for its end", () => {
  test("if the node lists a transaction with a memo without having it yet", async () => {
    const mark = addMark(through("new"));
    const { transactions } = world.deps.chain;
    const figures = transactions.get(mark)!;
    transactions.delete(mark);
    addOthers(2);
    expect(await search()).toMatchObject(INCOMPLETE_WITHOUT_MARK);
    transactions.set(mark, figures);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });

  test("if the node lacks a transaction that was read before", async () => {
    addOthers(9 * PAGE);
    await search();
    const wholeHistory = history();
    world.deps.chain.history.set(user.address, wholeHistory.slice(0, 5_000));
    await expect(search()).rejects.toMatchObject(BEHIND);
    world.deps.chain.history.set(user.address, wholeHistory);
    expect(await search()).toMatchObject(COMPLETE_WITHOUT_MARK);
  });

  test("if the node is behind the newest transaction that was read, or behind the caller", async () => {
    await advanceSlot();
    const slot = world.deps.chain.slot();
    await expect(search(through(""), undefined, slot + 1)).rejects.toMatchObject(BEHIND);
    addOthers(1);
    expect(await search(through(""), undefined, slot)).toMatchObject(COMPLETE_WITHOUT_MARK);
    world.deps.chain.slot = () => slot - 1;
    await expect(search()).rejects.toMatchObject(BEHIND);
  });

  test("if the newest transaction that was read is on a dropped fork", async () => {
    addMark(through("old"));
    await advanceSlot();
    addOthers(1);
    expect(await search()).toMatchObject({ found: { value: "old" } });
    history().shift();
    await advanceSlot();
    addOthers(2);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" } });
  });

  test("if a dropped fork held the newest transaction, and the other fork has a mark in the same slot", async () => {
    await advanceSlot();
    addOthers(1);
    expect(await search()).toMatchObject(COMPLETE_WITHOUT_MARK);
    history().shift();
    addMark(through("same slot"));
    addOthers(PAGE);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "same slot" } });
  });

  test("after a dropped fork, for which one page is read again", async () => {
    addMark(through("old"));
    addOthers(2 * PAGE);
    await advanceSlot();
    addOthers(1);
    expect(await search()).toMatchObject({ found: { value: "old" } });
    history().shift();
    await advanceSlot();
    addOthers(1);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" }, calls: 1 });
  });

  test("if the node is behind a transaction that an incomplete search has read", async () => {
    addOthers(1);
    await search();
    const addUnreadMark = () => world.deps.chain.transactions.delete(addMark(through("unread")));
    await advanceSlot();
    addUnreadMark();
    await advanceSlot();
    addOthers(1);
    const slot = world.deps.chain.slot();
    expect(await search()).toMatchObject(INCOMPLETE_WITHOUT_MARK);
    await advanceSlot();
    addUnreadMark();
    expect(await search()).toMatchObject(INCOMPLETE_WITHOUT_MARK);
    world.deps.chain.slot = () => slot - 1;
    await expect(search()).rejects.toMatchObject(BEHIND);
  });
});
