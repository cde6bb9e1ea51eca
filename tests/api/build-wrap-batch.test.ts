import { expect, test } from "vitest";
import { createSaver, expectBreakdownMoved, requestSaving } from "../support/chain/chain";
import { get, readData, signTransaction } from "../support/client/client";

test("200: moves the exact sum with one pair of transfers", async () => {
  const saver = await createSaver();
  const { instructions, transaction, breakdown } = await readData(
    requestSaving(saver, "/api/wrap/batch", { txValuesUsd: [4.98, 27.63, 3.01], plan: "forest" }),
  );
  expect(instructions).toHaveLength(2);
  await expectBreakdownMoved(saver, signTransaction(transaction!.base64, saver.user.keys), breakdown);
  const { items } = await readData(get(`/api/activity/${saver.serviceWallet.address}`));
  const { serviceFeeLamports } = breakdown;
  expect(items[0]).toMatchObject({ type: "round_up", topup: false, referenceHash: null, serviceFeeLamports });
});
