import { expect, inject, test } from "vitest";
import { buildWrapFor, createSaver } from "../support/chain/chain";
import { createWallet, get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

const { apiKey } = inject("apps");

test("200: lists a service wallet after a saving into it, for its wallet and for a static key", async () => {
  const { user, serviceWallet } = await createSaver();
  const find = () => readData(get("/api/wallet/find", { headers: user.headers }));
  const empty = { walletAddress: user.address, network: "sandbox", serviceWallets: [], isComplete: true };
  expect(await find()).toEqual(empty);
  const { transaction } = await buildWrapFor({ user, serviceWallet }, { txValueUsd: 4.63 });
  await readData(postSigned(signTransaction(transaction!.base64, user.keys), user.headers));
  const found = { ...empty, serviceWallets: [serviceWallet.address] };
  expect(await find()).toEqual(found);
  const query = `?wallet=${user.address}`;
  expect(await readData(get(`/api/wallet/find${query}`, { headers: { "x-api-key": apiKey } }))).toEqual(found);
});

test("400: refuses a static key without a wallet, and another wallet than the caller's", async () => {
  const [user, stranger] = [await createWallet(), await createWallet()];
  expectFailure(await get("/api/wallet/find", { headers: { "x-api-key": apiKey } }), "wallet_required");
  const other = await get(`/api/wallet/find?wallet=${stranger.address}`, { headers: user.headers });
  expectFailure(other, "invalid_request");
});
