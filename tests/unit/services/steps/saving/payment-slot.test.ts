import { beforeEach, expect, test } from "vitest";
import { isLaterPayment, readPaymentSlot } from "../../../../../lib/services/steps/saving/payment-slot";
import { stranger, user } from "../../../../support/worlds/relay-rig";
import { createTokenPayment, type SpendingWorld, stageSpending } from "../../../../support/worlds/spending-world";

const NODE_BEHIND = { code: "upstream_unavailable" };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

const findSlot = (signature: string) => readPaymentSlot(world.deps, user.address, signature, 0);

test("a payment's slot comes from its transaction, without a second call", async () => {
  const payment = world.addTransaction({ slot: 7 });
  world.deps.calls.length = 0;
  expect(await findSlot(payment)).toBe(7);
  expect(world.deps.calls.map(({ method }) => method)).toEqual(["readTransaction"]);
});

/** Adds a payment whose transaction does not tell its slot. */
function payWithoutSlot(): string {
  const payment = world.pay(1.37);
  delete world.deps.chain.transactions.get(payment)!.slot;
  return payment;
}

test("a payment's slot comes from its state if the transaction lacks it", async () => {
  expect(await findSlot(payWithoutSlot())).toBe(world.deps.chain.slot());
});

test("a transaction that the wallet did not sign, that is in a newer format or that no node knows, has no slot", async () => {
  expect(await findSlot(world.addTransaction({ signers: [stranger.address], slot: 7 }))).toBeNull();
  expect(await findSlot("unknown")).toBeNull();
  world.deps.rpc.readTransaction = async () => "unsupported";
  expect(await findSlot("newer")).toBeNull();
});

test("a transaction in which a delegate moved the wallet's dollars has a slot", async () => {
  const transfer = { ...createTokenPayment(3_000_000n), signers: [stranger.address], slot: 7 };
  const pull = {
    ...transfer,
    tokenMovements: [{ source: "own account", destination: "shop", authority: stranger.address, amount: 1n }],
  };
  expect(await findSlot(world.addTransaction(pull))).toBe(7);
  expect(await findSlot(world.addTransaction(transfer))).toBeNull();
  const failedPull = { ...pull, postTokenBalances: pull.preTokenBalances! };
  expect(await findSlot(world.addTransaction(failedPull))).toBeNull();
});

test("reading a slot fails with status 503 while the node has only a part of the payment's data", async () => {
  const { chain } = world.deps;
  const payment = payWithoutSlot();
  const { getStatus, transactions } = chain;
  chain.getStatus = (...args) => ({ ...getStatus(...args)!, confirmation: "processed" });
  await expect(findSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
  chain.getStatus = () => null;
  await expect(findSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
  Object.assign(chain, { getStatus, transactions: new Map() });
  await expect(findSlot(payment)).rejects.toMatchObject(NODE_BEHIND);
  chain.transactions = transactions;
  expect(await findSlot(payment)).toBe(chain.slot());
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
