import { beforeEach, describe, expect, test } from "vitest";
import type { Mark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { type HistoryPosition, searchForMark } from "../../../../../lib/services/steps/saving/mark-search";
import { FEE_COLLECTORS, listCalls } from "../../../../support/fakes/fake-deps";
import { stranger, user } from "../../../../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

const PAGE = 1_000;
const NOTHING = { isComplete: true, found: null };
const NOT_ALL_READ = { isComplete: false, found: null };
const BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const memoOf = ({ kind, value }: Mark) => `[1] roundup:1:${kind}:${value}`;
const through = (value: string): Mark => ({ kind: "through", value });
const topup = (value: string): Mark => ({ kind: "topup", value });

/** Adds a transaction that sets a mark. @returns its signature */
const set = (mark: Mark, error?: string) => setAll([mark], error);

/** Adds one transaction that sets several marks. @returns its signature */
function setAll(marks: Mark[], error?: string): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  const figures = { movements, marks: marks.map((mark) => ({ wallet: user.address, mark })) };
  return world.add(figures, { memo: marks.map(memoOf).join("; "), ...(error && { error }) });
}

/** Adds a stranger's transaction whose memo looks like a mark of the wallet. */
const forge = (mark: Mark) => world.add({ signers: [stranger.address] }, { memo: memoOf(mark) });

function fill(count: number): void {
  for (let i = 0; i < count; i++) world.add({});
}

const look = (mark = through(""), isTooOld: (place: HistoryPosition) => boolean = () => false, minSlot = 0) =>
  searchForMark(world.deps, { wallet: user.address, mark }, isTooOld, minSlot);

const nextSlot = () => world.deps.clock.advance(400);
const history = () => world.deps.chain.history.get(user.address)!;
const requests = (method: string) =>
  world.deps.calls.filter((call) => call.port === "rpc" && call.method === method).map(({ args }) => args);

describe("finds the transactions of a reference", () => {
  const order = createReferenceMark(user.address, "order 1");
  const entryOf = (txSignature: string, slot: number, hasFailed: boolean) => ({
    ...{ value: order.value, txSignature, slot, hasFailed },
  });

  /** Lets the node list the wallet's transactions under the key of the reference. */
  const listUnderKey = () => world.deps.chain.history.set(order.key, history());

  test("in the history of its key: newest first, those that failed included, a stranger's left out", async () => {
    const failed = entryOf(set(order, "InstructionError"), world.deps.chain.slot(), true);
    await nextSlot();
    const landed = entryOf(set(order), world.deps.chain.slot(), false);
    await nextSlot();
    forge(order);
    world.add({}, { memo: memoOf(order) });
    listUnderKey();
    expect(await look(order)).toEqual({ isComplete: true, found: landed, listed: [landed, failed], calls: 5 });
    expect(requests("readSignatures")[0]![0]).toBe(order.key);
    expect(await look(order)).toEqual({ isComplete: true, found: landed, listed: [landed, failed], calls: 1 });
    await nextSlot();
    const again = entryOf(set(order), world.deps.chain.slot(), false);
    expect(await look(order)).toMatchObject({
      found: { txSignature: again.txSignature },
      listed: [again, landed, failed],
    });
  });

  test("and finds none that landed among those that failed, and none of another reference", async () => {
    const failed = entryOf(set(order, "InstructionError"), world.deps.chain.slot(), true);
    set(topup("w1"));
    listUnderKey();
    expect(await look(order)).toMatchObject({ ...NOTHING, listed: [failed] });
    const other = createReferenceMark(user.address, "order 2");
    world.deps.chain.history.set(other.key, history());
    expect(await look(other)).toMatchObject({ ...NOTHING, listed: [] });
    expect(await look(topup("w1"))).not.toHaveProperty("listed");
  });

  test("in the wallet's own history when its transfer carries no key", async () => {
    const keyless: Mark = { kind: "ref", value: order.value, key: null };
    set(keyless);
    expect(await look(keyless)).toMatchObject({ isComplete: true, found: { value: order.value } });
    expect(requests("readSignatures")[0]![0]).toBe(user.address);
  });
});

