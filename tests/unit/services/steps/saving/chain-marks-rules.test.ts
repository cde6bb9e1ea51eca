import { beforeEach, describe, expect, test } from "vitest";
import { formatMark, type Mark, type SignedMark } from "../../../../../lib/domain/marks";
import { DAY_MS } from "../../../../../lib/domain/prices/price-history";
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

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const advanceSlot = () => world.deps.clock.advance(400);
const readSlot = () => world.deps.chain.slot();
const signMark = (mark: Mark): SignedMark => ({ wallet: user.address, mark });
const THROUGH = signMark({ kind: "through", value: "" });

interface Payment {
  value: string;
  slot: number;
}

/** Adds a payment in a new slot. */
async function pay(): Promise<Payment> {
  await advanceSlot();
  return { value: world.pay(1.37), slot: readSlot() };
}

/** Lands a saving with this mark in a new slot. Returns its signature. */
async function save(value: string, kind: "through" | "topup" = "through"): Promise<string> {
  await advanceSlot();
  return land({ kind, value });
}

function land(mark: Mark): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  return world.add({ movements, marks: [{ wallet: user.address, mark }] }, { memo: `[1] ${formatMark(mark)}` });
}

const check = async (next: Partial<NextSaving> & Payment, signed: SignedMark = THROUGH) => {
  const claim = await readClaim(world.deps, signed);
  return enforceChainMarks(world.deps, signed, { txSignature: "next", ...next }, claim, readSlot());
};

const readSaved = async (signed: SignedMark = THROUGH) => (await readClaim(world.deps, signed))?.saved ?? null;
const recordSaved = async (saved: Payment) =>
  replaceClaim(world.deps, THROUGH, await readClaim(world.deps, THROUGH), {
    saved: { ...saved, message: "" },
    held: null,
  });
const alreadySaved = (txSignature: string) => ({ code: "already_saved", details: { txSignature } });
const STILL_CHECKING = {
  code: "upstream_unavailable",
  message: expect.stringContaining("still being checked"),
  details: { retryAfterSeconds: 1 },
};
const countPages = () => world.deps.calls.filter(({ method }) => method === "readSignatures").length;

