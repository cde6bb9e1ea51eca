import { afterEach, expect, test } from "vitest";
import { createSaver, expectBreakdownMoved, removeFaults } from "../support/chain/chain";
import { data, get, post, signTransaction } from "../support/client/client";

afterEach(removeFaults);

test("200: moves the exact sum with one pair of transfers", async () => {
  const saver = await createSaver();
  const { user, service } = saver;
  const wallets = { userPubkey: user.address, serviceWalletPubkey: service.address };
  const body = { ...wallets, txValuesUsd: [4.98, 27.63, 3.01], plan: "forest" };
  const { instructions, transaction, breakdown } = await data(post("/api/wrap/batch", body, { headers: user.headers }));
  expect(instructions).toHaveLength(2);
  await expectBreakdownMoved(saver, signTransaction(transaction!.base64, user.keys), breakdown);
  const { items } = await data(get(`/api/activity/${service.address}`));
  expect(items[0]).toMatchObject({
    type: "round_up",
    topup: false,
    referenceHash: null,
    serviceFeeLamports: breakdown.serviceFeeLamports,
  });
});