describe("finds the newest mark", () => {
  test("of any payment, with its transaction and slot", async () => {
    set(through("old"));
    await nextSlot();
    const txSignature = set(through("new"));
    const slot = world.deps.chain.slot();
    await nextSlot();
    fill(3);
    expect(await look()).toEqual({ isComplete: true, found: { value: "new", txSignature, slot }, calls: 3 });
  });

  test("of one period only", async () => {
    const txSignature = set(topup("w1"));
    set(topup("w2"));
    set(through("payment"));
    expect(await look(topup("w1"))).toMatchObject({ isComplete: true, found: { value: "w1", txSignature } });
    expect(await look(topup("w3"))).toMatchObject(NOTHING);
    expect(await look(topup("w"))).toMatchObject(NOTHING);
  });

  test("of any payment, whichever payment the caller names, and reads no other transaction", async () => {
    set(through("saved"));
    set(topup("w1"));
    expect(await look(through("another"))).toMatchObject({ found: { value: "saved" }, calls: 2 });
  });

  test("among several marks of one transaction", async () => {
    setAll([topup("w2"), through("payment"), topup("w1")]);
    expect(await look(topup("w1"))).toMatchObject({ found: { value: "w1" } });
    expect(await look()).toMatchObject({ found: { value: "payment" } });
  });

  test("but none in a transaction that failed, or that paid no fee to a collector", async () => {
    set(through("failed"), "InstructionError");
    expect(await look()).toMatchObject({ ...NOTHING, calls: 1 });
    forge(through("forged"));
    expect(await look()).toMatchObject({ ...NOTHING, calls: 2 });
  });

  test("below a mark that belongs to another wallet", async () => {
    const txSignature = set(through("own"));
    const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
    const marks = [{ wallet: stranger.address, mark: through("another") }];
    world.add({ movements, marks }, { memo: memoOf(through("another")) });
    expect(await look()).toMatchObject({ found: { value: "own", txSignature } });
  });

  test("in an empty history: none, until there is one", async () => {
    expect(await look()).toEqual({ ...NOTHING, calls: 1 });
    set(through("first"));
    for (const calls of [2, 1]) expect(await look()).toMatchObject({ found: { value: "first" }, calls });
  });

  test("below nine forged ones, in one search", async () => {
    for (let i = 0; i < 9; i++) forge(through("forged"));
    expect(await look()).toEqual({ ...NOTHING, calls: 10 });
  });

  test.each([PAGE - 1, PAGE, PAGE + 1])("below %i other transactions", async (count) => {
    set(through("below"));
    fill(count);
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "below" } });
  });

  test.each([
    [PAGE - 1, 1],
    [PAGE, 2],
  ])("in a history of %i transactions, in %i pages", async (count, pages) => {
    fill(count);
    expect(await look()).toEqual({ ...NOTHING, calls: pages });
  });
});

describe("continues where the last search ended", () => {
  test("with one short listing if nothing is new, and none of the known memos is read again", async () => {
    set(through("known"));
    for (let i = 0; i < 3; i++) forge(through("forged"));
    await look();
    const newest = history()[0]!.signature;
    world.deps.calls.length = 0;
    expect(await look()).toMatchObject({ found: { value: "known" }, calls: 1 });
    expect(requests("readSignatures")).toMatchObject([[user.address, { limit: PAGE, until: newest }]]);
    expect(listCalls(world.deps)).toEqual(["kv.get", "rpc.readSignatures"]);
    await world.deps.kv.delete(`mark-look:through:${user.address}`);
    expect(await look()).toMatchObject({ found: { value: "known" }, calls: 2 });
  });

  test.each([0, 1])("and finds a mark that was set since, below %i newer transactions", async (newer) => {
    set(through("old"));
    await look();
    await nextSlot();
    const txSignature = set(through("new"));
    fill(newer);
    expect(await look()).toMatchObject({ found: { value: "new", txSignature } });
    expect(await look()).toMatchObject({ found: { value: "new", txSignature }, calls: 1 });
  });

  test("below the place where older marks do not matter", async () => {
    set(through("old"));
    fill(PAGE);
    await nextSlot();
    fill(PAGE);
    const { slot } = history()[0]!;
    expect(await look(through(""), (place) => place.slot < slot)).toMatchObject({ ...NOTHING, calls: 2 });
    expect(await look()).toMatchObject({ found: { value: "old" } });
  });

  test("after eight pages, while new transactions arrive above", async () => {
    set(through("old"));
    fill(9 * PAGE);
    expect(await look()).toEqual({ ...NOT_ALL_READ, calls: 8 });
    await nextSlot();
    fill(2 * PAGE);
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "old" } });
  });

  test.each([
    { between: [], after: [], found: "old" },
    { between: ["new"], after: [], found: "new" },
    { between: [], after: ["newest"], found: "newest" },
  ])(
    "after more than eight pages of newer transactions, with the marks $between below them and $after above them",
    async ({ between, after, found }) => {
      set(through("old"));
      expect(await look()).toMatchObject({ found: { value: "old" } });
      await nextSlot();
      for (const mark of between) set(through(mark));
      fill(9 * PAGE);
      expect(await look()).toEqual({ ...NOT_ALL_READ, calls: 8 });
      await nextSlot();
      for (const mark of after) set(through(mark));
      fill(5);
      expect(await look()).toMatchObject({ isComplete: true, found: { value: found } });
      expect(await look()).toMatchObject({ calls: 1 });
    },
  );

  test("after 24 memos, and a mark above the unread ones is enough", async () => {
    set(through("old"));
    for (let i = 0; i < 30; i++) forge(through("forged"));
    expect(await look()).toEqual({ ...NOT_ALL_READ, calls: 25 });
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "old" } });
    for (let i = 0; i < 24; i++) forge(through("forged"));
    set(through("new"));
    for (let i = 0; i < 23; i++) forge(through("forged"));
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });
});

