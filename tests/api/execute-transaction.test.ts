import { expect, test } from "vitest";
import type { DataOf } from "../../lib/contracts/define";
import type { executeTransactionContract } from "../../lib/contracts/execute-transaction";
import {
  buildSignedTransaction,
  buildTransfer,
  buildWrapFor,
  createSaver,
  getConnection,
  readLamports,
  type Saver,
  sendDirectly,
} from "../support/chain/chain";
import { post, readData, signTransaction, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

/* Tests certain outcomes: landed, failed or refused. tests/process/pending-transactions.test.ts tests the others. */

const postTransaction = (signedTransaction: string, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });

function readSlot(answer: DataOf<typeof executeTransactionContract>): number {
  if (!answer.confirmed) throw new Error("the transaction is pending");
  return answer.slot;
}

async function createSignedWrap(saver: Saver) {
  const { transaction, breakdown } = await buildWrapFor(saver, { txValueUsd: 12.34, plan: "tree" });
  return { signedTransaction: signTransaction(transaction!.base64, saver.user.keys), breakdown };
}

test("200: lands a wrap and returns its signature, slot and network", async () => {
  const saver = await createSaver();
  const { signedTransaction } = await createSignedWrap(saver);
  const answer = await postTransaction(signedTransaction, saver.user);
  expect(answer.status).toBe(200);
  const landing = await readData(answer);
  expect(landing).toMatchObject({ confirmed: true, network: "sandbox" });
  const { value } = await getConnection().getSignatureStatuses([landing.txSignature]);
  expect(value[0]).toMatchObject({ slot: readSlot(landing), err: null });
});

test("200: lands identical bytes once when they are posted many times", async () => {
  const saver = await createSaver({ serviceSol: 0.01 });
  const { signedTransaction, breakdown } = await createSignedWrap(saver);
  const postWrap = () => readData(postTransaction(signedTransaction, saver.user));
  const answers = await Promise.all(Array.from({ length: 8 }, postWrap));
  expect(new Set(answers.map((landed) => `${landed.txSignature} ${readSlot(landed)}`)).size).toBe(1);
  expect(await postWrap()).toMatchObject({ slot: readSlot(answers[0]!) });
  expect(await readLamports(saver.serviceWallet.address)).toEqual([10_000_000 + breakdown.userInvestmentLamports]);
});

test("422: repeats the failure and the signature of a transaction that failed on the chain", async () => {
  const [{ user }, { user: receiver }] = [await createSaver(), await createSaver()];
  const instructions = [buildTransfer(user.address, receiver.address, 2_000_000_000)];
  const signedTransaction = await buildSignedTransaction({ signers: [user], instructions });
  const txSignature = await sendDirectly(signedTransaction);
  const firstAnswer = await postTransaction(signedTransaction, user);
  expectFailure(firstAnswer, "transaction_failed");
  const error = expect.stringMatching(/failed there: .*insufficient funds/);
  expect(firstAnswer.body).toMatchObject({ txSignature, error });
  const laterAnswer = await postTransaction(signedTransaction, user);
  expect({ ...laterAnswer.body, requestId: "" }).toEqual({ ...firstAnswer.body, requestId: "" });
});

test("403: refuses a deposit without a fee into a stranger's service wallet", async () => {
  const [saver, otherSaver] = [await createSaver(), await createSaver({ userSol: 0 })];
  const lamportsBefore = await readLamports(saver.user.address);
  const instructions = [buildTransfer(saver.user.address, otherSaver.serviceWallet.address, 10_000_000)];
  const signedTransaction = await buildSignedTransaction({ signers: [saver.user], instructions });
  expectFailure(await postTransaction(signedTransaction, saver.user), "fee_missing");
  expect(await readLamports(saver.user.address)).toEqual(lamportsBefore);
});