describe("a saving up to a payment", () => {
  test("is allowed without a record if there is no mark on the chain", async () => {
    await expect(check(await pay())).resolves.toBeUndefined();
    expect(await readSaved()).toBeNull();
  });

  test("is refused and recorded as saved if a mark names this payment or a newer one", async () => {
    const [first, second] = [await pay(), await pay()];
    const txSignature = await save(second.value);
    await expect(check(first)).rejects.toMatchObject(alreadySaved(txSignature));
    expect(await readSaved()).toEqual({ ...second, message: "" });
    await expect(check(second)).rejects.toMatchObject(alreadySaved(txSignature));
  });

  test("is allowed after a mark that landed before its payment", async () => {
    const first = await pay();
    await save(first.value);
    await expect(check(await pay())).resolves.toBeUndefined();
    expect(await readSaved()).toEqual({ ...first, message: "" });
  });

  test("is refused without an `after` note if the mark landed in its payment's slot or later", async () => {
    const [first, second] = [await pay(), await pay()];
    const txSignature = await save(first.value);
    await expect(check({ ...second, slot: readSlot() })).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check(second)).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check({ ...second, after: first.value })).resolves.toBeUndefined();
    expect(await readSaved()).toEqual({ ...first, message: "" });
  });

  test("does not replace a record that is newer than the mark", async () => {
    const [first, second, third] = [await pay(), await pay(), await pay()];
    await recordSaved(second);
    const before = await readSaved();
    await save(first.value);
    await check({ ...third, after: second.value });
    expect(await readSaved()).toEqual(before);
  });

  test("is compared with the mark by name and slot if the node does not have the mark's payment", async () => {
    const early = await pay();
    const txSignature = await save("unknown");
    await expect(check(early)).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check({ ...early, slot: readSlot() })).rejects.toMatchObject(alreadySaved(txSignature));
    await advanceSlot();
    await expect(check({ ...early, slot: readSlot() })).resolves.toBeUndefined();
    await expect(check({ ...early, after: "none" })).rejects.toMatchObject(alreadySaved(txSignature));
    await expect(check({ ...early, after: "unknown" })).resolves.toBeUndefined();
    expect(await readSaved()).toBeNull();
  });

  test("is answered 503 if its own transaction has landed or the history has not been read completely", async () => {
    const payment = await pay();
    const txSignature = await save(payment.value);
    await expect(check({ ...payment, txSignature })).rejects.toMatchObject(STILL_CHECKING);
    expect(await readSaved()).toBeNull();
    for (let i = 0; i < 9_000; i++) world.add({});
    await expect(check(payment)).rejects.toMatchObject(STILL_CHECKING);
  });

  test("reads the history down to its payment, or with an `after` note down to the newest mark", async () => {
    for (let i = 0; i < 1_500; i++) world.add({});
    const payment = await pay();
    for (let i = 0; i < 500; i++) world.add({});
    await check({ ...payment, after: "none" });
    expect(countPages()).toBe(1);
    await check(payment);
    expect(countPages()).toBe(2);
    await check({ ...payment, after: "a payment" });
    expect(countPages()).toBe(5);
  });

  test("reads the history below its payment if the record is older", async () => {
    const first = await pay();
    await advanceSlot();
    for (let i = 0; i < 1_500; i++) world.add({});
    const second = await pay();
    await recordSaved(first);
    await check(second);
    expect(countPages()).toBe(2);
  });

  test("reads the history for the whole slot of its payment", async () => {
    const first = await pay();
    await advanceSlot();
    const txSignature = land({ kind: "through", value: first.value });
    for (let i = 0; i < 1_000; i++) world.add({});
    const second = { value: world.pay(1.37), slot: readSlot() };
    await expect(check(second)).rejects.toMatchObject(alreadySaved(txSignature));
  });

  test("is allowed by its record if the node does not have the payment of the newest mark", async () => {
    await recordSaved(await pay());
    await save("unknown");
    await expect(check(await pay())).resolves.toBeUndefined();
  });

  test("is answered 503 by a node that is behind the caller's slot, its payment or the record", async () => {
    const [first, second] = [await pay(), await pay()];
    world.deps.chain.slot = () => first.slot;
    const checkAtSlot = async (next: Payment, newestSlot: number) =>
      enforceChainMarks(
        world.deps,
        THROUGH,
        { txSignature: "next", ...next },
        await readClaim(world.deps, THROUGH),
        newestSlot,
      );
    const lagging = { code: "upstream_unavailable" };
    await expect(checkAtSlot(first, second.slot)).rejects.toMatchObject(lagging);
    await expect(checkAtSlot(second, 0)).rejects.toMatchObject(lagging);
    await expect(checkAtSlot(first, 0)).resolves.toBeUndefined();
    await recordSaved(second);
    await expect(checkAtSlot(first, 0)).rejects.toMatchObject(lagging);
    await expect(syncLastSaved(world.deps, user.address, 0)).rejects.toMatchObject(lagging);
  });
});

