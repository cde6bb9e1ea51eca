import { expect, test } from "vitest";
import { allow, createUsdcSaver } from "../support/chain/allowances";
import { createWallet, get, readData } from "../support/client/client";

test("200: tells anyone what a service wallet may still take, and nothing for another wallet", async () => {
  const saver = await createUsdcSaver();
  const { address } = saver.serviceWallet;
  const read = (serviceWallet: string) =>
    readData(get(`/api/allowance/${saver.user.address}?serviceWallet=${serviceWallet}`));
  expect(await read(address)).toMatchObject({ delegate: null, isServiceWallet: false, remainingUsd: 0 });
  await allow(saver, 12.5);
  expect(await read(address)).toMatchObject({ delegate: address, isServiceWallet: true, remainingUsd: 12.5 });
  const stranger = await createWallet();
  expect(await read(stranger.address)).toMatchObject({ delegate: address, isServiceWallet: false, remainingUsd: 0 });
});
