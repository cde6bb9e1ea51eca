import { expect, test } from "vitest";
import { buildWrapFor, createSaver, requestSaving, type Saver } from "../support/chain/chain";
import { get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

const readReference = ({ user }: Saver, reference: string, query = "") =>
  get(`/api/references/${encodeURIComponent(reference)}${query}`, { headers: user.headers });

test("200: reports an order as unknown until its only saving is confirmed", async () => {
  const saver = await createSaver();
  const reference = "order 1/2%?#~";
  const unknownOrder = { reference, state: "unknown", transactions: [] };
  expect(await readData(readReference(saver, reference))).toMatchObject(unknownOrder);
  const { transaction } = await buildWrapFor(saver, { txValueUsd: 4.63, reference });
  const competingTopup = await readData(requestSaving(saver, "/api/topup", { amountUsd: 5, reference }));
  const signedTransactions = [transaction!, competingTopup.transaction!].map(({ base64 }) =>
    signTransaction(base64, saver.user.keys),
  );
  const { txSignature } = await readData(postSigned(signedTransactions[0]!, saver.user.headers));
  const answer = await readData(readReference(saver, reference));
  expect(answer).toMatchObject({ reference, state: "confirmed", transactions: [txSignature], isComplete: true });
  expectFailure(await postSigned(signedTransactions[1]!, saver.user.headers), "already_saved");
  const repeatedBuild = await requestSaving(saver, "/api/wrap/batch", { txValuesUsd: [1.5], reference });
  expectFailure(repeatedBuild, "already_saved");
  expect(repeatedBuild.body).toMatchObject({ txSignature });
});

test("400: refuses a reference of 65 characters or a different wallet", async () => {
  const [saver, otherSaver] = [await createSaver(), await createSaver()];
  expectFailure(await readReference(saver, "o".repeat(65)), "invalid_request");
  expectFailure(await readReference(saver, "o", `?wallet=${otherSaver.user.address}`), "invalid_request");
});
