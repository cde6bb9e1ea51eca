import { beforeAll, describe, expect, test } from "vitest";
import { KNOWN_TOKENS } from "../../lib/domain/assets";
import { PLAN_NAMES } from "../../lib/domain/plans";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../lib/solana/programs";
import {
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../lib/solana/token-instructions";
import {
  buildSignedTransaction,
  buildTransfer,
  createSaver,
  getConnection,
  requestSaving,
  type Saver,
  sendDirectly,
} from "../support/chain/chain";
import { toWeb3 } from "../support/chain/sandbox-rig";
import { buyFromMarket, sendAndConfirm } from "../support/chain/tokens";
import { createWallet, get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

const NONE_SMALL = { count: 0, sumUsd: 0 };
const USDC = KNOWN_TOKENS.USDC.mint;
let saver: Saver;
let shop: string;

beforeAll(async () => {
  [saver, shop] = [await createSaver({ userSol: 1 }), (await createWallet()).address];
});

const readSpending = (query = "") =>
  readData(get(`/api/spending/${saver.user.address}?${query}`, { headers: saver.user.headers }));

/** Pays the shop. @returns the signature */
async function sendPayment(lamports: number): Promise<string> {
  const { user } = saver;
  const signedTransaction = await buildSignedTransaction({
    signers: [user],
    instructions: [buildTransfer(user.address, shop, lamports)],
  });
  return (await readData(postSigned(signedTransaction, user.headers))).txSignature;
}

const buildBatch = (batch: object) => requestSaving(saver, "/api/wrap/batch", { ...batch, plan: "forest" });

test("200: lists a payment until its change is saved", async () => {
  const [, secondPayment] = [await sendPayment(22_345_678), await sendPayment(33_456_789)];
  const { items, batches } = await readSpending();
  expect(items.map(({ amounts, estimated }) => [amounts[0]!.amount, estimated])).toEqual([
    ["-33456789", false],
    ["-22345678", false],
  ]);
  expect(batches).toEqual([
    {
      txValuesUsd: items.map(({ usdValue }) => usdValue).reverse(),
      small: NONE_SMALL,
      through: secondPayment,
      after: "none",
    },
  ]);

  const [firstBuild, secondBuild] = [await readData(buildBatch(batches[0]!)), await readData(buildBatch(batches[0]!))];
  expect(firstBuild.instructions).toHaveLength(3);
  const [signedTransaction, otherSignedTransaction] = [firstBuild, secondBuild].map(({ transaction }) =>
    signTransaction(transaction!.base64, saver.user.keys),
  ) as [string, string];
  expect((await postSigned(signedTransaction, saver.user.headers)).status).toBe(200);
  // With the same blockhash the bytes are identical, so the service repeats its answer. It refuses different bytes.
  if (otherSignedTransaction !== signedTransaction)
    expectFailure(await postSigned(otherSignedTransaction, saver.user.headers), "already_saved");
  expect((await postSigned(signedTransaction, saver.user.headers)).status).toBe(200);
  expectFailure(await buildBatch(batches[0]!), "already_saved");

  expect(await readSpending()).toMatchObject({ items: [], batches: [], savedThrough: secondPayment });
  const thirdPayment = await sendPayment(44_567_890);
  expect(await readSpending()).toMatchObject({
    items: [{ txSignature: thirdPayment }],
    batches: [{ through: thirdPayment }],
  });
});

test.each(["USDC", "PYUSD"] as const)("200: 5.00 %s leave no change on any plan", async (symbol) => {
  const { mint, decimals } = KNOWN_TOKENS[symbol];
  const program = symbol === "PYUSD" ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM;
  const payer = await createSaver({ userSol: 1 });
  const owner = payer.user.address;
  await buyFromMarket(payer.user, mint, 100_000_000);
  const [source, destination] = [owner, shop].map((address) => deriveAssociatedTokenAddress(address, mint, program));
  const accounts = { source: source!, destination: destination!, authority: owner };
  const signedTransaction = await buildSignedTransaction({
    signers: [payer.user],
    instructions: [
      buildCreateAssociatedTokenAccount({ payer: owner, owner: shop, mint }, program),
      buildTransferChecked({ ...accounts, mint, amount: 5_000_000n, decimals }, program),
    ].map(toWeb3),
  });
  await readData(postSigned(signedTransaction, payer.user.headers));
  const { items, batches } = await readData(get(`/api/spending/${owner}`, { headers: payer.user.headers }));
  expect(items[0]).toMatchObject({ amounts: [{ symbol, amount: "-5000000" }], usdValue: 5, estimated: false });
  expect(batches.at(-1)!.txValuesUsd).toEqual([5]);
  for (const plan of PLAN_NAMES) {
    const { breakdown, transaction } = await readData(
      requestSaving(payer, "/api/wrap/batch", { ...batches.at(-1)!, plan }),
    );
    expect([breakdown.roundUpUsd, breakdown.skipped, transaction]).toEqual([0, true, null]);
  }
});

/** Opens a wallet with USDC, and the shop's account for it. */
async function createPayer(): Promise<Saver> {
  const payer = await createSaver({ userSol: 1 });
  await buyFromMarket(payer.user, USDC, 100_000_000);
  const owner = payer.user.address;
  const openAccount = buildCreateAssociatedTokenAccount({ payer: owner, owner: shop, mint: USDC }, TOKEN_PROGRAM);
  const signedTransaction = await buildSignedTransaction({
    signers: [payer.user],
    instructions: [toWeb3(openAccount)],
  });
  await readData(postSigned(signedTransaction, payer.user.headers));
  return payer;
}

/** Pays the shop these amounts of USDC, in micro-dollars and in this order. Bypasses the service, whose calls are limited. */
async function payMany({ user }: Saver, amounts: number[]): Promise<void> {
  const [source, destination] = [user.address, shop].map((owner) => deriveAssociatedTokenAddress(owner, USDC));
  const { blockhash } = await getConnection().getLatestBlockhash();
  for (const [i, amount] of amounts.entries()) {
    const accounts = { source: source!, destination: destination!, authority: user.address, mint: USDC, decimals: 6 };
    const payment = toWeb3(buildTransferChecked({ ...accounts, amount: BigInt(amount) }, TOKEN_PROGRAM));
    // The transfer to itself makes each transaction a different one.
    const instructions = [payment, buildTransfer(user.address, user.address, i)];
    const signedTransaction = await buildSignedTransaction({ signers: [user], instructions, blockhash });
    await (i < amounts.length - 1 ? sendDirectly : sendAndConfirm)(signedTransaction);
  }
}

/** Reads a wallet's spending until nothing is left to read. */
async function readAllSpending({ user }: Saver) {
  const readPage = () => readData(get(`/api/spending/${user.address}`, { headers: user.headers }));
  let spending = await readPage();
  while (!spending.isComplete) spending = await readPage();
  return spending;
}

describe("payments below 1 USD", () => {
  test("500 of 0.001 USD wait, and are saved with the payment of 1 USD or more that follows", async () => {
    const payer = await createPayer();
    await payMany(payer, Array(500).fill(1_000));
    const { items, batches, leftOut } = await readAllSpending(payer);
    expect([items[0]!.usdValue, batches]).toEqual([0.001, []]);
    expect(leftOut.map(({ reason }) => reason)).not.toContain("worthless");
    await payMany(payer, [4_200_000]);
    const [batch, ...others] = (await readAllSpending(payer)).batches;
    expect([batch!.txValuesUsd, batch!.small, others]).toEqual([[4.7], { count: 500, sumUsd: 0.5 }, []]);
    const { user } = payer;
    const { spending } = await readData(get(`/api/overview/${user.address}`, { headers: user.headers }));
    expect(spending).toMatchObject({ payments: 501, small: batch!.small, totalUsd: 4.7, batches: [batch] });
  }, 120_000);

  test("120 of 0.02 USD are one value of 2.40, whose change on Tree is 0.10", async () => {
    const payer = await createPayer();
    await saveAll(payer);
    await payMany(payer, Array(120).fill(20_000));
    const { batches } = await readAllSpending(payer);
    expect(batches).toMatchObject([{ txValuesUsd: [2.4], small: { count: 120, sumUsd: 2.4 } }]);
    const wrap = await readData(requestSaving(payer, "/api/wrap/batch", { ...batches[0]!, plan: "tree" }));
    expect([wrap.breakdown.roundUpUsd, wrap.items]).toMatchObject([0.1, [{ txValueUsd: 2.4, roundUpUsd: 0.1 }]]);
    await saveAll(payer);
    expect(await readAllSpending(payer)).toMatchObject({ items: [], batches: [] });
  }, 120_000);
});

/** Saves all unsaved payments of a wallet. */
async function saveAll(payer: Saver): Promise<void> {
  for (const batch of (await readAllSpending(payer)).batches) {
    const { transaction } = await readData(requestSaving(payer, "/api/wrap/batch", { ...batch, plan: "tree" }));
    await readData(postSigned(signTransaction(transaction!.base64, payer.user.keys), payer.user.headers));
  }
}
