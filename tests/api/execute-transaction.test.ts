import { afterEach, beforeAll, describe, expect, inject, test } from "vitest";
import type { DataOf } from "../../lib/contracts/define";
import type { executeTransactionContract } from "../../lib/contracts/execute-transaction";
import { sandboxRpc } from "../support/app/app";
import {
  buildSignedTransaction,
  buildTransfer,
  buildWrapFor,
  createSaver,
  expireBlockhashes,
  getConnection,
  readLamports,
  removeFaults,
  type Saver,
  sendDirectly,
} from "../support/chain/chain";
import { createWallet, fund, post, readData, signTransaction, type Wallet } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

/* Tests the outcomes of valid transactions: landed, lost, late, failed or refused. */

afterEach(removeFaults);

const postTransaction = (signedTransaction: string, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });

/** Returns the slot of a confirmed transaction. @throws Error when the transaction is pending */
function readSlot(answer: DataOf<typeof executeTransactionContract>): number {
  if (!answer.confirmed) throw new Error("the transaction is pending");
  return answer.slot;
}

async function createSignedWrap(saver: Saver, fields: Record<string, unknown> = { txValueUsd: 12.34, plan: "tree" }) {
  const { transaction, breakdown } = await buildWrapFor(saver, fields);
  return { signedTransaction: signTransaction(transaction!.base64, saver.user.keys), breakdown, transaction };
}

/** Builds a transfer between two funded ordinary wallets. */
async function createSignedTransfer(lamports: number, blockhash?: string) {
  const [sender, receiver] = [await createWallet(), await createWallet()];
  await fund(sender.address, 1);
  await fund(receiver.address, 0.01);
  const instructions = [buildTransfer(sender.address, receiver.address, lamports)];
  const signedTransaction = await buildSignedTransaction({ signers: [sender], instructions, blockhash });
  return { sender, signedTransaction };
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

describe("an outcome that stays unknown", () => {
  let saver: Saver;
  let lostWrap: Awaited<ReturnType<typeof createSignedWrap>>;
  let pendingAnswer: Awaited<ReturnType<typeof postTransaction>>;
  let lostWrapBalances: number[];
  let transfers: Awaited<ReturnType<typeof createSignedTransfer>>[];
  let firstAnswers: (typeof pendingAnswer)[];
  const postTransfers = () =>
    Promise.all(transfers.map(({ signedTransaction, sender }) => postTransaction(signedTransaction, sender)));

  // Each call waits the service's full 25 s, so they run in parallel.
  beforeAll(async () => {
    // Sign with a blockhash that no earlier build handed out. The service would know the age of any other.
    await sandboxRpc(inject("apps").rpc, "sandbox_advanceSlots", [1]);
    transfers = [
      await createSignedTransfer(1_000_000),
      await createSignedTransfer(1_000_000, (await createWallet()).address),
    ];
    await expireBlockhashes();
    saver = await createSaver({ serviceSol: 0.01 });
    lostWrap = await createSignedWrap(saver);
    await sandboxRpc(inject("apps").rpc, "sandbox_dropTransactions", [true]);
    [pendingAnswer, firstAnswers] = await Promise.all([
      postTransaction(lostWrap.signedTransaction, saver.user),
      postTransfers(),
    ]);
    lostWrapBalances = await readLamports(saver.serviceWallet.address);
    await removeFaults();
  });

  test("202, then 200: a lost transaction stays pending until a repeated post lands it once", async () => {
    expect(pendingAnswer.status).toBe(202);
    const { lastValidBlockHeight } = lostWrap.transaction!;
    expect(pendingAnswer.body?.data).toMatchObject({ confirmed: false, status: "pending", lastValidBlockHeight });
    expect(lostWrapBalances).toEqual([10_000_000]);
    const landing = await postTransaction(lostWrap.signedTransaction, saver.user);
    expect(landing.status).toBe(200);
    expect(landing.body?.data).toMatchObject({ txSignature: pendingAnswer.body!.data!.txSignature, confirmed: true });
    expect(await readLamports(saver.serviceWallet.address)).toEqual([
      10_000_000 + lostWrap.breakdown.userInvestmentLamports,
    ]);
  });

  test("202, then 422: a transaction on an unknown blockhash expires only when that is certain", async () => {
    // The service does not know the age of these blockhashes, so at first they may be new.
    for (const { status, body } of firstAnswers)
      expect([status, body?.code ?? body?.data?.status]).toEqual([202, "pending"]);
    await expireBlockhashes();
    for (const answer of await postTransfers()) expectFailure(answer, "transaction_expired");
    const senders = transfers.map(({ sender }) => sender.address);
    expect(await readLamports(...senders)).toEqual([1_000_000_000, 1_000_000_000]);
  });
});

test("422: repeats the failure and the signature of a transaction that failed on the chain", async () => {
  const { signedTransaction, sender } = await createSignedTransfer(2_000_000_000);
  const txSignature = await sendDirectly(signedTransaction);
  const firstAnswer = await postTransaction(signedTransaction, sender);
  expectFailure(firstAnswer, "transaction_failed");
  const error = expect.stringMatching(/failed there: .*insufficient funds/);
  expect(firstAnswer.body).toMatchObject({ txSignature, error });
  const laterAnswer = await postTransaction(signedTransaction, sender);
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
