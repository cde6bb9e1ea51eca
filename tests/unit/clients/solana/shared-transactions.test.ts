import { expect, test } from "vitest";
import { createSharedTransactionReader } from "../../../../lib/clients/solana/shared-transactions";
import { type TransactionAnswer, toTransactionFigures } from "../../../../lib/clients/solana/transaction-history";
import { createManualClock } from "../../../support/fakes/manual-clock";
import { createMemoryStore } from "../../../support/store/memory-store";

const SIGNATURE = "5".repeat(88);
const TOKEN_BALANCE = {
  accountIndex: 1,
  mint: "mint",
  owner: null,
  uiTokenAmount: { amount: "18446744073709551615", decimals: 6 },
};
const ANSWER = {
  slot: 1_000,
  transaction: { message: { accountKeys: ["payer", "other"], instructions: [] } },
  meta: {
    fee: 5_000,
    preBalances: [10 ** 19, 0],
    postBalances: [1, 2],
    preTokenBalances: [],
    postTokenBalances: [TOKEN_BALANCE],
  },
} satisfies TransactionAnswer;

/** Opens two instances that share a store. `getReadCount` returns how often they have read their node. */
function openReaders(newestSlot: number, answer: TransactionAnswer) {
  const kv = createMemoryStore(createManualClock());
  let readCount = 0;
  const readAnswer = async () => {
    readCount++;
    return answer;
  };
  const readers = [1, 2].map(() => {
    const share = createSharedTransactionReader(kv, () => newestSlot);
    return () => share(SIGNATURE, readAnswer);
  });
  return { readers, getReadCount: () => readCount };
}

test.each<[string, TransactionAnswer, number?]>([
  ["is not final yet", ANSWER, 1_299],
  ["has no known slot", { ...ANSWER, slot: null }],
  ["was not found", null],
  ["has no balances", { ...ANSWER, meta: null }],
  ["is longer than 16 kB", { ...ANSWER, meta: { ...ANSWER.meta, postTokenBalances: Array(200).fill(TOKEN_BALANCE) } }],
])("a transaction that %s is not shared", async (_caseName, answer, newestSlot = 1_300) => {
  const { readers, getReadCount } = openReaders(newestSlot, answer);
  for (const read of readers) expect(await read()).toEqual(toTransactionFigures(answer));
  expect(getReadCount()).toBe(2);
});
