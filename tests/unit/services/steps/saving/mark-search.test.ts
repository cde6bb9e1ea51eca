import { beforeEach, describe, expect, test } from "vitest";
import type { Mark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { type HistoryPosition, searchForMark } from "../../../../../lib/services/steps/saving/mark-search";
import { FEE_COLLECTORS, listCalls } from "../../../../support/fakes/fake-deps";
import { stranger, user } from "../../../../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

const PAGE = 1_000;
const NOT_FOUND = { isComplete: true, found: null };
const INCOMPLETE = { isComplete: false, found: null };
const BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const formatMemo = ({ kind, value }: Mark) => `[1] roundup:1:${kind}:${value}`;
const through = (value: string): Mark => ({ kind: "through", value });
const topup = (value: string): Mark => ({ kind: "topup", value });

/** Adds a transaction that sets a mark. @returns its signature */
const setMark = (mark: Mark, error?: string) => setMarks([mark], error);

/** Adds one transaction that sets several marks. @returns its signature */
function setMarks(marks: Mark[], error?: string): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  const figures = { movements, marks: marks.map((mark) => ({ wallet: user.address, mark })) };
  return world.add(figures, { memo: marks.map(formatMemo).join("; "), ...(error && { error }) });
}

/** Adds a stranger's transaction whose memo looks like a mark of the wallet. */
const forge = (mark: Mark) => world.add({ signers: [stranger.address] }, { memo: formatMemo(mark) });

/** Adds transactions without marks. */
function addTransactions(count: number): void {
  for (let i = 0; i < count; i++) world.add({});
}

const search = (mark = through(""), isTooOld: (place: HistoryPosition) => boolean = () => false, minSlot = 0) =>
  searchForMark(world.deps, { wallet: user.address, mark }, isTooOld, minSlot);

const nextSlot = () => world.deps.clock.advance(400);
const history = () => world.deps.chain.history.get(user.address)!;
const requests = (method: string) =>
  world.deps.calls.filter((call) => call.port === "rpc" && call.method === method).map(({ args }) => args);

describe("the search for a reference", () => {
  const order = createReferenceMark(user.address, "order 1");
  const createEntry = (txSignature: string, slot: number, hasFailed: boolean) => ({
    value: order.value,
    txSignature,
    slot,
    hasFailed,
  });

  /** Lets the node list the wallet's transactions under the key of the reference. */
  const listUnderKey = () => world.deps.chain.history.set(order.key, history());

  test("lists the wallet's transactions under the key, newest first, including failed ones", async () => {
    const failed = createEntry(setMark(order, "InstructionError"), world.deps.chain.slot(), true);
    await nextSlot();
    const landed = createEntry(setMark(order), world.deps.chain.slot(), false);
    await nextSlot();
    forge(order);
    world.add({}, { memo: formatMemo(order) });
    listUnderKey();
    expect(await search(order)).toEqual({ isComplete: true, found: landed, listed: [landed, failed], calls: 5 });
    expect(requests("readSignatures")[0]![0]).toBe(order.key);
    expect(await search(order)).toEqual({ isComplete: true, found: landed, listed: [landed, failed], calls: 1 });
    await nextSlot();
    const again = createEntry(setMark(order), world.deps.chain.slot(), false);
    expect(await search(order)).toMatchObject({
      found: { txSignature: again.txSignature },
      listed: [again, landed, failed],
    });
  });

  test("finds no mark if every transaction failed or belongs to another reference", async () => {
    const failed = createEntry(setMark(order, "InstructionError"), world.deps.chain.slot(), true);
    setMark(topup("w1"));
    listUnderKey();
    expect(await search(order)).toMatchObject({ ...NOT_FOUND, listed: [failed] });
    const other = createReferenceMark(user.address, "order 2");
    world.deps.chain.history.set(other.key, history());
    expect(await search(other)).toMatchObject({ ...NOT_FOUND, listed: [] });
    expect(await search(topup("w1"))).not.toHaveProperty("listed");
  });

  test("reads the wallet's own history if the transfer carries no key", async () => {
    const keyless: Mark = { kind: "ref", value: order.value, key: null };
    setMark(keyless);
    expect(await search(keyless)).toMatchObject({ isComplete: true, found: { value: order.value } });
    expect(requests("readSignatures")[0]![0]).toBe(user.address);
  });
});

