import { describe, expect, inject, test } from "vitest";
import {
  buildSignedTransaction,
  buildTransfer,
  buildWrapFor,
  createSaver,
  requestSaving,
  type Saver,
} from "../support/chain/chain";
import { toWeb3 } from "../support/chain/sandbox-rig";
import { type DataAt, get, post, postSigned, readData, signTransaction } from "../support/client/client";
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

describe("200: asBuilt answers for the caller that asks", () => {
  const SHOP_HEADERS = { "x-api-key": inject("apps").apiKey };
  const createShopAndSaver = async () => {
    const saver = await createSaver({ serviceSol: 0.1 });
    const reference = `order-${saver.user.address.slice(0, 8)}`;
    const build = (headers: Record<string, string>, txValueUsd: number) => {
      const wallets = { userPubkey: saver.user.address, serviceWalletPubkey: saver.serviceWallet.address };
      return readData(post("/api/wrap", { txValueUsd, reference, ...wallets }, { headers }));
    };
    const readOrder = async (headers: Record<string, string>) => {
      const query = `?wallet=${saver.user.address}`;
      const { amounts, expected, asBuilt } = await readData(get(`/api/references/${reference}${query}`, { headers }));
      return { paid: amounts[0]?.amount, expected: expected?.[0]?.amount, asBuilt };
    };
    return { saver, reference, build, readOrder };
  };
  const toChange = ({ breakdown }: DataAt<"POST", "/api/wrap">) =>
    `${-(breakdown.userInvestmentLamports + breakdown.activationLamports + breakdown.serviceFeeLamports)}`;

  test("a customer's cent under the shop's reference leaves the shop's order open", async () => {
    const { saver, build, readOrder } = await createShopAndSaver();
    const shopBuild = await build(SHOP_HEADERS, 4.63);
    const centBuild = await build(saver.user.headers, 4.69);
    await readData(postSigned(signTransaction(centBuild.transaction!.base64, saver.user.keys), saver.user.headers));
    const paid = toChange(centBuild);
    expect(await readOrder(SHOP_HEADERS)).toEqual({ paid, expected: toChange(shopBuild), asBuilt: false });
    expect(await readOrder(saver.user.headers)).toEqual({ paid, expected: paid, asBuilt: true });
  });

  test("one lamport with the order's memo, posted by the shop itself, is no saving as built in the key's feed", async () => {
    const { saver, reference, build, readOrder } = await createShopAndSaver();
    const { user, serviceWallet } = saver;
    const { transaction, instructions } = await build(SHOP_HEADERS, 4.63);
    const [saving, ...others] = instructions.map(toWeb3);
    saving!.data = buildTransfer(user.address, serviceWallet.address, 1).data;
    const { blockhash } = transaction!;
    const hostile = await buildSignedTransaction({ signers: [user], instructions: [saving!, ...others], blockhash });
    const { txSignature } = await readData(postSigned(hostile, SHOP_HEADERS));
    const order = await readOrder(SHOP_HEADERS);
    expect(order.asBuilt).toBe(false);
    const { events } = await readData(get("/api/events?limit=100", { headers: SHOP_HEADERS }));
    expect(events.find((event) => event.txSignature === txSignature)).toMatchObject({
      type: "saving.confirmed",
      reference,
      amounts: [{ amount: order.paid }],
      expected: [{ amount: order.expected }],
      asBuilt: false,
    });
  });
});

test("400: refuses a reference of 65 characters or a different wallet", async () => {
  const [saver, otherSaver] = [await createSaver(), await createSaver()];
  expectFailure(await readReference(saver, "o".repeat(65)), "invalid_request");
  expectFailure(await readReference(saver, "o", `?wallet=${otherSaver.user.address}`), "invalid_request");
});
