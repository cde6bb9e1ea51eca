import { expect, test } from "vitest";
import { createSharedTransactions } from "../../../../lib/clients/solana/shared-transactions";
import { decodeTransaction, type TransactionAnswer } from "../../../../lib/clients/solana/transaction-history";
import { AppError } from "../../../../lib/errors";
import type { KvStore } from "../../../../lib/ports/kv-store";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const SIGNATURE = "5".repeat(88);
const TOKEN = {
  accountIndex: 1,
  mint: "mint",
  owner: null,
  uiTokenAmount: { amount: "18446744073709551615", decimals: 6 },
};
const READ = {
  slot: 1_000,
  transaction: { message: { accountKeys: ["payer", "other"], instructions: [] } },
  meta: {
    fee: 5_000,
    preBalances: [10 ** 19, 0],
    postBalances: [1, 2],
    preTokenBalances: [],
    postTokenBalances: [TOKEN],
  },
} satisfies TransactionAnswer;

/** Opens instances whose newest known slot is `newestSlot`. `reads` counts the calls of their nodes. */
function setup(newestSlot: number, answer: TransactionAnswer = READ, change: (kv: KvStore) => KvStore = (kv) => kv) {
  const clock = createManualClock();
  const kv = change(createMemoryStore(clock));
  const world = { clock, reads: 0 };
  const readTransaction = async () => {
    world.reads++;
    return answer;
  };
  const createInstance = () => {
    const share = createSharedTransactions(kv, () => newestSlot);
    return () => share(SIGNATURE, readTransaction);
  };
  return Object.assign(world, { createInstance });
}

test("a final transaction is read once for all instances", async () => {
  const world = setup(1_300);
  for (const readTransaction of [world.createInstance(), world.createInstance()])
    expect(await readTransaction()).toEqual(decodeTransaction(READ));
  expect(world.reads).toBe(1);
});

test("a shared transaction leaves the store after two minutes", async () => {
  const world = setup(1_300);
  await world.createInstance()();
  await world.clock.advance(120_000);
  await world.createInstance()();
  expect(world.reads).toBe(2);
});

test.each([
  ["is not final yet", 1_299, READ],
  ["has no known slot", 1_300, { ...READ, slot: null }],
  ["was not found", 1_300, null],
  ["has no balances", 1_300, { ...READ, meta: null }],
  ["is longer than 16 kB", 1_300, { ...READ, meta: { ...READ.meta, postTokenBalances: Array(200).fill(TOKEN) } }],
])("a transaction that %s is not shared", async (_name, newestSlot, answer) => {
  const world = setup(newestSlot, answer);
  for (const readTransaction of [world.createInstance(), world.createInstance()])
    expect(await readTransaction()).toEqual(decodeTransaction(answer));
  expect(world.reads).toBe(2);
});

test("an answer that cannot be decoded is not shared", async () => {
  const world = setup(1_300, { ...READ, meta: { ...READ.meta, preBalances: [1] } });
  for (const readTransaction of [world.createInstance(), world.createInstance()])
    await expect(readTransaction()).rejects.toMatchObject({ code: "upstream_invalid" });
  expect(world.reads).toBe(2);
});

const fail = () => Promise.reject(new AppError("upstream_timeout"));

test.each([
  ["has another shape", (kv: KvStore) => ({ ...kv, get: async () => ({ ...READ, slot: "1000" }) as never })],
  ["cannot be read", (kv: KvStore) => ({ ...kv, get: fail, set: fail })],
])("a stored transaction that %s is read from the node", async (_name, change) => {
  const world = setup(1_300, READ, change);
  for (const readTransaction of [world.createInstance(), world.createInstance()])
    expect(await readTransaction()).toEqual(decodeTransaction(READ));
  expect(world.reads).toBe(2);
});
