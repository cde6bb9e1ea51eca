import bs58 from "bs58";
import { beforeEach, expect, test } from "vitest";
import { toTransactionFigures } from "../../../lib/clients/solana/transaction-history";
import { getActivityContract } from "../../../lib/contracts/get-activity";
import { getReferenceContract } from "../../../lib/contracts/get-reference";
import type { TransactionFigures } from "../../../lib/domain/activity";
import { formatMark, type Mark } from "../../../lib/domain/marks";
import { createReferenceMark } from "../../../lib/domain/reference";
import { getActivity } from "../../../lib/services/get-activity";
import { getReference } from "../../../lib/services/get-reference";
import { searchForMark } from "../../../lib/services/steps/saving/mark-search";
import { readPaymentSlot } from "../../../lib/services/steps/saving/payment-slot";
import { fromBase64 } from "../../../lib/solana/bytes";
import type { InstructionLike } from "../../../lib/solana/instructions";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { callService } from "../../support/client/contract-input";
import { FEE_COLLECTORS } from "../../support/fakes/fake-deps";
import { buildTransaction, postSigned, readSignature, stranger, user } from "../../support/worlds/relay-rig";
import { type SpendingWorld, stageSpending } from "../../support/worlds/spending-world";

/*
 * Tests that a transaction which a block includes without a fee counts as not run (SIMD-0290). Each test shows first that
 * the same transaction counts when it was charged a fee.
 */

const FEES = { run: 5_000, notRun: 0 };

let world: SpendingWorld;
beforeEach(async () => {
  world = await stageSpending();
});

/** Returns the figures of the user's transaction, as a node reports it. A transaction that has not run moves nothing. */
function readFigures(instructions: InstructionLike[], fee: number): TransactionFigures {
  const named = instructions.flatMap(({ programId, accounts }) => [...accounts.map(({ pubkey }) => pubkey), programId]);
  const accountKeys = [...new Set([user.address, ...named])];
  const postBalances = accountKeys.map((key) =>
    key === user.address ? 10 ** 9 - fee : key === stranger.address ? 9 : 0,
  );
  const figures = toTransactionFigures({
    slot: 5,
    transaction: {
      message: {
        accountKeys,
        header: { numRequiredSignatures: 1 },
        instructions: instructions.map(({ programId, accounts, data }) => ({
          programIdIndex: accountKeys.indexOf(programId),
          accounts: accounts.map(({ pubkey }) => accountKeys.indexOf(pubkey)),
          data: bs58.encode(fromBase64(data)!),
        })),
      },
    },
    meta: {
      fee,
      preBalances: accountKeys.map((key) => (key === user.address ? 10 ** 9 + 9 : 0)),
      // Without its effects, the balances of a transaction that has not run stay the same. The reader must not need that.
      postBalances,
    },
  });
  return figures as TransactionFigures;
}

const createSaving = (mark: Mark, key?: string) => [
  buildSystemTransfer(user.address, world.serviceWallet, 1_000_000n, key),
  buildSystemTransfer(user.address, FEE_COLLECTORS[0]!, 2_500n),
  buildMemo(formatMark(mark), user.address),
];

const addPayment = (fee: number) =>
  world.addTransaction(readFigures([buildSystemTransfer(user.address, stranger.address, 9n)], fee));
const addSaving = (mark: Mark, fee: number, key?: string) =>
  world.addTransaction(readFigures(createSaving(mark, key), fee), { memo: `[1] ${formatMark(mark)}` });

test("it is no mark", async () => {
  const mark: Mark = { kind: "topup", value: "2026-W47" };
  const search = () => searchForMark(world.deps, { wallet: user.address, mark }, null, () => false, 0);
  addSaving(mark, FEES.notRun);
  expect(await search()).toMatchObject({ isComplete: true, found: null });
  addSaving(mark, FEES.run);
  expect(await search()).toMatchObject({ isComplete: true, found: { value: mark.value } });
});

test("it is no payment, and no saving may name it as its newest payment", async () => {
  const readSlot = (signature: string) => readPaymentSlot(world.deps, user.address, signature, 0);
  expect(await readSlot(addPayment(FEES.run))).not.toBeNull();
  const notRun = addPayment(FEES.notRun);
  expect(await readSlot(notRun)).toBeNull();
  const { items, leftOut } = await world.readSpending();
  expect(items.map(({ txSignature }) => txSignature)).not.toContain(notRun);
  expect(leftOut).toContainEqual({ reason: "nothing_sent", count: 1 });
});

test("it is no activity", async () => {
  const ran = addPayment(FEES.run);
  addPayment(FEES.notRun);
  const { items } = await callService(getActivityContract, getActivity, world.deps, { address: user.address });
  expect(items.map(({ txSignature }) => txSignature)).toEqual([ran]);
});

test.each([
  ["on the chain", "unknown"],
  ["in the claim", "failed"],
])("it is no saving of an order that stands %s", async (place, state) => {
  const [wallet, reference] = [user.address, "order 1"];
  const mark = createReferenceMark(wallet, reference);
  world.deps.chain.history.set(mark.key, []);
  const readReference = () =>
    callService(getReferenceContract, getReference, world.deps, { reference }, { caller: { kind: "wallet", wallet } });
  if (place === "on the chain") addSaving(mark, FEES.notRun, mark.key);
  else {
    const { blockhash } = world.deps.chain.getLatestBlockhash();
    const bytes = buildTransaction(createSaving(mark, mark.key), [user], blockhash);
    await Promise.all([postSigned(world.deps, bytes), world.deps.clock.advance(5_000)]);
    expect((await readReference()).state).toBe("confirmed");
    world.deps.chain.transactions.set(readSignature(bytes), readFigures(createSaving(mark, mark.key), FEES.notRun));
  }
  expect(await readReference()).toMatchObject({ state, transactions: [], amounts: [] });
});
