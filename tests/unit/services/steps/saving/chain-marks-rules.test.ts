import { beforeEach, describe, expect, test } from "vitest";
import { formatMark, type Mark, type SignedMark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { DAY_MS } from "../../../../../lib/domain/time";
import { readClaim, replaceClaim, type SavedMark } from "../../../../../lib/services/steps/relay/claim-records";
import {
  enforceChainMarks,
  type NextSaving,
  syncLastSaved,
} from "../../../../../lib/services/steps/saving/chain-marks";
import { FEE_COLLECTORS, listArguments } from "../../../../support/fakes/fake-deps";
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

/** Lands a transaction with this mark in the current slot. Returns its signature. */
function land(mark: Mark): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  return world.add({ movements, marks: [{ wallet: user.address, mark }] }, { memo: `[1] ${formatMark(mark)}` });
}

const enforceMarks = async (
  nextSaving: Partial<NextSaving> & Payment,
  signed: SignedMark = THROUGH,
  newestSlot = readSlot(),
) => {
  const claim = await readClaim(world.deps, signed);
  return enforceChainMarks(world.deps, signed, { txSignature: "next", ...nextSaving }, claim, newestSlot);
};

const readSaved = async (signed: SignedMark = THROUGH) => (await readClaim(world.deps, signed))?.saved ?? null;
const toSavedMark = (payment: Payment): SavedMark => ({ ...payment, message: "" });
const recordSaved = async (payment: Payment) => {
  const claim = { saved: toSavedMark(payment), held: null };
  return replaceClaim(world.deps, THROUGH, await readClaim(world.deps, THROUGH), claim);
};
const createSavedError = (txSignature: string) => ({ code: "already_saved", details: { txSignature } });
const STILL_CHECKING = {
  code: "upstream_unavailable",
  message: expect.stringContaining("still being checked"),
  details: { retryAfterSeconds: 1 },
};
const sync = (sinceMs = 0) => syncLastSaved(world.deps, user.address, sinceMs);
const countPages = () => listArguments(world.deps, "readSignatures").length;

describe("a saving up to a payment", () => {
  test("is allowed without a record if there is no mark on the chain", async () => {
    await expect(enforceMarks(await pay())).resolves.toBeUndefined();
    expect(await readSaved()).toBeNull();
  });

  test("is refused and recorded as saved if a mark names this payment or a newer one", async () => {
    const [firstPayment, secondPayment] = [await pay(), await pay()];
    const txSignature = await save(secondPayment.value);
    await expect(enforceMarks(firstPayment)).rejects.toMatchObject(createSavedError(txSignature));
    expect(await readSaved()).toEqual(toSavedMark(secondPayment));
    await expect(enforceMarks(secondPayment)).rejects.toMatchObject(createSavedError(txSignature));
  });

  test("is allowed after a mark that landed before its payment", async () => {
    const firstPayment = await pay();
    await save(firstPayment.value);
    await expect(enforceMarks(await pay())).resolves.toBeUndefined();
    expect(await readSaved()).toEqual(toSavedMark(firstPayment));
  });

  test("is refused without an `after` note if the mark landed in its payment's slot or later", async () => {
    const [firstPayment, secondPayment] = [await pay(), await pay()];
    const txSignature = await save(firstPayment.value);
    for (const slot of [readSlot(), secondPayment.slot])
      await expect(enforceMarks({ ...secondPayment, slot })).rejects.toMatchObject(createSavedError(txSignature));
    await expect(enforceMarks({ ...secondPayment, after: firstPayment.value })).resolves.toBeUndefined();
    expect(await readSaved()).toEqual(toSavedMark(firstPayment));
  });

  test("does not replace a record that is newer than the mark", async () => {
    const [firstPayment, secondPayment, thirdPayment] = [await pay(), await pay(), await pay()];
    await recordSaved(secondPayment);
    const savedBefore = await readSaved();
    await save(firstPayment.value);
    await enforceMarks({ ...thirdPayment, after: secondPayment.value });
    expect(await readSaved()).toEqual(savedBefore);
  });

  test("is compared with the mark by name and slot if the node does not have the mark's payment", async () => {
    const earlyPayment = await pay();
    const txSignature = await save("unknown");
    for (const slot of [earlyPayment.slot, readSlot()])
      await expect(enforceMarks({ ...earlyPayment, slot })).rejects.toMatchObject(createSavedError(txSignature));
    await advanceSlot();
    await expect(enforceMarks({ ...earlyPayment, slot: readSlot() })).resolves.toBeUndefined();
    await expect(enforceMarks({ ...earlyPayment, after: "none" })).rejects.toMatchObject(createSavedError(txSignature));
    await expect(enforceMarks({ ...earlyPayment, after: "unknown" })).resolves.toBeUndefined();
    expect(await readSaved()).toBeNull();
  });

  test("is answered 503 if its own transaction has landed or the history has not been read completely", async () => {
    const payment = await pay();
    const txSignature = await save(payment.value);
    await expect(enforceMarks({ ...payment, txSignature })).rejects.toMatchObject(STILL_CHECKING);
    expect(await readSaved()).toBeNull();
    for (let i = 0; i < 9_000; i++) world.add({});
    await expect(enforceMarks(payment)).rejects.toMatchObject(STILL_CHECKING);
  });

  test("reads the history down to its payment, or with an `after` note down to the newest mark", async () => {
    for (let i = 0; i < 1_500; i++) world.add({});
    const payment = await pay();
    for (let i = 0; i < 500; i++) world.add({});
    await enforceMarks({ ...payment, after: "none" });
    expect(countPages()).toBe(1);
    await enforceMarks(payment);
    expect(countPages()).toBe(2);
    await enforceMarks({ ...payment, after: "a payment" });
    expect(countPages()).toBe(5);
  });

  test("reads the history below its payment if the record is older", async () => {
    const firstPayment = await pay();
    await advanceSlot();
    for (let i = 0; i < 1_500; i++) world.add({});
    const secondPayment = await pay();
    await recordSaved(firstPayment);
    await enforceMarks(secondPayment);
    expect(countPages()).toBe(2);
  });

  test("reads the history for the whole slot of its payment", async () => {
    const firstPayment = await pay();
    await advanceSlot();
    const txSignature = land({ kind: "through", value: firstPayment.value });
    for (let i = 0; i < 1_000; i++) world.add({});
    const secondPayment = { value: world.pay(1.37), slot: readSlot() };
    await expect(enforceMarks(secondPayment)).rejects.toMatchObject(createSavedError(txSignature));
  });

  test("is allowed by its record if the node does not have the payment of the newest mark", async () => {
    await recordSaved(await pay());
    await save("unknown");
    await expect(enforceMarks(await pay())).resolves.toBeUndefined();
  });

  test("is answered 503 by a node that is behind the caller's slot, its payment or the record", async () => {
    const [firstPayment, secondPayment] = [await pay(), await pay()];
    world.deps.chain.slot = () => firstPayment.slot;
    const checkAtSlot = (payment: Payment, newestSlot: number) => enforceMarks(payment, THROUGH, newestSlot);
    const lagging = { code: "upstream_unavailable" };
    await expect(checkAtSlot(firstPayment, secondPayment.slot)).rejects.toMatchObject(lagging);
    await expect(checkAtSlot(secondPayment, 0)).rejects.toMatchObject(lagging);
    await expect(checkAtSlot(firstPayment, 0)).resolves.toBeUndefined();
    await recordSaved(secondPayment);
    await expect(checkAtSlot(firstPayment, 0)).rejects.toMatchObject(lagging);
    await expect(sync()).rejects.toMatchObject(lagging);
  });
});

