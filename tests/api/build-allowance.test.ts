import { expect, test } from "vitest";
import { allow, createUsdcSaver, requestAllowance } from "../support/chain/allowances";
import { buildWrapFor, createSaver, measureLamportChanges, readRent } from "../support/chain/chain";
import { get, post, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

test("200: from then on the service wallet saves USDC by itself, until the allowance is used up", async () => {
  const saver = await createUsdcSaver();
  const { user, serviceWallet } = saver;
  const [userLamports, serviceLamports] = await measureLamportChanges(
    [user.address, serviceWallet.address],
    async () => {
      const breakdown = await allow(saver, 1);
      expect(breakdown.reserveLamports).toBeGreaterThan(await readRent());
      expect(breakdown).toMatchObject({ amountUsd: 1, amountUnits: "1000000" });
    },
  );
  expect(serviceLamports).toBeGreaterThan(await readRent());
  expect(-userLamports!).toBeGreaterThan(serviceLamports!);
  const purchase = { txValueUsd: 3.3, plan: "forest", payWith: "USDC", by: "allowance" };
  const { transaction, breakdown } = await buildWrapFor(saver, purchase);
  expect(breakdown).toMatchObject({ roundUpUnits: 700_000, tokenAccountDepositLamports: 0 });
  const signed = signTransaction(transaction!.base64, serviceWallet.keys);
  const { txSignature } = await readData(postSigned(signed, user.headers));
  const { items } = await readData(get(`/api/activity/${user.address}`));
  expect(items[0]).toMatchObject({ txSignature, type: "round_up", usdValue: 0.7 });
  const body = { ...purchase, userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  expectFailure(await post("/api/wrap", body, { headers: user.headers }), "allowance_missing");
});

test("409: a wallet without USDC gets no allowance", async () => {
  expectFailure(await requestAllowance(await createSaver(), 25), "usdc_account_unusable");
});
