import { Keypair } from "@solana/web3.js";
import { expect, test } from "vitest";
import { answerRpc } from "../../../../lib/sandbox/rpc/answer-rpc";
import {
  buildPayment,
  connectInProcess,
  fundKeypair,
  ONE_SOL,
  openStoppedChain,
  throwError,
  toAddress,
  UNUSED_METHODS,
} from "../../../support/chain/sandbox-rig";
import { buildSignedV1 } from "../../../support/fixtures/transaction-v1";

/** Opens a chain with a payer and a client that knows transactions of version 1. */
function openRig() {
  const { chain } = openStoppedChain();
  const from = fundKeypair(chain);
  const to = Keypair.generate();
  const context = { chain, ...UNUSED_METHODS };
  const connection = connectInProcess((call) => answerRpc(context, call, throwError));
  const buildBytes = (requests: Parameters<typeof buildSignedV1>[3], count = 1) => {
    const payments = Array.from({ length: count }, () => buildPayment(from, to.publicKey, ONE_SOL / 10n));
    return buildSignedV1(chain.getLatestBlockhash().blockhash, from, payments, requests);
  };
  return { chain, from, to, connection, buildBytes };
}

test("a transaction of version 1 runs, pays its priority fee and is read back with its requests", async () => {
  const { chain, from, to, connection, buildBytes } = openRig();
  const requests = { unitLimit: 1_000, loadedBytesLimit: 65_536, priorityFeeLamports: 777n };
  const signature = await connection.sendRawTransaction(buildBytes(requests));
  expect(chain.getAccount(toAddress(to))!.lamports).toBe(ONE_SOL / 10n);
  expect(chain.getAccount(toAddress(from))!.lamports).toBe(10n * ONE_SOL - ONE_SOL / 10n - 5_777n);
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

test("a transaction of version 1 that requests no loaded data is refused, as what it omits is 0", () => {
  const { chain, buildBytes } = openRig();
  expect(chain.simulate(buildBytes({ unitLimit: 1_000 })).err).toBe("MaxLoadedAccountsDataSizeExceeded");
  expect(chain.simulate(buildBytes({ loadedBytesLimit: 65_536 })).err).toMatchObject({ InstructionError: [0, {}] });
});

test("a transaction of version 1 is charged for its requested cost units", () => {
  const { chain, from, buildBytes } = openRig();
  chain.setFeeModel("resource-2");
  const lamportsBefore = chain.getAccount(toAddress(from))!.lamports;
  const requests = { unitLimit: 1_000, loadedBytesLimit: 65_536, priorityFeeLamports: 777n };
  chain.send(buildBytes(requests));
  // 720 for the signature, 600 for two write locks, 3 for 12 bytes, 1,000, and 16 for two pages: 2,339 cost units.
  const fee = 2_500n + 1_170n + 777n;
  expect(lamportsBefore - chain.getAccount(toAddress(from))!.lamports).toBe(ONE_SOL / 10n + fee);
});