describe("a top-up", () => {
  const period = (value: string) => signMark({ kind: "topup", value });
  const checkPeriod = (value: string) => check({ value, slot: 0 }, period(value));

  test("is refused and recorded as saved if its period is marked", async () => {
    const txSignature = await save("2026-W47", "topup");
    await expect(checkPeriod("2026-W47")).rejects.toMatchObject(alreadySaved(txSignature));
    expect(await readSaved(period("2026-W47"))).toEqual({ value: "2026-W47", slot: 0, message: "", txSignature });
    await expect(checkPeriod("2026-W48")).resolves.toBeUndefined();
  });

  /** The search ends 430 days before the period closes, which is two weeks after 16 November 2026. */
  const OLDEST_SEARCHED_MS = Date.UTC(2026, 10, 30) - 430 * DAY_MS;

  test.each([
    ["2026-W47", 0, 2],
    ["2026-W47", 1_000, 1],
    ["a name", 1_000, 2],
    ["2036-01", 1_000, 2],
  ])("of %s reads a history that is %i ms older than the search in %i pages", async (value, extraAgeMs, pages) => {
    const ageMs = world.deps.clock.now() - OLDEST_SEARCHED_MS + extraAgeMs;
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs });
    await checkPeriod(value);
    expect(countPages()).toBe(pages);
  });

  test("reads the history beyond transactions of unknown age", async () => {
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs: 460 * DAY_MS });
    for (const entry of world.deps.chain.history.get(user.address)!) entry.blockTime = null;
    await checkPeriod("2026-W47");
    expect(countPages()).toBe(2);
  });
});

describe("a saving with a reference", () => {
  test("is refused if its mark lies below 1,000 other transactions of the reference's key", async () => {
    const order = createReferenceMark(user.address, "order 1");
    const txSignature = land(order);
    await advanceSlot();
    for (let i = 0; i < 1_000; i++) world.add({});
    world.deps.chain.history.set(order.key, world.deps.chain.history.get(user.address)!);
    await expect(check({ value: order.value, slot: readSlot() }, signMark(order))).rejects.toMatchObject(
      alreadySaved(txSignature),
    );
  });
});

describe("the last saved payment", () => {
  const toSavedMark = (payment: Payment): SavedMark => ({ ...payment, message: "" });

  test("is unknown in an empty history after one call", async () => {
    expect(await syncLastSaved(world.deps, user.address, 0)).toEqual({ saved: null, isComplete: true, calls: 1 });
  });

  test("comes from the chain if the record has none or an older one, and is recorded", async () => {
    const [first, second] = [await pay(), await pay()];
    await save(first.value);
    expect(await syncLastSaved(world.deps, user.address, 0)).toEqual({
      saved: toSavedMark(first),
      isComplete: true,
      calls: 5,
    });
    expect(await readSaved()).toEqual(toSavedMark(first));
    await save(second.value);
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ saved: toSavedMark(second) });
    expect(await readSaved()).toEqual(toSavedMark(second));
    expect(await syncLastSaved(world.deps, user.address, 0)).toEqual({
      saved: toSavedMark(second),
      isComplete: true,
      calls: 1,
    });
  });

  test("comes from the record if the record is newer", async () => {
    const [first, second] = [await pay(), await pay()];
    await save(first.value);
    await recordSaved(second);
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({
      saved: toSavedMark(second),
      isComplete: true,
    });
  });

  test("comes from a mark in the same slot as the record's payment", async () => {
    const first = await pay();
    const second = { value: world.pay(2.37), slot: readSlot() };
    land({ kind: "through", value: second.value });
    for (let i = 0; i < 1_000; i++) world.add({});
    await recordSaved(first);
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ saved: toSavedMark(second) });
  });

  test("is searched for back to the start of the listing if nothing is saved", async () => {
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs: 10 * DAY_MS });
    const since = world.deps.clock.now() - 9 * DAY_MS;
    expect(await syncLastSaved(world.deps, user.address, since)).toMatchObject({ calls: 1 });
    expect(await syncLastSaved(world.deps, user.address, 0)).toMatchObject({ calls: 2 });
  });

  test("is searched for back to the record's slot", async () => {
    for (let i = 0; i < 1_500; i++) world.add({});
    await recordSaved(await pay());
    await advanceSlot();
    for (let i = 0; i < 1_000; i++) world.add({});
    const { saved: last } = await syncLastSaved(world.deps, user.address, 0);
    expect(last).toEqual(await readSaved());
    expect(countPages()).toBe(2);
  });
});
