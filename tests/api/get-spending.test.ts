import { expect, test } from "vitest";
import { buildSignedTransaction, buildTransfer, createSaver, requestSaving } from "../support/chain/chain";
import { createWallet, get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

// tests/unit/services/get-spending.test.ts and payment-value.test.ts hold tokens, small payments and their values.
test("200: lists a payment until its change is saved", async () => {
  const saver = await createSaver();
  const { user } = saver;
  const shop = await createWallet();
  const readSpending = () => readData(get(`/api/spending/${user.address}`, { headers: user.headers }));
  const sendPayment = async (lamports: number) => {
    const instructions = [buildTransfer(user.address, shop.address, lamports)];
    const signedTransaction = await buildSignedTransaction({ signers: [user], instructions });
    return (await readData(postSigned(signedTransaction, user.headers))).txSignature;
  };
  const buildBatch = (batch: object) => requestSaving(saver, "/api/wrap/batch", { ...batch, plan: "forest" });

  const [, secondPayment] = [await sendPayment(22_345_678), await sendPayment(33_456_789)];
  const { items, batches } = await readSpending();
  expect(items.map(({ amounts, estimated }) => [amounts[0]!.amount, estimated])).toEqual([
    ["-33456789", false],
    ["-22345678", false],
  ]);
  const txValuesUsd = items.map(({ usdValue }) => usdValue).reverse();
  const small = { count: 0, sumUsd: 0 };
  expect(batches).toEqual([{ txValuesUsd, small, through: secondPayment, after: "none" }]);

  const builds = [await readData(buildBatch(batches[0]!)), await readData(buildBatch(batches[0]!))] as const;
  expect(builds[0].instructions).toHaveLength(3);
  const [signed, otherSigned] = builds.map(({ transaction }) => signTransaction(transaction!.base64, user.keys));
  expect((await postSigned(signed!, user.headers)).status).toBe(200);
  // With the same blockhash the bytes are identical, so the service repeats its answer. It refuses different bytes.
  if (otherSigned !== signed) expectFailure(await postSigned(otherSigned!, user.headers), "already_saved");
  expect((await postSigned(signed!, user.headers)).status).toBe(200);
  expectFailure(await buildBatch(batches[0]!), "already_saved");

  expect(await readSpending()).toMatchObject({ items: [], batches: [], savedThrough: secondPayment });
  const thirdPayment = await sendPayment(44_567_890);
  expect(await readSpending()).toMatchObject({
    items: [{ txSignature: thirdPayment }],
    batches: [{ through: thirdPayment }],
  });
});
