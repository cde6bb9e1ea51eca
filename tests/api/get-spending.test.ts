import { beforeAll, expect, test } from "vitest";
import { KNOWN_TOKENS } from "../../lib/domain/assets";
import { PLAN_NAMES } from "../../lib/domain/plans";
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from "../../lib/solana/programs";
import {
  buildCreateAssociatedTokenAccount,
  buildTransferChecked,
  deriveAssociatedTokenAddress,
} from "../../lib/solana/token-instructions";
import { buildSignedTransaction, buildTransfer, createSaver, requestSaving, type Saver } from "../support/chain/chain";
import { toWeb3 } from "../support/chain/sandbox-rig";
import { buyFromMarket } from "../support/chain/tokens";
import { createWallet, get, postSigned, readData, signTransaction } from "../support/client/client";
import { expectFailure } from "../support/client/expect-failure";

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
  const [, secondPayment] = [await sendPayment(2_345_678), await sendPayment(3_456_789)];
  const { items, batches } = await readSpending();
  expect(items.map(({ amounts, estimated }) => [amounts[0]!.amount, estimated])).toEqual([
    ["-3456789", false],
    ["-2345678", false],
  ]);
  expect(batches).toEqual([
    { txValuesUsd: items.map(({ usdValue }) => usdValue).reverse(), through: secondPayment, after: "none" },
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
  const thirdPayment = await sendPayment(4_567_890);
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