describe("a top-up", () => {
  const period = (value: string) => signMark({ kind: "topup", value });
  const checkPeriod = (value: string) => enforceMarks({ value, slot: 0 }, period(value));

  test("is refused and recorded as saved if its period is marked", async () => {
    const txSignature = await save("2026-W47", "topup");
    await expect(checkPeriod("2026-W47")).rejects.toMatchObject(createSavedError(txSignature));
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
    const saving = enforceMarks({ value: order.value, slot: readSlot() }, signMark(order));
    await expect(saving).rejects.toMatchObject(createSavedError(txSignature));
  });
});

describe("the last saved payment", () => {
  test("is unknown in an empty history after one call", async () => {
    expect(await sync()).toEqual({ saved: null, isComplete: true, calls: 1 });
  });

  test("comes from the chain if the record has none or an older one, and is recorded", async () => {
    const [firstPayment, secondPayment] = [await pay(), await pay()];
    await save(firstPayment.value);
    expect(await sync()).toEqual({ saved: toSavedMark(firstPayment), isComplete: true, calls: 5 });
    expect(await readSaved()).toEqual(toSavedMark(firstPayment));
    await save(secondPayment.value);
    expect(await sync()).toMatchObject({ saved: toSavedMark(secondPayment) });
    expect(await readSaved()).toEqual(toSavedMark(secondPayment));
    expect(await sync()).toEqual({ saved: toSavedMark(secondPayment), isComplete: true, calls: 1 });
  });

  test("comes from the record if the record is newer", async () => {
    const [firstPayment, secondPayment] = [await pay(), await pay()];
    await save(firstPayment.value);
    await recordSaved(secondPayment);
    expect(await sync()).toMatchObject({ saved: toSavedMark(secondPayment), isComplete: true });
  });

  test("comes from a mark in the same slot as the record's payment", async () => {
    const firstPayment = await pay();
    const secondPayment = { value: world.pay(2.37), slot: readSlot() };
    land({ kind: "through", value: secondPayment.value });
    for (let i = 0; i < 1_000; i++) world.add({});
    await recordSaved(firstPayment);
    expect(await sync()).toMatchObject({ saved: toSavedMark(secondPayment) });
  });

  test("is searched for back to the start of the listing if nothing is saved", async () => {
    for (let i = 0; i < 1_500; i++) world.add({}, { ageMs: 10 * DAY_MS });
    const sinceMs = world.deps.clock.now() - 9 * DAY_MS;
    expect(await sync(sinceMs)).toMatchObject({ calls: 1 });
    expect(await sync()).toMatchObject({ calls: 2 });
  });

  test("is searched for back to the record's slot", async () => {
    for (let i = 0; i < 1_500; i++) world.add({});
    await recordSaved(await pay());
    await advanceSlot();
    for (let i = 0; i < 1_000; i++) world.add({});
    const { saved: lastSaved } = await sync();
    expect(lastSaved).toEqual(await readSaved());
    expect(countPages()).toBe(2);
  });
});