describe("never takes a gap for the end of the history", () => {
  test("if the node lists a transaction with a memo, but does not have it yet", async () => {
    const mark = set(through("new"));
    const { transactions } = world.deps.chain;
    const figures = transactions.get(mark)!;
    transactions.delete(mark);
    fill(2);
    expect(await look()).toMatchObject(NOT_ALL_READ);
    transactions.set(mark, figures);
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "new" } });
  });

  test("if the node lacks a transaction that was read before", async () => {
    fill(9 * PAGE);
    await look();
    const all = history();
    world.deps.chain.history.set(user.address, all.slice(0, 5_000));
    await expect(look()).rejects.toMatchObject(BEHIND);
    world.deps.chain.history.set(user.address, all);
    expect(await look()).toMatchObject(NOTHING);
  });

  test("if the node is behind the newest transaction that was read, or behind the caller", async () => {
    await nextSlot();
    const slot = world.deps.chain.slot();
    await expect(look(through(""), undefined, slot + 1)).rejects.toMatchObject(BEHIND);
    fill(1);
    expect(await look(through(""), undefined, slot)).toMatchObject(NOTHING);
    world.deps.chain.slot = () => slot - 1;
    await expect(look()).rejects.toMatchObject(BEHIND);
  });

  test("if the newest transaction that was read is on a dropped fork", async () => {
    set(through("old"));
    await nextSlot();
    fill(1);
    expect(await look()).toMatchObject({ found: { value: "old" } });
    history().shift();
    await nextSlot();
    fill(2);
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "old" } });
  });

  test("if a dropped fork held the newest transaction, and the other fork has a mark in the same slot", async () => {
    await nextSlot();
    fill(1);
    expect(await look()).toMatchObject(NOTHING);
    history().shift();
    set(through("same slot"));
    fill(PAGE);
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "same slot" } });
  });

  test("and reads one page, not the whole history again, after a dropped fork", async () => {
    set(through("old"));
    fill(2 * PAGE);
    await nextSlot();
    fill(1);
    expect(await look()).toMatchObject({ found: { value: "old" } });
    history().shift();
    await nextSlot();
    fill(1);
    expect(await look()).toMatchObject({ isComplete: true, found: { value: "old" }, calls: 1 });
  });

  test("if the node is behind a transaction that an incomplete search has read", async () => {
    fill(1);
    await look();
    const setUnread = () => world.deps.chain.transactions.delete(set(through("unread")));
    await nextSlot();
    setUnread();
    await nextSlot();
    fill(1);
    const slot = world.deps.chain.slot();
    expect(await look()).toMatchObject(NOT_ALL_READ);
    await nextSlot();
    setUnread();
    expect(await look()).toMatchObject(NOT_ALL_READ);
    world.deps.chain.slot = () => slot - 1;
    await expect(look()).rejects.toMatchObject(BEHIND);
  });
});
