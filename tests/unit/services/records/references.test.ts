import { expect, test } from "vitest";
import { buildTopupContract } from "@/lib/contracts/build-topup";
import { buildWrapContract } from "@/lib/contracts/build-wrap";
import { buildWrapBatchContract } from "@/lib/contracts/build-wrap-batch";
import { getEventsContract } from "@/lib/contracts/get-events";
import { getReferenceContract } from "@/lib/contracts/get-reference";
import { formatMark } from "@/lib/domain/marks";
import { createReferenceMark } from "@/lib/domain/reference";
import { DAY_MS } from "@/lib/domain/time";
import type { Caller } from "@/lib/ports/request-context";
import { buildTopup } from "@/lib/services/build-topup";
import { buildWrap } from "@/lib/services/build-wrap";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { executeTransaction } from "@/lib/services/execute-transaction";
import { getEvents } from "@/lib/services/get-events";
import { getReference } from "@/lib/services/get-reference";
import { toBase64 } from "@/lib/solana/bytes";
import { buildMemo } from "@/lib/solana/memo";
import { buildSystemTransfer } from "@/lib/solana/system-instructions";
import { createEmbeddedSandbox } from "../../../support/chain/embedded-sandbox";
import { ONE_SOL } from "../../../support/chain/sandbox-rig";
import { callService } from "../../../support/client/contract-input";
import { runFor } from "../../../support/fakes/fake-deps";
import { type TestWallet, toTestWallet } from "../../../support/fixtures/test-wallets";
import { clearStore } from "../../../support/store/store-snapshot";
import {
  buildTransaction,
  deriveServiceWallet,
  LONG_MS,
  signBuild,
  stranger,
  user,
} from "../../../support/worlds/relay-rig";

/* What references and events say about a landed saving, as the caller who asks has built it. */

const SHOP: Caller = { kind: "static-key", wallet: null, keyId: "0", name: "shop" };
const RIVAL: Caller = { ...SHOP, name: "rival" };
const CUSTOMER: Caller = { kind: "wallet", wallet: user.address };
const OTHER_PAYEE = toTestWallet("other payee");
const REFERENCE = "order-1";

interface OwnSaving {
  /** Sends the lamports back in the same transaction. */
  returner?: TestWallet;
  memos?: string[];
  signer?: TestWallet;
  /** Whether the transfer carries the key of the reference. */
  hasKey?: boolean;
}

async function stageOrder() {
  const sandbox = createEmbeddedSandbox();
  const { deps, chain } = sandbox;
  const serviceWallet = await deriveServiceWallet(deps);
  for (const { address } of [user, stranger, OTHER_PAYEE, { address: serviceWallet }])
    sandbox.setLamports(address, ONE_SOL);
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet, reference: REFERENCE };
  const build = (caller: Caller, fields: Record<string, unknown> = {}) =>
    callService(buildWrapContract, buildWrap, deps, { txValueUsd: 4.63, ...wallets, ...fields }, { caller });
  /** Posts bytes as the shop's backend does. The bytes may be another caller's build. */
  const post = (transaction: Uint8Array) => {
    const input = { signedTransaction: toBase64(transaction) };
    return runFor(LONG_MS, deps, executeTransaction(deps, input, { caller: SHOP }));
  };
  const named = { wallet: user.address };
  const readReference = (caller: Caller = SHOP, reference = REFERENCE) =>
    callService(getReferenceContract, getReference, deps, { reference, ...named }, { caller });
  /** Reads the reference and its only event, and expects both to say the same. */
  const readOrder = async (caller: Caller) => {
    const { amounts, expected, asBuilt } = await readReference(caller);
    const { events } = await callService(getEventsContract, getEvents, deps, named, { caller });
    expect(events).toMatchObject([{ reference: REFERENCE, expected, asBuilt, amounts }]);
    return { paid: amounts[0]?.amount, expected: expected?.[0]?.amount ?? null, asBuilt };
  };
  /** Builds a saving with the order's memo and key without the service, as a hostile page does. */
  const buildOwnSaving = (
    payee: string,
    lamports: bigint,
    feeLamports: bigint,
    { returner, memos = [REFERENCE], signer = user, hasKey = true }: OwnSaving = {},
  ) => {
    const [mark, ...otherMarks] = memos.map((reference) => createReferenceMark(user.address, reference));
    const instructions = [
      buildSystemTransfer(signer.address, payee, lamports, hasKey ? mark!.key : undefined),
      buildSystemTransfer(signer.address, deps.feeCollectors[0]!, feeLamports),
      ...[mark!, ...otherMarks].map((memoMark) => buildMemo(formatMark(memoMark), signer.address)),
      ...(returner ? [buildSystemTransfer(returner.address, user.address, lamports)] : []),
    ];
    const signers = returner ? [signer, returner] : [signer];
    return buildTransaction(instructions, signers, chain.getLatestBlockhash().blockhash);
  };
  /** Sends a transaction past this service, and waits until it has landed. */
  const broadcast = async (bytes: Uint8Array) => {
    chain.send(bytes, { skipPreflight: true });
    await deps.clock.advance(5_000);
  };
  return { ...sandbox, wallets, serviceWallet, build, post, readReference, readOrder, buildOwnSaving, broadcast };
}