describe("the search for the newest mark", () => {
  test("returns the mark's payment, transaction and slot", async () => {
    setMark(through("old"));
    await nextSlot();
    const txSignature = setMark(through("new"));
    const slot = world.deps.chain.slot();
    await nextSlot();
    addTransactions(3);
    expect(await search()).toEqual({ isComplete: true, found: { value: "new", txSignature, slot }, calls: 3 });
  });

  test("finds only the mark of the requested period", async () => {
    const txSignature = setMark(topup("w1"));
    setMark(topup("w2"));
    setMark(through("payment"));
    expect(await search(topup("w1"))).toMatchObject({ isComplete: true, found: { value: "w1", txSignature } });
    expect(await search(topup("w3"))).toMatchObject(NOT_FOUND);
    expect(await search(topup("w"))).toMatchObject(NOT_FOUND);
  });

  test("finds the newest payment mark whichever payment the caller names", async () => {
    setMark(through("saved"));
    setMark(topup("w1"));
    expect(await search(through("another"))).toMatchObject({ found: { value: "saved" }, calls: 2 });
  });

  test("finds each of several marks in one transaction", async () => {
    setMarks([topup("w2"), through("payment"), topup("w1")]);
    expect(await search(topup("w1"))).toMatchObject({ found: { value: "w1" } });
    expect(await search()).toMatchObject({ found: { value: "payment" } });
  });

  test("ignores a transaction that failed or that paid no fee to a collector", async () => {
    setMark(through("failed"), "InstructionError");
    expect(await search()).toMatchObject({ ...NOT_FOUND, calls: 1 });
    forge(through("forged"));
    expect(await search()).toMatchObject({ ...NOT_FOUND, calls: 2 });
  });

  test("passes over a mark that belongs to another wallet", async () => {
    const txSignature = setMark(through("own"));
    const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
    const marks = [{ wallet: stranger.address, mark: through("another") }];
    world.add({ movements, marks }, { memo: formatMemo(through("another")) });
    expect(await search()).toMatchObject({ found: { value: "own", txSignature } });
  });

  test("finds nothing in an empty history until a mark lands", async () => {
    expect(await search()).toEqual({ ...NOT_FOUND, calls: 1 });
    setMark(through("first"));
    for (const calls of [2, 1]) expect(await search()).toMatchObject({ found: { value: "first" }, calls });
  });

  test("reads nine forged memos in one search", async () => {
    for (let i = 0; i < 9; i++) forge(through("forged"));
    expect(await search()).toEqual({ ...NOT_FOUND, calls: 10 });
  });

  test.each([PAGE - 1, PAGE, PAGE + 1])("finds a mark below %i other transactions", async (count) => {
    setMark(through("below"));
    addTransactions(count);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "below" } });
  });

  test.each([
    [PAGE - 1, 1],
    [PAGE, 2],
  ])("reads a history of %i transactions in %i pages", async (count, pages) => {
    addTransactions(count);
    expect(await search()).toEqual({ ...NOT_FOUND, calls: pages });
  });
});

describe("a repeated search", () => {
  test("makes one short listing if nothing is new", async () => {
    setMark(through("known"));
    for (let i = 0; i < 3; i++) forge(through("forged"));
    await search();
    const newest = history()[0]!.signature;
    world.deps.calls.length = 0;
    expect(await search()).toMatchObject({ found: { value: "known" }, calls: 1 });
    expect(requests("readSignatures")).toMatchObject([[user.address, { limit: PAGE, until: newest }]]);
    expect(listCalls(world.deps)).toEqual(["kv.get", "rpc.readSignatures"]);
    await world.deps.kv.delete(`mark-look:through:${user.address}`);
    expect(await search()).toMatchObject({ found: { value: "known" }, calls: 2 });
  });

  test.each([0, 1])("finds a newer mark below %i newer transactions", async (newer) => {
    setMark(through("old"));
    await search();
    await nextSlot();
    const txSignature = setMark(through("new"));
    addTransactions(newer);
    expect(await search()).toMatchObject({ found: { value: "new", txSignature } });
    expect(await search()).toMatchObject({ found: { value: "new", txSignature }, calls: 1 });
  });

  test("continues below the position at which an earlier search stopped", async () => {
    setMark(through("old"));
    addTransactions(PAGE);
    await nextSlot();
    addTransactions(PAGE);
    const { slot } = history()[0]!;
    expect(await search(through(""), (place) => place.slot < slot)).toMatchObject({ ...NOT_FOUND, calls: 2 });
    expect(await search()).toMatchObject({ found: { value: "old" } });
  });

  test("continues after eight pages, although new transactions have arrived", async () => {
    setMark(through("old"));
    addTransactions(9 * PAGE);
    expect(await search()).toEqual({ ...INCOMPLETE, calls: 8 });
    await nextSlot();
    addTransactions(2 * PAGE);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" } });
  });

  test.each([
    { between: [], after: [], found: "old" },
    { between: ["new"], after: [], found: "new" },
    { between: [], after: ["newest"], found: "newest" },
  ])(
    "finds $found after nine pages of newer transactions, with the marks $between below and $after above them",
    async ({ between, after, found }) => {
      setMark(through("old"));
      expect(await search()).toMatchObject({ found: { value: "old" } });
      await nextSlot();
      for (const mark of between) setMark(through(mark));
      addTransactions(9 * PAGE);
      expect(await search()).toEqual({ ...INCOMPLETE, calls: 8 });
      await nextSlot();
      for (const mark of after) setMark(through(mark));
      addTransactions(5);
      expect(await search()).toMatchObject({ isComplete: true, found: { value: found } });
      expect(await search()).toMatchObject({ calls: 1 });
    },
  );

  test("continues after 24 memos, and stops at a mark above the unread ones", async () => {
    setMark(through("old"));
    for (let i = 0; i < 30; i++) forge(through("forged"));
    expect(await search()).toEqual({ ...INCOMPLETE, calls: 25 });
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" } });
    for (let i = 0; i < 24; i++) forge(through("forged"));
    setMark(through("new"));
    for (let i = 0; i < 23; i++) forge(through("forged"));
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });
});

