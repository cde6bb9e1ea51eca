import { afterEach, beforeAll, expect, inject, test } from "vitest";
import { sandboxRpc } from "../support/app/app";
import {
  buildSignedTransaction,
  buildTransfer,
  buildWrapFor,
  createSaver,
  expireBlockhashes,
  readLamports,
  removeFaults,
  type Saver,
  setTargetRpc,
} from "../support/chain/chain";
import {
  createWallet,
  type DataAt,
  fund,
  post,
  setTargetApp,
  signTransaction,
  type Wallet,
} from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

/*
 * Tests transactions whose outcome stays unknown. Each call waits the service's full 25 s, so they run in parallel, and
 * beside the tests of other processes. The API tests have ended by then: no other transaction is lost with these.
 */

const { server, rpc } = inject("apps");
setTargetApp(server);
setTargetRpc(rpc);
let saver: Saver;
let lostWrap: { signedTransaction: string; build: DataAt<"POST", "/api/wrap"> };
let transfers: Awaited<ReturnType<typeof signTransfer>>[];
let lostWrapAnswer: Awaited<ReturnType<typeof execute>>;
let transferAnswers: (typeof lostWrapAnswer)[];
let balancesWhileLost: number[];

/** Signs a transfer between two funded ordinary wallets. */
async function signTransfer(blockhash?: string) {
  const [sender, receiver] = [await createWallet(), await createWallet()];
  await fund(sender.address, 1);
  await fund(receiver.address, 0.01);
  const instructions = [buildTransfer(sender.address, receiver.address, 1_000_000)];
  return { sender, signedTransaction: await buildSignedTransaction({ signers: [sender], instructions, blockhash }) };
}
const execute = (signedTransaction: string, { headers }: Wallet) =>
  post("/api/swap/execute", { signedTransaction }, { headers });
const postTransfers = () =>
  Promise.all(transfers.map(({ signedTransaction, sender }) => execute(signedTransaction, sender)));

beforeAll(async () => {
  // Sign with a blockhash that no earlier build handed out. The service would know the age of any other.
  await sandboxRpc(rpc, "sandbox_advanceSlots", [1]);
  transfers = [await signTransfer(), await signTransfer((await createWallet()).address)];
  await expireBlockhashes();
  saver = await createSaver({ serviceSol: 0.01 });
  const build = await buildWrapFor(saver, { txValueUsd: 12.34, plan: "tree" });
  lostWrap = { build, signedTransaction: signTransaction(build.transaction!.base64, saver.user.keys) };
  await sandboxRpc(rpc, "sandbox_dropTransactions", [true]);
  [lostWrapAnswer, transferAnswers] = await Promise.all([
    execute(lostWrap.signedTransaction, saver.user),
    postTransfers(),
  ]);
  balancesWhileLost = await readLamports(saver.serviceWallet.address);
  await removeFaults();
});
afterEach(removeFaults);

test("202, then 200: a lost transaction stays pending until a repeated post lands it once", async () => {
  expect(lostWrapAnswer.status).toBe(202);
  const { transaction, breakdown } = lostWrap.build;
  const { lastValidBlockHeight } = transaction!;
  expect(lostWrapAnswer.body?.data).toMatchObject({ confirmed: false, status: "pending", lastValidBlockHeight });
  expect(balancesWhileLost).toEqual([10_000_000]);
  const landing = await execute(lostWrap.signedTransaction, saver.user);
  expect(landing.status).toBe(200);
  expect(landing.body?.data).toMatchObject({ txSignature: lostWrapAnswer.body!.data!.txSignature, confirmed: true });
  expect(await readLamports(saver.serviceWallet.address)).toEqual([10_000_000 + breakdown.userInvestmentLamports]);
});

test("202, then 422: a transaction on an unknown blockhash expires only when that is certain", async () => {
  // The service does not know the age of these blockhashes, so at first they may be new.
  for (const { status, body } of transferAnswers)
    expect([status, body?.code ?? body?.data?.status]).toEqual([202, "pending"]);
  await expireBlockhashes();
  for (const answer of await postTransfers()) expectFailure(answer, "transaction_expired");
  const senders = transfers.map(({ sender }) => sender.address);
  expect(await readLamports(...senders)).toEqual([1_000_000_000, 1_000_000_000]);
});