/** Returns what a wallet pays for a build, as a change of its balance. */
const toChange = ({ breakdown }: Awaited<ReturnType<Awaited<ReturnType<typeof stageOrder>>["build"]>>) =>
  `${-(breakdown.userInvestmentLamports + breakdown.activationLamports + breakdown.serviceFeeLamports)}`;

test("a shop's saving is as built, although the customer has built one cent under the same reference", async () => {
  const { build, post, readOrder } = await stageOrder();
  const shopBuild = await build(SHOP);
  await build(CUSTOMER, { txValueUsd: 4.69 });
  await build(RIVAL, { txValueUsd: 4.01 });
  await post(signBuild(shopBuild));
  const paid = toChange(shopBuild);
  expect(await readOrder(SHOP)).toEqual({ paid, expected: paid, asBuilt: true });
});

test.each<
  [string, (built: { saved: bigint; fee: bigint; serviceWallet: string }) => [string, bigint, bigint], boolean]
>([
  ["one lamport less", ({ saved, fee, serviceWallet }) => [serviceWallet, saved - 1n, fee], false],
  ["one lamport less of fee", ({ saved, fee, serviceWallet }) => [serviceWallet, saved, fee - 1n], false],
  ["the amount into another wallet", ({ saved, fee }) => [OTHER_PAYEE.address, saved, fee], false],
  ["one lamport more", ({ saved, fee, serviceWallet }) => [serviceWallet, saved + 1n, fee + 1n], true],
])("a page that signs %s than was built", async (_, choose, asBuilt) => {
  const { build, buildOwnSaving, post, readOrder, serviceWallet } = await stageOrder();
  const { breakdown } = await build(SHOP);
  // Execute sends a saving only into a wallet that it knows. Anybody can build a saving into any wallet.
  await build(CUSTOMER, { serviceWalletPubkey: OTHER_PAYEE.address });
  const saved = BigInt(breakdown.userInvestmentLamports);
  await post(buildOwnSaving(...choose({ saved, fee: BigInt(breakdown.serviceFeeLamports), serviceWallet })));
  expect((await readOrder(SHOP)).asBuilt).toBe(asBuilt);
});

test("a saving that returns in the same transaction is not as built", async () => {
  const { build, buildOwnSaving, post, readOrder } = await stageOrder();
  const { breakdown } = await build(SHOP, { serviceWalletPubkey: OTHER_PAYEE.address });
  const [saved, fee] = [BigInt(breakdown.userInvestmentLamports), BigInt(breakdown.serviceFeeLamports)];
  await post(buildOwnSaving(OTHER_PAYEE.address, saved, fee, { returner: OTHER_PAYEE }));
  expect((await readOrder(SHOP)).asBuilt).toBe(false);
});

test("one saving with the memos of two orders pays for neither", async () => {
  const { build, buildOwnSaving, broadcast, readReference, serviceWallet } = await stageOrder();
  const { breakdown } = await build(SHOP);
  const [saved, fee] = [BigInt(breakdown.userInvestmentLamports), BigInt(breakdown.serviceFeeLamports)];
  // The service refuses a second mark.
  await broadcast(buildOwnSaving(serviceWallet, saved, fee, { memos: [REFERENCE, "order-2"] }));
  expect(await readReference()).toMatchObject({ state: "confirmed", asBuilt: false });
});