describe("a search does not mistake a gap for the end of the history", () => {
  test("if the node lists a transaction with a memo, but does not have it yet", async () => {
    const mark = setMark(through("new"));
    const { transactions } = world.deps.chain;
    const figures = transactions.get(mark)!;
    transactions.delete(mark);
    addTransactions(2);
    expect(await search()).toMatchObject(INCOMPLETE);
    transactions.set(mark, figures);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });

  test("if the node lacks a transaction that was read before", async () => {
    addTransactions(9 * PAGE);
    await search();
    const all = history();
    world.deps.chain.history.set(user.address, all.slice(0, 5_000));
    await expect(search()).rejects.toMatchObject(BEHIND);
    world.deps.chain.history.set(user.address, all);
    expect(await search()).toMatchObject(NOT_FOUND);
  });

  test("if the node is behind the newest transaction that was read, or behind the caller", async () => {
    await nextSlot();
    const slot = world.deps.chain.slot();
    await expect(search(through(""), undefined, slot + 1)).rejects.toMatchObject(BEHIND);
    addTransactions(1);
    expect(await search(through(""), undefined, slot)).toMatchObject(NOT_FOUND);
    world.deps.chain.slot = () => slot - 1;
    await expect(search()).rejects.toMatchObject(BEHIND);
  });

  test("if the newest transaction that was read is on a dropped fork", async () => {
    setMark(through("old"));
    await nextSlot();
    addTransactions(1);
    expect(await search()).toMatchObject({ found: { value: "old" } });
    history().shift();
    await nextSlot();
    addTransactions(2);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" } });
  });

  test("if a dropped fork held the newest transaction, and the other fork has a mark in the same slot", async () => {
    await nextSlot();
    addTransactions(1);
    expect(await search()).toMatchObject(NOT_FOUND);
    history().shift();
    setMark(through("same slot"));
    addTransactions(PAGE);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "same slot" } });
  });

  test("if a dropped fork held the newest transaction, and it reads only one page again", async () => {
    setMark(through("old"));
    addTransactions(2 * PAGE);
    await nextSlot();
    addTransactions(1);
    expect(await search()).toMatchObject({ found: { value: "old" } });
    history().shift();
    await nextSlot();
    addTransactions(1);
    expect(await search()).toMatchObject({ isComplete: true, found: { value: "old" }, calls: 1 });
  });

  test("if the node is behind a transaction that an incomplete search has read", async () => {
    addTransactions(1);
    await search();
    const setUnread = () => world.deps.chain.transactions.delete(setMark(through("unread")));
    await nextSlot();
    setUnread();
    await nextSlot();
    addTransactions(1);
    const slot = world.deps.chain.slot();
    expect(await search()).toMatchObject(INCOMPLETE);
    await nextSlot();
    setUnread();
    expect(await search()).toMatchObject(INCOMPLETE);
    world.deps.chain.slot = () => slot - 1;
    await expect(search()).rejects.toMatchObject(BEHIND);
  });
});
