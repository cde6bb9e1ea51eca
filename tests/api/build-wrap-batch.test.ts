import { afterEach, expect, test } from "vitest";
import { createSaver, expectBreakdownMoved, removeFaults, type Saver } from "../support/chain/chain";
import { data, get, post, signTransaction } from "../support/client/client";

afterEach(removeFaults);

const buildBatch = ({ user, service }: Saver, txValuesUsd: unknown, fields: Record<string, unknown> = {}) =>
  post(
    "/api/wrap/batch",
    { txValuesUsd, userPubkey: user.address, serviceWalletPubkey: service.address, ...fields },
    { headers: user.headers },
  );

test("200: moves the exact sum with one pair of transfers", async () => {
  const saver = await createSaver();
  const { instructions, transaction, breakdown } = await data(
    buildBatch(saver, [4.98, 27.63, 3.01], { plan: "forest" }),
  );
  expect(instructions).toHaveLength(2);
  await expectBreakdownMoved(saver, signTransaction(transaction!.base64, saver.user.keys), breakdown);
  const { items } = await data(get(`/api/activity/${saver.service.address}`));
  expect(items[0]).toMatchObject({
    type: "round_up",
    topup: false,
    referenceHash: null,
    serviceFeeLamports: breakdown.serviceFeeLamports,
  });
});

test("200: accepts 500 purchases", async () => {
  const saver = await createSaver();
  const values = Array.from({ length: 500 }, (_, i) => (i + 1) / 100);
  const { items, breakdown } = await data(buildBatch(saver, values));
  expect(items).toHaveLength(500);
  expect(breakdown.txValueUsd).toBe(1252.5);
  expect(breakdown.roundUpUsd).toBe(22.5);
});
