import { beforeEach, describe, expect, test } from "vitest";
import { formatMark, type Mark, type SignedMark } from "../../../../../lib/domain/marks";
import { createReferenceMark } from "../../../../../lib/domain/reference";
import { DAY_MS } from "../../../../../lib/domain/time";
import { readClaim, replaceClaim, type SavedMark } from "../../../../../lib/services/records/claim-records";
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
const toUserMark = (mark: Mark): SignedMark => ({ wallet: user.address, mark });
const THROUGH_MARK = toUserMark({ kind: "through", value: "" });

/** Adds a payment in the current slot. Returns it as the chain shows it when it is saved. */
const addPayment = (): SavedMark => ({ value: world.pay(1.37), slot: readSlot(), message: "" });

/** Adds a payment in a new slot. */
async function landPayment(): Promise<SavedMark> {
  await advanceSlot();
  return addPayment();
}

/** Lands a saving with this mark in a new slot. Returns its signature. */
async function landSaving(value: string, kind: "through" | "topup" = "through"): Promise<string> {
  await advanceSlot();
  return landMark({ kind, value });
}

/** Lands a transaction with this mark in the current slot. Returns its signature. */
function landMark(mark: Mark): string {
  const movements = [{ from: user.address, to: FEE_COLLECTORS[0]!, lamports: 1n }];
  return world.addTransaction(
    { movements, marks: [{ wallet: user.address, mark }] },
    { memo: `[1] ${formatMark(mark)}` },
  );
}

const enforceMarks = async (
  nextSaving: Pick<NextSaving, "value" | "slot"> & Partial<NextSaving>,
  signedMark: SignedMark = THROUGH_MARK,
  newestSlot = readSlot(),
) => {
  const claim = await readClaim(world.deps, signedMark);
  return enforceChainMarks(world.deps, signedMark, { txSignature: "next", ...nextSaving }, claim, newestSlot);
};

const readSavedMark = async (signedMark: SignedMark = THROUGH_MARK) =>
  (await readClaim(world.deps, signedMark))?.saved ?? null;
const recordSavedPayment = async (saved: SavedMark) =>
  replaceClaim(world.deps, THROUGH_MARK, await readClaim(world.deps, THROUGH_MARK), { saved, held: null });
const createRefusal = (txSignature: string) => ({ code: "already_saved", details: { txSignature } });
const STILL_CHECKING = {
  code: "upstream_unavailable",
  message: expect.stringContaining("still being checked"),
  details: { retryAfterSeconds: 1 },
};
const syncUserSaved = (sinceMs = 0) => syncLastSaved(world.deps, user.address, sinceMs);
const countPagesSoFar = () => listArguments(world.deps, "readSignatures").length;

