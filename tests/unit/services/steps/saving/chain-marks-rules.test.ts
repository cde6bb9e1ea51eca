import { beforeEach, describe, expect, test } from "vitest";
import { formatMark, type Mark, type SignedMark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { readClaim, replaceClaim, type SavedMark } from "../../../../../lib/services/steps/relay/claim-records";
import {
  enforceChainMarks,
  type NextSaving,
  syncLastSaved,
} from "../../../../../lib/services/steps/saving/chain-marks";
import { FEE_COLLECTORS } from "../../../../support/fakes/fake-deps";
import { user } from "../../../../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

const DAY_MS = 86_400_000;

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const nextSlot = () => world.deps.clock.advance(400);
const slot = () => world.deps.chain.slot();
const signedOf = (mark: Mark): SignedMark => ({ wallet: user.address, mark });
const THROUGH = signedOf({ kind: "through", value: "" });

interface Payment {
  value: string;
  slot: number;
}

/** Adds a payment in a new slot. */
async function pay(): Promise<Payment> {
  await nextSlot();
  return { value: world.pay(1.37), slot: slot() };
}

/** Lands a saving with this mark in a new slot. @returns its signature */
async function save(value: string, kind: "through" | "topup" = "through"): Promise<string> {
  await nextSlot();
  return land({ kind, value });
}

function land(mark: Mark): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  return world.add({ movements, marks: [{ wallet: user.address, mark }] }, { memo: `[1] ${formatMark(mark)}` });
}

const check = async (next: Partial<NextSaving> & Payment, signed: SignedMark = THROUGH) => {
  const seen = await readClaim(world.deps, signed);
  return enforceChainMarks(world.deps, signed, { txSignature: "next", ...next }, seen, slot());
};

const savedOf = async (signed: SignedMark = THROUGH) => (await readClaim(world.deps, signed))?.saved ?? null;
const record = async (saved: Payment) =>
  replaceClaim(world.deps, THROUGH, await readClaim(world.deps, THROUGH), {
    saved: { ...saved, message: "" },
    held: null,
  });
const alreadySaved = (txSignature: string) => ({ code: "already_saved", details: { txSignature } });
const CHECKING = {
  code: "upstream_unavailable",
  message: expect.stringContaining("still being checked"),
  details: { retryAfterSeconds: 1 },
};
const pagesRead = () => world.deps.calls.filter(({ method }) => method === "readSignatures").length;

describe("a saving through a payment", () => {
  test("passes if there is no mark on the chain, and writes nothing", async () => {
    await expect(check(await pay())).resolves.toBeUndefined();
    expect(await savedOf()).toBeNull();
  });

  test("is refused if a mark names this payment or a newer one, and the record learns it", async () => {
    const [first, second] = [await pay(), await pay()];
    const txSignature = await save(second.value);
    await expect(check(first)).rejects.toMatchObject(alreadySaved(txSignature));
    expect(await savedOf()).toEqual({ ...second, message: "" });
    await expect(check(second)).rejects.toMatchObject(alreadySaved(txSignature));
  });

  test("passes after a mark that landed before its payment, and the record learns the mark", async () => {
    const first = await pay();
    await save(first.value);
    await expect(check(await pay())).resolves.toBeUndefined();
    expect(await savedOf()).toEqual({ ...first, message: "" });
  });

  test("is refused without a note if the mark landed in its payment's slot or later", async () => {
    const [first, second] = [await pay(), await pay()];
    const txSignature = await save(first.value);
    await expect(check({ ...second, slot: slot() })).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check(second)).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check({ ...second, after: first.value })).resolves.toBeUndefined();
    expect(await savedOf()).toEqual({ ...first, message: "" });
  });

  test("keeps a record that is newer than the mark", async () => {
    const [first, second, third] = [await pay(), await pay(), await pay()];
    await record(second);
    const before = await savedOf();
    await save(first.value);
    await check({ ...third, after: second.value });
    expect(await savedOf()).toEqual(before);
  });

  test("is checked against the mark's own name if the node does not have its payment", async () => {
    const early = await pay();
    const txSignature = await save("unknown");
    await expect(check(early)).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check({ ...early, slot: slot() })).rejects.toMatchObject(alreadySaved(txSignature));
    await nextSlot();
    await expect(check({ ...early, slot: slot() })).resolves.toBeUndefined();
    await expect(check({ ...early, after: "none" })).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check({ ...early, after: "unknown" })).resolves.toBeUndefined();
    expect(await savedOf()).toBeNull();
  });

  test("waits if its own transaction has landed, or if the history has not been read completely", async () => {
    const payment = await pay();
    const txSignature = await save(payment.value);
    await expect(check({ ...payment, txSignature })).rejects.toMatchObject(CHECKING);
    expect(await savedOf()).toBeNull();
    for (let i = 0; i < 9_000; i++) world.add({});
    await expect(check(payment)).rejects.toMatchObject(CHECKING);
  });

  test("is searched for down to its payment and to the record, or with a note to the newest mark", async () => {
    for (let i = 0; i < 1_500; i++) world.add({});
    const payment = await pay();
    for (let i = 0; i < 500; i++) world.add({});
    await check({ ...payment, after: "none" });
    expect(pagesRead()).toBe(1);
    await check(payment);
    expect(pagesRead()).toBe(2);
    await check({ ...payment, after: "a payment" });
    expect(pagesRead()).toBe(5);
  });

  test("is searched for below its payment if the record is older", async () => {
    const first = await pay();
    await nextSlot();
    for (let i = 0; i < 1_500; i++) world.add({});
    const second = await pay();
    await record(first);
    await check(second);
    expect(pagesRead()).toBe(2);
  });

  test("is searched for in the whole slot of its payment", async () => {
    const first = await pay();
    await nextSlot();
    const txSignature = land({ kind: "through", value: first.value });
    for (let i = 0; i < 1_000; i++) world.add({});
    const second = { value: world.pay(1.37), slot: slot() };
    await expect(check(second)).rejects.toMatchObject(alreadySaved(txSignature));
  });

  test("passes beside a record if the node does not have the payment of the newest mark", async () => {
    await record(await pay());
    await save("unknown");
    await expect(check(await pay())).resolves.toBeUndefined();
  });

  test("waits for a node that has seen the caller's slot, its payment and the record", async () => {
    const [first, second] = [await pay(), await pay()];
    world.deps.chain.slot = () => first.slot;
    const ask = async (next: Payment, newestSlot: number) =>
      enforceChainMarks(
        world.deps,
        THROUGH,
        { txSignature: "next", ...next },
        await readClaim(world.deps, THROUGH),
        newestSlot,
      );
    const lagging = { code: "upstream_unavailable" };
    await expect(ask(first, second.slot)).rejects.toMatchObject(lagging);
    await expect(ask(second, 0)).rejects.toMatchObject(lagging);
    await expect(ask(first, 0)).resolves.toBeUndefined();
    await record(second);
    await expect(ask(first, 0)).rejects.toMatchObject(lagging);
    await expect(syncLastSaved(world.deps, user.address, 0)).rejects.toMatchObject(lagging);
  });
});

