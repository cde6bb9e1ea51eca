import { expect, test } from "vitest";
import { ASSETS } from "../../lib/domain/assets";
import { verifyWrap } from "../../lib/sdk/verify/wrap";
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
import { buyFromMarket, readTokenBalances } from "../support/chain/tokens";
import { createWallet, fund, get, postSigned, readData, signTransaction } from "../support/client/client";

test("200: lands the signed wrap and moves exactly the amounts of the breakdown", async () => {
  const saver = await createSaver();
  const { breakdown, transaction } = await buildWrapFor(saver, { txValueUsd: 12.34, plan: "tree" });
  const signedTransaction = signTransaction(transaction!.base64, saver.user.keys);
  const txSignature = await expectBreakdownMoved(saver, signedTransaction, breakdown);
  const landedTransaction = await getConnection().getTransaction(txSignature, { maxSupportedTransactionVersion: 0 });
  expect(landedTransaction?.meta).toMatchObject({ err: null, fee: breakdown.networkFeeLamports });
});

test("200: saves 0.37 USDC of a payment of 4.63 USD, the fee included, and lists it as a saving", async () => {
  const saver = await createSaver();
  const { user, serviceWallet } = saver;
  await buyFromMarket(user, ASSETS.USDC.mint, 990_000_000);
  const wrap = await buildWrapFor(saver, { txValueUsd: 4.63, plan: "tree", payWith: "USDC" });
  const { breakdown } = wrap;
  expect(breakdown).toMatchObject({ roundUpUsd: 0.37, roundUpLamports: 0, activationLamports: 0 });
  expect(breakdown.totalLamports).toBe(breakdown.networkFeeLamports + breakdown.tokenAccountDepositLamports);
  const wallets = { wallet: user.address, serviceWallet: serviceWallet.address };
  const request = { ...wallets, purchasesUsd: [4.63], plan: "tree", payWith: "USDC" } as const;
  expect(verifyWrap(wrap, request).roundUpUnits).toBe(370_000n);
  const readUsdc = () =>
    Promise.all(
      [user.address, serviceWallet.address, breakdown.feeCollector].map(
        async (address) => (await readTokenBalances(address))[ASSETS.USDC.mint] ?? 0n,
      ),
    );
  const before = await readUsdc();
  const [solChange] = await measureLamportChanges([user.address], () =>
    readData(postSigned(signTransaction(wrap.transaction!.base64, user.keys), user.headers)),
  );
  expect((await readUsdc()).map((units, i) => units - before[i]!)).toEqual([-370_000n, 368_150n, 1_850n]);
  expect(-solChange!).toBe(breakdown.totalLamports);
  const { items } = await readData(get(`/api/activity/${user.address}?limit=1`));
  const amounts = [{ asset: "SOL" }, { asset: "USDC", change: -0.37 }];
  expect(items[0]).toMatchObject({ type: "round_up", usdValue: 0.37, amounts });
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
