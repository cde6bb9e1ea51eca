import { expect, test } from "vitest";
import {
  buildSignedTransaction,
  buildTransfer,
  buildWrapFor,
  createSaver,
  expectBreakdownMoved,
  getConnection,
  measureLamportChanges,
} from "../support/chain/chain";
import { toWeb3 } from "../support/chain/sandbox-rig";
import { createWallet, fund, postSigned, readData, signTransaction } from "../support/client/client";

test("200: lands the signed wrap and moves exactly the amounts of the breakdown", async () => {
  const saver = await createSaver();
  const { breakdown, transaction } = await buildWrapFor(saver, { txValueUsd: 12.34, plan: "tree" });
  const signedTransaction = signTransaction(transaction!.base64, saver.user.keys);
  const txSignature = await expectBreakdownMoved(saver, signedTransaction, breakdown);
  const landedTransaction = await getConnection().getTransaction(txSignature, { maxSupportedTransactionVersion: 0 });
  expect(landedTransaction?.meta).toMatchObject({ err: null, fee: breakdown.networkFeeLamports });
});

test.each([false, true])(
  "200: lands an app's own transaction that contains the wrap (legacy: %o)",
  async (isLegacy) => {
    const saver = await createSaver();
    const shop = await createWallet();
    await fund(shop.address, 0.01);
    const { breakdown, instructions } = await buildWrapFor(saver, { txValueUsd: 3.4, plan: "forest" });
    const signedTransaction = await buildSignedTransaction({
      signers: [saver.user],
      isLegacy,
      instructions: [
        // ComputeBudget SetComputeUnitLimit (tag 2) 50,000.
        toWeb3({ programId: "ComputeBudget111111111111111111111111111111", accounts: [], data: "AlDDAAA=" }),
        buildTransfer(saver.user.address, shop.address, 22_666_666),
        ...instructions.map(toWeb3),
      ],
    });
    const wallets = [shop.address, saver.serviceWallet.address, breakdown.feeCollector];
    const postTransaction = () => readData(postSigned(signedTransaction, saver.user.headers));
    expect(await measureLamportChanges(wallets, postTransaction)).toEqual([
      22_666_666,
      breakdown.userInvestmentLamports + breakdown.activationLamports,
      breakdown.serviceFeeLamports,
    ]);
  },
);
