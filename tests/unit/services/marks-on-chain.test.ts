import { expect, test } from "vitest";
import { formatMark } from "@/lib/domain/marks";
import { createReferenceMark } from "@/lib/domain/reference";
import type { Caller } from "@/lib/ports/request-context";
import { buildTopup } from "@/lib/services/build-topup";
import { buildWrap } from "@/lib/services/build-wrap";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { getReference } from "@/lib/services/get-reference";
import { getSpending } from "@/lib/services/get-spending";
import { buildMemo } from "@/lib/solana/memo";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { createEmbeddedSandbox } from "../../support/chain/embedded-sandbox";
import type { TestWallet } from "../../support/fixtures/test-wallets";
import { clearStore } from "../../support/store/store-snapshot";
import {
  buildTransaction,
  deriveServiceWallet,
  postSigned,
  signBuild,
  stranger,
  user,
} from "../../support/worlds/relay-rig";

test("a stale batch and a stale period are refused after the store was flushed", async () => {
  const sandbox = createEmbeddedSandbox();
  const { deps } = sandbox;
  sandbox.setLamports(user.address, 100_000_000_000n);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: await deriveServiceWallet(deps) };
  const readSpending = () => getSpending(deps, { address: user.address });
  const saveBatch = async (batch: { txValuesUsd: number[]; through: string; after: string }) =>
    postSigned(deps, signBuild(await buildWrapBatch(deps, { ...batch, plan: "forest", ...wallets })));
  const topUp = async (amountUsd: number) =>
    postSigned(deps, signBuild(await buildTopup(deps, { amountUsd, period: "2026-W47", ...wallets })));
  const landPayment = async (usd: number) => {
    sandbox.sendPayment(usd);
    await deps.clock.advance(5_000);
  };
  for (const usd of [10.4, 10.4]) await landPayment(usd);
  const [firstBatch] = (await readSpending()).batches;
  await landPayment(3.3);
  const [staleBatch] = (await readSpending()).batches;
  expect(staleBatch!.txValuesUsd).toEqual([10.4, 10.4, 3.3]);
  const { txSignature } = await saveBatch(firstBatch!);
  await topUp(5);

  for (const isReadAgain of [false, true]) {
    await clearStore(deps);
    if (isReadAgain)
      expect(await readSpending()).toMatchObject({ savedThrough: firstBatch!.through, isComplete: true });
    for (const batch of [firstBatch!, staleBatch!])
      await expect(saveBatch(batch)).rejects.toMatchObject({ code: "already_saved" });
    await expect(topUp(6)).rejects.toMatchObject({ code: "already_saved" });
  }
  await clearStore(deps);
  await expect(saveBatch(staleBatch!)).rejects.toMatchObject({ details: { txSignature } });
  const [remainingBatch] = (await readSpending()).batches;
  expect(remainingBatch!.txValuesUsd).toEqual([3.3]);
  expect(await saveBatch(remainingBatch!)).toMatchObject({ confirmed: true });
});

const SHOP: Caller = { kind: "static-key", wallet: null, keyId: "0", name: "shop" };

async function stageOrders() {
  const sandbox = createEmbeddedSandbox();
  const { deps } = sandbox;
  for (const { address } of [user, stranger]) sandbox.setLamports(address, 100_000_000_000n);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: await deriveServiceWallet(deps) };
  const buildSaving = async (reference: string, txValueUsd = 4.63) =>
    signBuild(await buildWrap(deps, { txValueUsd, reference, ...wallets }));
  const readReference = (reference: string, caller: Caller = { kind: "wallet", wallet: user.address }) =>
    getReference(deps, { reference, wallet: user.address }, { caller });
  /** Builds a saving with the memo of the user's reference, as an independent app does. */
  const buildOwnSaving = (signer: TestWallet, reference: string, hasKey: boolean) => {
    const mark = createReferenceMark(user.address, reference);
    const instructions = [
      buildSystemTransfer(signer.address, wallets.serviceWalletPubkey, 1_000_000n, hasKey ? mark.key : undefined),
      buildSystemTransfer(signer.address, deps.feeCollectors[0]!, 2_500n),
      buildMemo(formatMark(mark), signer.address),
    ];
    return buildTransaction(instructions, [signer], sandbox.chain.getLatestBlockhash().blockhash);
  };
  /** Sends a stranger's transaction that carries the memo and the key of the user's reference. */
  const sendForgery = (reference: string) =>
    sandbox.chain.send(buildOwnSaving(stranger, reference, true), { skipPreflight: true });
  return { sandbox, deps, buildSaving, readReference, buildOwnSaving, sendForgery };
}

