import { expect, test } from "vitest";
import { answerRpc } from "../../../../lib/sandbox/rpc/answer-rpc";
import {
  buildPayment,
  connectInProcess,
  createAddress,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  readLamports,
  throwError,
  toAddress,
  UNUSED_METHODS,
} from "../../../support/chain/sandbox-rig";
import { buildSignedV1 } from "../../../support/fixtures/transaction-v1";

/** Opens a chain with a payer, whose payment of version 1 is in `bytes`. */
function openRig() {
  const { chain } = openStoppedChain();
  const from = fundKeypair(chain);
  const to = createAddress();
  const context = { chain, ...UNUSED_METHODS };
  const connection = connectInProcess((call) => answerRpc(context, call, throwError));
  const { blockhash } = chain.getLatestBlockhash();
  const requests = { unitLimit: 1_000, loadedBytesLimit: 65_536, priorityFeeLamports: 777n };
  const bytes = buildSignedV1(blockhash, from, [buildPayment(from, to, ONE_SOL / 10n)], requests);
  return { chain, from: toAddress(from), to, connection, bytes };
}

test("a transaction of version 1 runs, pays its priority fee and is read back with its requests", async () => {
  const { chain, from, to, connection, bytes } = openRig();
  const signature = await connection.sendRawTransaction(bytes);
  expect(readLamports(chain, to)).toBe(ONE_SOL / 10n);
  expect(readLamports(chain, from)).toBe(10n * ONE_SOL - ONE_SOL / 10n - 5_777n);
  chain.advanceSlots(1);
  const answer = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 1 });
  expect(answer).toMatchObject({ version: 1, meta: { err: null, fee: 5_777 } });
  expect(answer!.transaction.message).toMatchObject({
    transactionConfig: {
      computeUnitLimit: 1_000,
      loadedAccountsDataSizeLimit: 65_536,
      heapSize: null,
      priorityFee: 777,
    },
  });
  for (const limit of [0, undefined]) {
    const reading = connection.getTransaction(signature, { maxSupportedTransactionVersion: limit as number });
    await expect(reading).rejects.toThrow(/version \(1\) is not supported/);
  }
});

test("a transaction of version 1 is charged for its requested cost units", () => {
  const { chain, from, bytes } = openRig();
  chain.setFeeModel("resource-2");
  const lamportsBefore = readLamports(chain, from);
  chain.send(bytes);
  // 720 for the signature, 600 for two write locks, 3 for 12 bytes, 1,000, and 16 for two pages: 2,339 cost units.
  const fee = 2_500n + 1_170n + 777n;
  expect(lamportsBefore - readLamports(chain, from)).toBe(ONE_SOL / 10n + fee);
});
