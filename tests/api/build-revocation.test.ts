import { expect, test } from "vitest";
import { allow, createUsdcSaver } from "../support/chain/allowances";
import { get, post, postSigned, readData, signTransaction } from "../support/client/client";

test("200: ends the allowance, and then there is nothing to sign", async () => {
  const saver = await createUsdcSaver();
  const { user, serviceWallet } = saver;
  await allow(saver, 25);
  const build = () =>
    readData(post("/api/allowance/revoke/build", { userPubkey: user.address }, { headers: user.headers }));
  const { delegate, transaction } = await build();
  expect(delegate).toBe(serviceWallet.address);
  await readData(postSigned(signTransaction(transaction!.base64, user.keys), user.headers));
  const path = `/api/allowance/${user.address}?serviceWallet=${serviceWallet.address}` as const;
  expect(await readData(get(path))).toMatchObject({ delegate: null, remainingUsd: 0 });
  expect(await build()).toMatchObject({ delegate: null, transaction: null });
});