test("two orders of one amount are two savings, while one order lands once even after a flush", async () => {
  const { deps, buildSaving, readReference } = await stageOrders();
  const firstSaving = await buildSaving("order 1");
  const secondSaving = await buildSaving("order/2");
  const rebuiltSaving = await buildSaving("order 1");
  const rivalSaving = await buildSaving("order 1", 4.64);
  expect(rebuiltSaving).toEqual(firstSaving);
  const answers = await Promise.all([firstSaving, secondSaving].map((saving) => postSigned(deps, saving)));
  const signatures = answers.map(({ txSignature }) => txSignature);
  expect(new Set(signatures).size).toBe(2);
  expect(await postSigned(deps, rebuiltSaving)).toMatchObject({ confirmed: true, txSignature: signatures[0] });
  const refusal = { code: "already_saved", details: { txSignature: signatures[0] } };
  await expect(postSigned(deps, rivalSaving)).rejects.toMatchObject(refusal);
  await expect(buildSaving("order 1")).rejects.toMatchObject(refusal);

  await clearStore(deps);
  for (const txValueUsd of [4.63, 4.65])
    await expect(buildSaving("order 1", txValueUsd).then((bytes) => postSigned(deps, bytes))).rejects.toMatchObject(
      refusal,
    );
  await clearStore(deps);
  const confirmed = { state: "confirmed", isComplete: true };
  for (const [i, reference] of ["order 1", "order/2"].entries())
    expect(await readReference(reference, SHOP)).toMatchObject({ ...confirmed, transactions: [signatures[i]] });
});

test("a reference lists a saving that the wallet broadcast itself, but no stranger's transaction with the same memo and key", async () => {
  const { sandbox, deps, buildSaving, buildOwnSaving, readReference, sendForgery } = await stageOrders();
  sendForgery("o");
  await deps.clock.advance(5_000);
  expect(await readReference("o")).toMatchObject({ state: "unknown", transactions: [] });
  const { txSignature } = await postSigned(deps, await buildSaving("o"));
  sandbox.chain.send(buildOwnSaving(user, "o", true), { skipPreflight: true });
  await deps.clock.advance(5_000);
  sendForgery("o");
  await deps.clock.advance(5_000);
  const { state, transactions } = await readReference("o");
  expect([state, transactions.length, transactions[1]]).toEqual(["confirmed", 2, txSignature]);
  await expect(readReference("o", { kind: "wallet", wallet: stranger.address })).rejects.toMatchObject({
    code: "invalid_request",
  });
});

test("one order that two devices post at the same time is saved once", async () => {
  const { deps, buildSaving, readReference } = await stageOrders();
  const rivalSavings = [await buildSaving("o"), await buildSaving("o", 4.64)];
  const answers = await Promise.allSettled(rivalSavings.map((bytes) => postSigned(deps, bytes)));
  expect(answers.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  expect((await readReference("o")).transactions).toHaveLength(1);
});

test("400: a memo of a reference without a transfer that carries the reference's key is refused", async () => {
  const { deps, readReference, buildOwnSaving } = await stageOrders();
  await expect(postSigned(deps, buildOwnSaving(user, "o", false))).rejects.toMatchObject({
    code: "invalid_transaction",
  });
  expect(await readReference("o")).toMatchObject({ state: "unknown" });
});