describe("a top-up", () => {
  const period = (value: string) => signedOf({ kind: "topup", value });
  const checkPeriod = (value: string) => check({ value, slot: 0 }, period(value));

  test("is refused if its period is marked, and the record learns it", async () => {
    const txSignature = await save("2026-W47", "topup");
    await expect(checkPeriod("2026-W47")).rejects.toMatchObject(alreadySaved(txSignature));
    expect(await savedOf(period("2026-W47"))).toEqual({ value: "2026-W47", slot: 0, message: "", txSignature });
    await expect(checkPeriod("2026-W48")).resolves.toBeUndefined();
  });

  /** The search goes back from the close of the period: two weeks after 16 November 2026. */
  const SEARCHED_FROM = Date.UTC(2026, 10, 30) - 430 * DAY_MS;

  test.each([
    ["2026-W47", 0, 2],
    ["2026-W47", 1_000, 1],
    ["a name", 1_000, 2],
    ["2036-01", 1_000, 2],
  ])("of %s is searched for in a history that ends %i ms too early, in %i pages", async (value, earlier, pages) => {
    const ageMs = world.deps.clock.now() - SEARCHED_FROM + earlier;
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs });
    await checkPeriod(value);
    expect(pagesRead()).toBe(pages);
  });

  test("is searched for beyond transactions of unknown age", async () => {
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs: 460 * DAY_MS });
    for (const entry of world.deps.chain.history.get(user.address)!) entry.blockTime = null;
    await checkPeriod("2026-W47");
    expect(pagesRead()).toBe(2);
  });
});

describe("a saving with a reference", () => {
  test("is refused if its mark lies below 1,000 other transactions of the reference's key", async () => {
    const order = createReferenceMark(user.address, "order 1");
    const txSignature = land(order);
    await nextSlot();
    for (let i = 0; i < 1_000; i++) world.add({});
    world.deps.chain.history.set(order.key, world.deps.chain.history.get(user.address)!);
    await expect(check({ value: order.value, slot: slot() }, signedOf(order))).rejects.toMatchObject(
      alreadySaved(txSignature),
    );
  });
});

describe("the last saved payment", () => {
  const saved = (payment: Payment): SavedMark => ({ ...payment, message: "" });

  test("is unknown in an empty history, and one call tells so", async () => {
    expect(await syncLastSaved(world.deps, user.address, 0)).toEqual({ saved: null, isComplete: true, calls: 1 });
  });

  test("comes from the chain if the record has none or an older one, and is recorded", async () => {
    const [first, second] = [await pay(), await pay()];
    await save(first.value);
    expect(await syncLastSaved(world.deps, user.address, 0)).toEqual({
      saved: saved(first),
      isComplete: true,
      calls: 5,
    });
    expect(await savedOf()).toEqual(saved(first));
    await save(second.value);
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ saved: saved(second) });
    expect(await savedOf()).toEqual(saved(second));
    expect(await syncLastSaved(world.deps, user.address, 0)).toEqual({
      saved: saved(second),
      isComplete: true,
      calls: 1,
    });
  });

  test("comes from the record if that is newer", async () => {
    const [first, second] = [await pay(), await pay()];
    await save(first.value);
    await record(second);
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ saved: saved(second), isComplete: true });
  });

  test("comes from a mark in the slot of the record", async () => {
    const first = await pay();
    const second = { value: world.pay(2.37), slot: slot() };
    land({ kind: "through", value: second.value });
    for (let i = 0; i < 1_000; i++) world.add({});
    await record(first);
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ saved: saved(second) });
  });

  test("is searched for from the start of the listing if nothing is saved, and from the record otherwise", async () => {
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs: 10 * DAY_MS });
    const since = world.deps.clock.now() - 9 * DAY_MS;
    expect(await syncLastSaved(world.deps, user.address, since)).toMatchObject({ calls: 1 });
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ calls: 2 });
  });

  test("is searched for down to the record", async () => {
    for (let i = 0; i < 1_500; i++) world.add({});
    await record(await pay());
    await nextSlot();
    for (let i = 0; i < 1_000; i++) world.add({});
    const { saved: last } = await syncLastSaved(world.deps, user.address, 0);
    expect(last).toEqual(await savedOf());
    expect(pagesRead()).toBe(2);
  });
});