test("each build of one order may land, whatever the price of SOL was", async () => {
  for (const [firstUsd, secondUsd] of [
    [150, 152],
    [152, 150],
  ] as const) {
    const { build, deps, post, readOrder, setSolPrice } = await stageOrder();
    setSolPrice(firstUsd);
    await build(SHOP);
    // A price counts for 30 s, as long as a blockhash lives: build with a price that is soon old.
    await deps.clock.advance(20_000);
    const firstBuild = await build(SHOP);
    setSolPrice(secondUsd);
    await deps.clock.advance(15_000);
    const secondBuild = await build(SHOP);
    expect(toChange(secondBuild)).not.toBe(toChange(firstBuild));
    await post(signBuild(firstBuild));
    expect(await readOrder(SHOP)).toMatchObject({ paid: toChange(firstBuild), asBuilt: true });
  }
});

test("a build of another amount replaces the builds before it", async () => {
  const { build, post, readOrder } = await stageOrder();
  const oldBuild = await build(SHOP, { txValueUsd: 4.69 });
  const newBuild = await build(SHOP);
  await post(signBuild(oldBuild));
  expect(await readOrder(SHOP)).toEqual({ paid: toChange(oldBuild), expected: toChange(newBuild), asBuilt: false });
});

test("top-ups and batches are compared like single savings", async () => {
  for (const isTopup of [true, false]) {
    const { deps, wallets, post, readOrder } = await stageOrder();
    const context = { caller: SHOP };
    const batch = { txValuesUsd: [4.63, 1.2], ...wallets };
    const built = isTopup
      ? await callService(buildTopupContract, buildTopup, deps, { amountUsd: 2, ...wallets }, context)
      : await callService(buildWrapBatchContract, buildWrapBatch, deps, batch, context);
    await post(signBuild(built));
    expect(await readOrder(SHOP)).toEqual({ paid: toChange(built), expected: toChange(built), asBuilt: true });
  }
});

test("an order without a confirmed saving is not compared, and a build is forgotten after 30 days", async () => {
  const { build, deps, readReference } = await stageOrder();
  const expected = [{ amount: toChange(await build(SHOP)) }];
  expect(await readReference()).toMatchObject({ state: "unknown", amounts: [], expected, asBuilt: null });
  await deps.clock.advance(30 * DAY_MS);
  expect(await readReference()).toMatchObject({ state: "unknown", expected: null, asBuilt: null });
});

test("two orders of one amount are two savings, while one order lands once even after a flush", async () => {
  const { build, deps, post, readReference } = await stageOrder();
  const references = [REFERENCE, "order/2"];
  const signatures: string[] = [];
  const rivalSaving = signBuild(await build(SHOP, { txValueUsd: 4.64 }));
  for (const reference of references) {
    const [saving, rebuiltSaving] = [await build(SHOP, { reference }), await build(SHOP, { reference })].map(signBuild);
    expect(rebuiltSaving).toEqual(saving);
    signatures.push((await post(saving!)).txSignature);
  }
  const refusal = { code: "already_saved", details: { txSignature: signatures[0] } };
  await expect(post(rivalSaving)).rejects.toMatchObject(refusal);
  for (const isFlushed of [false, true]) {
    if (isFlushed) await clearStore(deps);
    await expect(build(SHOP)).rejects.toMatchObject(refusal);
    for (const [i, reference] of references.entries()) {
      const confirmed = { state: "confirmed", isComplete: true, transactions: [signatures[i]] };
      expect(await readReference(SHOP, reference)).toMatchObject(confirmed);
    }
  }
});

test("a reference lists a saving that the wallet broadcast itself, but no stranger's with the same memo and key", async () => {
  const { build, post, readReference, buildOwnSaving, broadcast, serviceWallet } = await stageOrder();
  const sendForgery = () => broadcast(buildOwnSaving(serviceWallet, 1_000_000n, 2_500n, { signer: stranger }));
  await sendForgery();
  expect(await readReference()).toMatchObject({ state: "unknown", transactions: [] });
  const { txSignature } = await post(signBuild(await build(SHOP)));
  await broadcast(buildOwnSaving(serviceWallet, 1_000_000n, 2_500n));
  await sendForgery();
  const { state, transactions } = await readReference();
  expect([state, transactions.length, transactions[1]]).toEqual(["confirmed", 2, txSignature]);
});

test("400: a memo of a reference without a transfer that carries the reference's key is refused", async () => {
  const { post, readReference, buildOwnSaving, serviceWallet } = await stageOrder();
  const saving = buildOwnSaving(serviceWallet, 1_000_000n, 2_500n, { hasKey: false });
  await expect(post(saving)).rejects.toMatchObject({ code: "invalid_transaction" });
  expect(await readReference()).toMatchObject({ state: "unknown" });
});
