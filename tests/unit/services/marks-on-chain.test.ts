import { expect, test } from "vitest";
import { buildTopupContract } from "@/lib/contracts/build-topup";
import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { getSpendingContract } from "@/lib/contracts/get-spending";
import { buildTopup } from "@/lib/services/build-topup";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { getSpending } from "@/lib/services/get-spending";
import { embeddedSandbox } from "../../support/chain/embedded-sandbox";
import { inputOf } from "../../support/client/contract-input";
import { signTransaction } from "../../support/fixtures/test-wallets";
import { flush } from "../../support/store/store-loss";
import { derivedWallet, post, user } from "../../support/worlds/relay-rig";

test("on the sandbox's own chain: after a flush, a stale batch and a stale period are refused, and the rest is saved", async () => {
  const sandbox = embeddedSandbox();
  const { deps } = sandbox;
  sandbox.hold(user.address, 100_000_000_000n);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: await derivedWallet(deps) };
  const sign = (base64: string) => signTransaction(Buffer.from(base64, "base64"), user);
  const read = () => getSpending(deps, inputOf(getSpendingContract, { address: user.address }));
  const save = async (batch: { txValuesUsd: number[]; through: string }) => {
    const { transaction } = await buildWrapBatch(
      deps,
      inputOf(buildWrapBatchContract, { ...batch, plan: "forest", ...wallets }),
    );
    return post(deps, sign(transaction!.base64));
  };
  const topup = async (amountUsd: number) => {
    const input = inputOf(buildTopupContract, { amountUsd, period: "2026-W47", ...wallets });
    return post(deps, sign((await buildTopup(deps, input)).transaction!.base64));
  };
  const pay = async (usd: number) => {
    sandbox.pay(usd);
    await deps.clock.advance(5_000);
  };
  for (const usd of [10.4, 10.4]) await pay(usd);
  const [first] = (await read()).batches;
  await pay(3.3);
  const [stale] = (await read()).batches;
  expect(stale!.txValuesUsd).toEqual([10.4, 10.4, 3.3]);
  const { txSignature } = await save(first!);
  await topup(5);

  for (const isReadAgain of [false, true]) {
    await flush(deps);
    if (isReadAgain) expect(await read()).toMatchObject({ savedThrough: first!.through, isComplete: true });
    for (const batch of [first!, stale!]) await expect(save(batch)).rejects.toMatchObject({ code: "already_saved" });
    await expect(topup(6)).rejects.toMatchObject({ code: "already_saved" });
  }
  await flush(deps);
  await expect(save(stale!)).rejects.toMatchObject({ details: { txSignature } });
  const [rest] = (await read()).batches;
  expect(rest!.txValuesUsd).toEqual([3.3]);
  expect(await save(rest!)).toMatchObject({ confirmed: true });
});
