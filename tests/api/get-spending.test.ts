import { beforeAll, expect, test } from "vitest";
import { buildSignedTransaction, buildTransfer, createSaver, requestSaving, type Saver } from "../support/chain/chain";
import { createWallet, get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

let saver: Saver;
let shop: string;

beforeAll(async () => {
  [saver, shop] = [await createSaver({ userSol: 1 }), (await createWallet()).address];
});

const readSpending = (query = "") =>
  readData(get(`/api/spending/${saver.user.address}?${query}`, { headers: saver.user.headers }));

/** Pays the shop. @returns the signature */
async function sendPayment(lamports: number): Promise<string> {
  const { user } = saver;
  const signedTransaction = await buildSignedTransaction({
    signers: [user],
    instructions: [buildTransfer(user.address, shop, lamports)],
  });
  return (await readData(postSigned(signedTransaction, user.headers))).txSignature;
}

const buildBatch = (batch: object) => requestSaving(saver, "/api/wrap/batch", { ...batch, plan: "forest" });

test("200: lists a payment until its change is saved", async () => {
  const [, secondPayment] = [await sendPayment(2_345_678), await sendPayment(3_456_789)];
  const { items, batches } = await readSpending();
  expect(items.map(({ amounts, estimated }) => [amounts[0]!.amount, estimated])).toEqual([
    ["-3456789", false],
    ["-2345678", false],
  ]);
  expect(batches).toEqual([{ txValuesUsd: items.map(({ usdValue }) => usdValue).reverse(), through: secondPayment }]);

  const [firstBuild, secondBuild] = [await readData(buildBatch(batches[0]!)), await readData(buildBatch(batches[0]!))];
  expect(firstBuild.instructions).toHaveLength(3);
  const [signedTransaction, otherSignedTransaction] = [firstBuild, secondBuild].map(({ transaction }) =>
    signTransaction(transaction!.base64, saver.user.keys),
  ) as [string, string];
  expect((await postSigned(signedTransaction, saver.user.headers)).status).toBe(200);
  // With the same blockhash the bytes are identical, so the service repeats its answer. It refuses different bytes.
  if (otherSignedTransaction !== signedTransaction)
    expectFailure(await postSigned(otherSignedTransaction, saver.user.headers), "already_saved");
  expect((await postSigned(signedTransaction, saver.user.headers)).status).toBe(200);
  expectFailure(await buildBatch(batches[0]!), "already_saved");

  expect(await readSpending()).toMatchObject({ items: [], batches: [], savedThrough: secondPayment });
  const thirdPayment = await sendPayment(4_567_890);
  expect(await readSpending()).toMatchObject({
    items: [{ txSignature: thirdPayment }],
    batches: [{ through: thirdPayment }],
  });
});