describe("a saving up to a payment", () => {
  test("is allowed without a record if there is no mark on the chain", async () => {
    await expect(enforceMarks(await landPayment())).resolves.toBeUndefined();
    expect(await readSavedMark()).toBeNull();
  });

  test("is refused and recorded as saved if a mark names this payment or a newer one", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    const txSignature = await landSaving(secondPayment.value);
    await expect(enforceMarks(firstPayment)).rejects.toMatchObject(createRefusal(txSignature));
    expect(await readSavedMark()).toEqual(secondPayment);
    await expect(enforceMarks(secondPayment)).rejects.toMatchObject(createRefusal(txSignature));
  });

  test("is allowed after a mark that landed before its payment", async () => {
    const firstPayment = await landPayment();
    await landSaving(firstPayment.value);
    await expect(enforceMarks(await landPayment())).resolves.toBeUndefined();
    expect(await readSavedMark()).toEqual(firstPayment);
  });

  test("is refused without an `after` note if the mark landed in its payment's slot or later", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    const txSignature = await landSaving(firstPayment.value);
    for (const slot of [readSlot(), secondPayment.slot])
      await expect(enforceMarks({ ...secondPayment, slot })).rejects.toMatchObject(createRefusal(txSignature));
    await expect(enforceMarks({ ...secondPayment, after: firstPayment.value })).resolves.toBeUndefined();
    expect(await readSavedMark()).toEqual(firstPayment);
  });

  test("does not replace a record that is newer than the mark", async () => {
    const [firstPayment, secondPayment, thirdPayment] = [await landPayment(), await landPayment(), await landPayment()];
    await recordSavedPayment(secondPayment);
    const savedBefore = await readSavedMark();
    await landSaving(firstPayment.value);
    await enforceMarks({ ...thirdPayment, after: secondPayment.value });
    expect(await readSavedMark()).toEqual(savedBefore);
  });

  test("is compared by signature and slot if the node does not know the payment that the mark names", async () => {
    const earlyPayment = await landPayment();
    const txSignature = await landSaving("unknown");
    for (const slot of [earlyPayment.slot, readSlot()])
      await expect(enforceMarks({ ...earlyPayment, slot })).rejects.toMatchObject(createRefusal(txSignature));
    await advanceSlot();
    await expect(enforceMarks({ ...earlyPayment, slot: readSlot() })).resolves.toBeUndefined();
    await expect(enforceMarks({ ...earlyPayment, after: "none" })).rejects.toMatchObject(createRefusal(txSignature));
    await expect(enforceMarks({ ...earlyPayment, after: "unknown" })).resolves.toBeUndefined();
    expect(await readSavedMark()).toBeNull();
  });

  test("fails as upstream_unavailable if its own transaction has landed or the history has not been read completely", async () => {
    const payment = await landPayment();
    const txSignature = await landSaving(payment.value);
    await expect(enforceMarks({ ...payment, txSignature })).rejects.toMatchObject(STILL_CHECKING);
    expect(await readSavedMark()).toBeNull();
    // One call reads at most eight pages of 1,000 transactions.
    for (let i = 0; i < 9_000; i++) world.addTransaction({});
    await expect(enforceMarks(payment)).rejects.toMatchObject(STILL_CHECKING);
  });

  test("reads the history down to its payment, or with an `after` note down to the newest mark", async () => {
    for (let i = 0; i < 1_500; i++) world.addTransaction({});
    const payment = await landPayment();
    for (let i = 0; i < 500; i++) world.addTransaction({});
    await enforceMarks({ ...payment, after: "none" });
    expect(countPagesSoFar()).toBe(1);
    await enforceMarks(payment);
    expect(countPagesSoFar()).toBe(2);
    await enforceMarks({ ...payment, after: "a payment" });
    expect(countPagesSoFar()).toBe(5);
  });

  test("reads the history below its payment if the record is older", async () => {
    const firstPayment = await landPayment();
    await advanceSlot();
    for (let i = 0; i < 1_500; i++) world.addTransaction({});
    const secondPayment = await landPayment();
    await recordSavedPayment(firstPayment);
    await enforceMarks(secondPayment);
    expect(countPagesSoFar()).toBe(2);
  });

  test("reads the history for the whole slot of its payment", async () => {
    const firstPayment = await landPayment();
    await advanceSlot();
    const txSignature = landMark({ kind: "through", value: firstPayment.value });
    for (let i = 0; i < 1_000; i++) world.addTransaction({});
    await expect(enforceMarks(addPayment())).rejects.toMatchObject(createRefusal(txSignature));
  });

  test("is allowed by its record if the node does not have the payment of the newest mark", async () => {
    await recordSavedPayment(await landPayment());
    await landSaving("unknown");
    await expect(enforceMarks(await landPayment())).resolves.toBeUndefined();
  });

  test("fails as upstream_unavailable if the node is behind the caller's slot, its payment or the record", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    world.deps.chain.slot = () => firstPayment.slot;
    const checkAtSlot = (payment: SavedMark, newestSlot: number) => enforceMarks(payment, THROUGH_MARK, newestSlot);
    const NODE_BEHIND = { code: "upstream_unavailable" };
    await expect(checkAtSlot(firstPayment, secondPayment.slot)).rejects.toMatchObject(NODE_BEHIND);
    await expect(checkAtSlot(secondPayment, 0)).rejects.toMatchObject(NODE_BEHIND);
    await expect(checkAtSlot(firstPayment, 0)).resolves.toBeUndefined();
    await recordSavedPayment(secondPayment);
    await expect(checkAtSlot(firstPayment, 0)).rejects.toMatchObject(NODE_BEHIND);
    await expect(syncUserSaved()).rejects.toMatchObject(NODE_BEHIND);
  });
});

