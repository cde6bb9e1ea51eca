import { beforeEach, describe, expect, test } from "vitest";
import { ASSETS } from "@/lib/domain/assets";
import { encodeMint } from "@/lib/sandbox/chain/token-accounts";
import { buildWrapBatch } from "@/lib/services/build-wrap-batch";
import { getSpending } from "@/lib/services/get-spending";
import { TOKEN_PROGRAM } from "@/lib/solana/programs";
import {
  buildCreateAssociatedTokenAccount,
  buildMintToChecked,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "@/lib/solana/token-instructions";
import { putAccount, putTokens } from "../../../../support/chain/sandbox-rig";
import { toTestWallet } from "../../../../support/fixtures/test-wallets";
import { clearStore } from "../../../../support/store/store-snapshot";
import { deriveServiceWallet, postSigned, signBuild, user } from "../../../../support/worlds/relay-rig";
import { buildPull, card, shop, shopUsdc, stagePulls, toUnits, userUsdc } from "../../../../support/worlds/usdc-world";

/* Payments that a delegate pulls. Their transactions do not name the wallet. */

const { USDC } = ASSETS;

let world: Awaited<ReturnType<typeof stagePulls>>;
let serviceWallet: string;
beforeEach(async () => {
  world = await stagePulls();
  serviceWallet = await deriveServiceWallet(world.deps);
});

const readSpending = (query = {}) => getSpending(world.deps, { address: user.address, ...query });
type Batch = Awaited<ReturnType<typeof readSpending>>["batches"][number];
const save = async (batch: Batch) => {
  const wallets = { userPubkey: user.address, serviceWalletPubkey: serviceWallet };
  return postSigned(world.deps, signBuild(await buildWrapBatch(world.deps, { ...batch, plan: "forest", ...wallets })));
};

test("a pulled payment is listed between those that the wallet signed, and saved once by a mark that names it", async () => {
  const signatures = [await world.pull(10.4), await world.pay(3.3), await world.pull(5.5)];
  const { items, batches, isComplete } = await readSpending();
  expect(items.map(({ txSignature, usdValue, pulled }) => [txSignature, usdValue, pulled])).toEqual([
    [signatures[2], 5.5, { by: card.address }],
    [signatures[1], 3.3, null],
    [signatures[0], 10.4, { by: card.address }],
  ]);
  expect(batches).toMatchObject([{ txValuesUsd: [10.4, 3.3, 5.5], through: signatures[2], after: "none" }]);
  expect(isComplete).toBe(true);
  const next = await world.pull(7.7);
  expect(await save(batches[0]!)).toMatchObject({ confirmed: true });
  await expect(save(batches[0]!)).rejects.toMatchObject({ code: "already_saved" });
  const rest = [{ txValuesUsd: [7.7], through: next, after: signatures[2] }];
  for (const isLost of [false, true]) {
    if (isLost) await clearStore(world.deps);
    await expect(save(batches[0]!)).rejects.toMatchObject({ code: "already_saved" });
    expect(await readSpending()).toMatchObject({ savedThrough: signatures[2], batches: rest, isComplete: true });
  }
});

test("a pull of the whole allowance, after which the account has no delegate, is a payment", async () => {
  const first = await world.pull(60.4);
  const last = await world.pull(39.6);
  expect(await readSpending()).toMatchObject({ batches: [{ txValuesUsd: [60.4, 39.6], through: last }] });
  expect((await readSpending({ limit: 1, before: last })).items).toMatchObject([{ txSignature: first }]);
});

test("an allowance that is used, restored and used again is listed each time", async () => {
  await world.pull(10.4);
  expect((await readSpending()).batches).toMatchObject([{ txValuesUsd: [10.4] }]);
  await world.pull(3.6);
  // The amount and the allowance are the same as before the second pull.
  const refund = { source: shopUsdc, destination: userUsdc, authority: shop.address, ...USDC, amount: toUnits(3.6) };
  await world.send([buildTransferChecked(refund)], shop);
  await world.approveCard(89.6);
  expect((await readSpending()).batches).toMatchObject([{ txValuesUsd: [10.4, 3.6] }]);
});

test("a pull into the wallet's own service wallet is a saving, and a pull into another account of the wallet is none", async () => {
  for (const owner of [serviceWallet, user.address]) {
    const address = toTestWallet(`account of ${owner}`).address;
    putTokens(world.chain, owner, USDC.mint, 0n, { address });
    await world.pull(10.4, address);
  }
  const { batches, leftOut } = await readSpending();
  expect(batches).toEqual([]);
  expect(leftOut).toContainEqual({ reason: "own_service_wallet", count: 1 });
  expect(leftOut.find(({ reason }) => reason === "own_accounts")).toMatchObject({ count: 1 });
});

test("a shop that opens an account for the payer and hands out points does not turn its pull into a swap", async () => {
  const points = toTestWallet("points").address;
  putAccount(world.chain, points, TOKEN_PROGRAM, encodeMint(card.address, 0));
  const destination = deriveAssociatedTokenAddress(user.address, points);
  const signature = await world.send(
    [
      buildCreateAssociatedTokenAccount({ payer: card.address, owner: user.address, mint: points }),
      buildPull(10.4),
      buildMintToChecked({ mint: points, destination, authority: card.address, amount: 9n, decimals: 0 }),
    ],
    card,
  );
  expect((await readSpending()).batches).toMatchObject([{ txValuesUsd: [10.4], through: signature, after: "none" }]);
});

test("dollars that arrive are no payment", async () => {
  const gift = { source: shopUsdc, destination: userUsdc, authority: shop.address, ...USDC, amount: 5_000_000n };
  await world.send([buildTransferChecked(gift)], shop);
  expect(await readSpending()).toMatchObject({ items: [], batches: [], isComplete: true });
});

describe("calls to the node", () => {
  const NOTHING_NEW = { readSignatures: 2, readAccountsAt: 1 };

  test("are one more than for the wallet's history alone if nothing is new", async () => {
    await world.pull(10.4);
    await world.pay(3.3);
    const { batches } = await readSpending();
    expect(await world.countCalls(readSpending)).toEqual({ ...NOTHING_NEW, readTransaction: 2 });
    await save(batches[0]!);
    await readSpending();
    expect(await world.countCalls(readSpending)).toEqual(NOTHING_NEW);
  });

  test("list only the accounts that have changed", async () => {
    putTokens(world.chain, user.address, ASSETS.USDT.mint, 5n);
    await readSpending();
    await world.pull(10.4);
    // The mark search, the wallet's list, that of its USDC account, and the wallet's newest.
    expect(await world.countCalls(readSpending)).toEqual({ readSignatures: 4, readAccountsAt: 1, readTransaction: 1 });
    expect(await world.countCalls(readSpending)).toEqual({ ...NOTHING_NEW, readTransaction: 1 });
  });
});

test("pages of any size list each payment once, pulled or signed", async () => {
  const signatures: string[] = [];
  for (let i = 0; i < 6; i++) signatures.unshift(await (i % 3 ? world.pull(1.5 + i) : world.pay(1.5 + i)));
  for (const limit of [1, 2, 3, 4]) {
    const listed: string[] = [];
    let before: string | undefined;
    do {
      const page = await readSpending({ limit, ...(before && { before }) });
      listed.push(...page.items.map(({ txSignature }) => txSignature));
      before = page.nextBefore ?? undefined;
    } while (before);
    expect(listed).toEqual(signatures);
  }
});
