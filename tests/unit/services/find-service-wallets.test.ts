import { expect, test } from "vitest";
import { createThroughMark, formatMark, NOTHING_SAVED } from "../../../lib/domain/marks";
import { STORE_KEYS } from "../../../lib/domain/store-keys";
import { buildWrap } from "../../../lib/services/build-wrap";
import { buildWrapBatch } from "../../../lib/services/build-wrap-batch";
import { findServiceWallets } from "../../../lib/services/find-service-wallets";
import { getSpending } from "../../../lib/services/get-spending";
import { recordServiceWallet } from "../../../lib/services/records/service-wallets";
import { buildMemo } from "../../../lib/solana/memo";
import { buildSystemTransfer } from "../../../lib/solana/system-instructions";
import { createEmbeddedSandbox } from "../../support/chain/embedded-sandbox";
import { clearStore } from "../../support/store/store-snapshot";
import {
  buildTransaction,
  deriveServiceWallet,
  postSigned,
  signBuild,
  stranger,
  user,
} from "../../support/worlds/relay-rig";

async function stageSaver() {
  const sandbox = createEmbeddedSandbox();
  const { deps } = sandbox;
  for (const { address } of [user, stranger]) sandbox.setLamports(address, 100_000_000_000n);
  const serviceWallet = await deriveServiceWallet(deps);
  const find = async (wallet = user) =>
    (await findServiceWallets(deps, {}, { caller: { kind: "wallet", wallet: wallet.address } })).serviceWallets;
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  return { sandbox, deps, serviceWallet, wallets, find };
}

test("a registered service wallet is found once it was paid, whatever the saving's memo", async () => {
  const { deps, serviceWallet, wallets, find } = await stageSaver();
  expect(await find()).toEqual([]);
  await postSigned(deps, signBuild(await buildWrap(deps, { txValueUsd: 4.63, ...wallets })));
  expect(await find()).toEqual([serviceWallet]);
  expect(await find(stranger)).toEqual([]);
});

test("a service wallet that was paid before another owner registers it is found by both", async () => {
  const { deps, serviceWallet, wallets, find } = await stageSaver();
  await postSigned(deps, signBuild(await buildWrap(deps, { txValueUsd: 4.63, ...wallets })));
  await recordServiceWallet(deps, serviceWallet, stranger.address);
  expect([await find(), await find(stranger)]).toEqual([[serviceWallet], [serviceWallet]]);
});

test("the payee of a marked saving is found on the chain after the store was flushed", async () => {
  const { sandbox, deps, serviceWallet, wallets, find } = await stageSaver();
  sandbox.sendPayment(10.4);
  await deps.clock.advance(5_000);
  const [batch] = (await getSpending(deps, { address: user.address })).batches;
  await postSigned(deps, signBuild(await buildWrapBatch(deps, { ...batch!, plan: "forest", ...wallets })));
  await clearStore(deps);
  // A flush deletes the sets too.
  await deps.kv.removeMember(STORE_KEYS.paidServiceWallets.toKey(user.address), serviceWallet);
  expect(await find()).toEqual([serviceWallet]);
});

test("a stranger's saving that names the wallet adds none", async () => {
  const { sandbox, deps, serviceWallet, find } = await stageSaver();
  const txSignature = sandbox.sendPayment(10.4);
  const forgery = [
    buildSystemTransfer(stranger.address, serviceWallet, 1_000_000n, user.address),
    buildSystemTransfer(stranger.address, deps.feeCollectors[0]!, 2_500n),
    buildMemo(formatMark(createThroughMark(txSignature, NOTHING_SAVED)), stranger.address),
  ];
  const { blockhash } = sandbox.chain.getLatestBlockhash();
  sandbox.chain.send(buildTransaction(forgery, [stranger], blockhash), { skipPreflight: true });
  await deps.clock.advance(5_000);
  expect(await find()).toEqual([]);
});