describe("a top-up", () => {
  const toPeriodMark = (value: string) => toUserMark({ kind: "topup", value });
  const checkPeriod = (value: string) => enforceMarks({ value, slot: 0 }, toPeriodMark(value));

  test("is refused and recorded as saved if its period is marked", async () => {
    const [value, txSignature] = ["2026-W47", await landSaving("2026-W47", "topup")];
    await expect(checkPeriod(value)).rejects.toMatchObject(createRefusal(txSignature));
    expect(await readSavedMark(toPeriodMark(value))).toEqual({ value, slot: 0, message: "", txSignature });
    await expect(checkPeriod("2026-W48")).resolves.toBeUndefined();
  });

  /** The search ends 430 days before the week of 16 November 2026 closes. It closes two weeks after that day. */
  const OLDEST_SEARCHED_MS = Date.UTC(2026, 10, 30) - 430 * DAY_MS;

  test.each([
    ["2026-W47", 0, 2],
    ["2026-W47", 1_000, 1],
    ["a name", 1_000, 2],
    ["2036-01", 1_000, 2],
  ])(
    "of %s, with a history %i ms older than the oldest searched time, reads %i pages",
    async (value, extraAgeMs, pages) => {
      const ageMs = world.deps.clock.now() - OLDEST_SEARCHED_MS + extraAgeMs;
      for (let i = 0; i < 1_500; i++) world.addTransaction({}, { ageMs });
      await checkPeriod(value);
      expect(countPagesSoFar()).toBe(pages);
    },
  );

  test("reads the history beyond transactions of unknown age", async () => {
    for (let i = 0; i < 1_500; i++) world.addTransaction({}, { ageMs: 460 * DAY_MS });
    for (const entry of world.deps.chain.history.get(user.address)!) entry.blockTime = null;
    await checkPeriod("2026-W47");
    expect(countPagesSoFar()).toBe(2);
  });
});

describe("a saving with a reference", () => {
  test("is refused if its mark lies behind 1,000 newer transactions of the reference's key", async () => {
    const order = createReferenceMark(user.address, "order 1");
    const txSignature = landMark(order);
    await advanceSlot();
    for (let i = 0; i < 1_000; i++) world.addTransaction({});
    world.deps.chain.history.set(order.key, world.deps.chain.history.get(user.address)!);
    const pendingCheck = enforceMarks({ value: order.value, slot: readSlot() }, toUserMark(order));
    await expect(pendingCheck).rejects.toMatchObject(createRefusal(txSignature));
  });
});

describe("the last saved payment", () => {
  test("is unknown in an empty history after one call", async () => {
    expect(await syncUserSaved()).toEqual({ saved: null, isComplete: true, callCount: 1 });
  });

  test("comes from the chain if the record has none or an older one, and is recorded", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    await landSaving(firstPayment.value);
    expect(await syncUserSaved()).toEqual({ saved: firstPayment, isComplete: true, callCount: 5 });
    expect(await readSavedMark()).toEqual(firstPayment);
    await landSaving(secondPayment.value);
    expect(await syncUserSaved()).toMatchObject({ saved: secondPayment });
    expect(await readSavedMark()).toEqual(secondPayment);
    expect(await syncUserSaved()).toEqual({ saved: secondPayment, isComplete: true, callCount: 1 });
  });

  test("comes from the record if the record is newer", async () => {
    const [firstPayment, secondPayment] = [await landPayment(), await landPayment()];
    await landSaving(firstPayment.value);
    await recordSavedPayment(secondPayment);
    expect(await syncUserSaved()).toMatchObject({ saved: secondPayment, isComplete: true });
  });

  test("comes from a mark in the same slot as the record's payment", async () => {
    const firstPayment = await landPayment();
    const secondPayment = addPayment();
    landMark({ kind: "through", value: secondPayment.value });
    for (let i = 0; i < 1_000; i++) world.addTransaction({});
    await recordSavedPayment(firstPayment);
    expect(await syncUserSaved()).toMatchObject({ saved: secondPayment });
  });

  test("is searched for back to the start of the listing if nothing is saved", async () => {
    for (let i = 0; i < 1_500; i++) world.addTransaction({}, { ageMs: 10 * DAY_MS });
    const sinceMs = world.deps.clock.now() - 9 * DAY_MS;
    expect(await syncUserSaved(sinceMs)).toMatchObject({ callCount: 1 });
    expect(await syncUserSaved()).toMatchObject({ callCount: 2 });
  });

  test("is searched for back to the record's slot", async () => {
    for (let i = 0; i < 1_500; i++) world.addTransaction({});
    await recordSavedPayment(await landPayment());
    await advanceSlot();
    for (let i = 0; i < 1_000; i++) world.addTransaction({});
    const { saved: lastSaved } = await syncUserSaved();
    expect(lastSaved).toEqual(await readSavedMark());
    expect(countPagesSoFar()).toBe(2);
  });
});
