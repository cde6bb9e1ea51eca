import { afterEach, expect, test } from "vitest";
import { createSaver, expectBreakdownMoved, removeFaults } from "../support/chain/chain";
import { get, post, readData, signTransaction } from "../support/client/client";

afterEach(removeFaults);

test("200: moves the exact sum with one pair of transfers", async () => {
  const saver = await createSaver();
  const { user, serviceWallet } = saver;
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet.address };
  const body = { ...wallets, txValuesUsd: [4.98, 27.63, 3.01], plan: "forest" };
  const { instructions, transaction, breakdown } = await readData(
    post("/api/wrap/batch", body, { headers: user.headers }),
  );
  expect(instructions).toHaveLength(2);
  await expectBreakdownMoved(saver, signTransaction(transaction!.base64, user.keys), breakdown);
  const { items } = await readData(get(`/api/activity/${serviceWallet.address}`));
  expect(items[0]).toMatchObject({
    type: "round_up",
    topup: false,
    referenceHash: null,
    serviceFeeLamports: breakdown.serviceFeeLamports,
  });
});
