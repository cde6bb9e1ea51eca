import { describe, expect, test } from "vitest";
import { AppError } from "../../../lib/errors";
import { executeTransaction } from "../../../lib/services/execute-transaction";
import { createFakeDeps, createOutage } from "../../support/fakes/fake-deps";
import { createFloodWorld, MERCHANT, toAddressUser } from "../../support/worlds/flood-world";
import { toContext } from "../../support/worlds/keys-rig";

const SENDS_PER_SECOND = 2;
/** How much longer a merchant's order may take beside a flood, ms. */
const MAX_DELAY_MS = (2 / SENDS_PER_SECOND) * 1_000;

test.each([1, 4, 50, 200])(
  "beside 220 transactions of %i addresses, each of a merchant's orders takes at most the time of two sends longer",
  async (addressCount) => {
    const world = await createFloodWorld(SENDS_PER_SECOND);
    const timeAlone = await world.measureOrder();
    world.flood(220, addressCount);
    const times = [await world.measureOrder()];
    await world.clock.advance(10_000);
    // The pause lets each order begin at another time between two sends.
    for (let order = 0; order < 6; order++, await world.clock.advance(137)) times.push(await world.measureOrder());
    expect(Math.max(...times)).toBeLessThanOrEqual(timeAlone + MAX_DELAY_MS);
  },
  60_000,
);

test("a transaction is checked only when the caller's turn of the CPU has come", async () => {
  const deps = createFakeDeps();
  deps.places.takeTurn = () => Promise.reject(createOutage());
  deps.verifier.verify = () => expect.unreachable("it was checked");
  const context = toContext({ kind: "wallet", wallet: "" });
  await expect(executeTransaction(deps, { signedTransaction: "" }, context)).rejects.toMatchObject(createOutage());
});

describe("transactions without an outcome", () => {
  type World = Awaited<ReturnType<typeof createFloodWorld>>;

  /** Posts transactions at the same time, and waits 2 s. Returns the refusals so far. */
  async function postMany(
    { clock, post }: Pick<World, "clock" | "post">,
    caller: typeof MERCHANT,
    transactions: Uint8Array[],
  ): Promise<AppError[]> {
    const refusals: AppError[] = [];
    for (const transaction of transactions)
      void post(caller, transaction).catch((error) => {
        if (error instanceof AppError) refusals.push(error);
      });
    await clock.advance(2_000);
    return refusals;
  }
  const signMany = ({ signPayment, customer }: World, count: number) =>
    Array.from({ length: count }, () => signPayment(customer));

  test("are 20 of an address: the next one gets 429 with Retry-After, and posted bytes are always taken", async () => {
    // One send in ten seconds: the first transaction lands at once, and the others stay unfinished.
    const world = await createFloodWorld(0.1);
    const caller = toAddressUser("192.0.2.1");
    const transactions = signMany(world, 60);
    const refusals = await postMany(world, caller, transactions);
    expect(refusals).toHaveLength(40);
    expect(refusals[0]).toMatchObject({ code: "rate_limited", status: 429, details: { retryAfterSeconds: 5 } });
    expect(await postMany(world, caller, transactions)).toHaveLength(39);
    expect(await postMany(world, toAddressUser("192.0.2.2"), transactions.slice(30, 40))).toEqual([]);
    // Every caller may post them, because the service knows them now. So does an instance that did not receive them.
    expect(await postMany(world, caller, transactions.slice(30, 40))).toEqual([]);
    const instance = { ...world, post: world.openInstance() };
    expect(await postMany(instance, caller, transactions.slice(40))).toEqual([]);
    expect(await postMany(instance, caller, signMany(world, 2))).toHaveLength(1);
    expect(await postMany(instance, caller, transactions.slice(30, 40))).toEqual([]);
  }, 60_000);

  test("are more of a static key, by its limit", async () => {
    const world = await createFloodWorld(0.1);
    expect(await postMany(world, MERCHANT, signMany(world, 60))).toHaveLength(20);
  }, 60_000);

  test("of a neighbor behind the same address do not stop a wallet's first transaction", async () => {
    const world = await createFloodWorld(0.1);
    const caller = toAddressUser("192.0.2.1");
    await postMany(world, caller, signMany(world, 30));
    expect(await postMany(world, caller, [world.signPayment(world.payee)])).toEqual([]);
    expect(await postMany(world, caller, [world.signPayment(world.payee)])).toHaveLength(1);
  }, 60_000);

  test("leave their place once they have landed or are no longer followed", async () => {
    const world = await createFloodWorld(100);
    const caller = toAddressUser("192.0.2.1");
    for (let round = 0; round < 3; round++) {
      expect(await postMany(world, caller, signMany(world, 20))).toEqual([]);
      await world.clock.advance(2_000);
    }
  }, 60_000);
});
